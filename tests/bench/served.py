"""The reference as a program that speaks the target protocol, for measurements."""

from __future__ import annotations

import json
import sys

from acpsim.targets.reference import ReferenceTarget
from acpsim.wire.edition import EDITIONS
from acpsim.wire.trace import event, lost


def main() -> None:
    target = ReferenceTarget(EDITIONS["draft"])
    for line in sys.stdin:
        request = json.loads(line)
        answer: object = {"ok": True}
        match request["op"]:
            case "hello":
                answer = {"name": "served", "sections": list(target.sections)}
            case "reset":
                target.reset()
            case "apply":
                told = request["events"]
                target.apply(
                    [
                        lost()
                        if one["dir"] == "lost"
                        else event(one["dir"], one["msg"], edition=EDITIONS["draft"])
                        for one in told
                    ]
                )
            case "snapshot":
                answer = {"snapshot": target.snapshot(request["sessionId"])}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
