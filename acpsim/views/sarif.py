"""Results as SARIF 2.1.0, which code hosts show beside the lines of a trace.

Owns: `sarif`. Every rule that was tested is described, with its level; every remark is a result at
its line. Paths are relative to where the command ran, so that a host finds the file in its
checkout. A fingerprint is made of the rule, the file and the words, not of the line: what moves is
still the same remark.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote

from acpsim.views.escape import visible, visible_lines
from acpsim.views.outcome import CheckResult, RuleHelp, Spot
from acpsim.wire.cells import JsonObject

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT: Final = "%SRCROOT%"
"""What hosts call the directory that relative paths begin at."""
FINGERPRINT: Final = "acpsimRemark/v1"

_LINE: Final = re.compile(r"\b(lines?) [\d, ]*\d")


def sarif(
    results: Iterable[CheckResult],
    rules: Mapping[str, RuleHelp],
    *,
    version: str,
    notes: Iterable[Spot] = (),
) -> JsonObject:
    """The document. `rules` describes what the results are called after; a name without a
    description is described by itself. `notes` are about reading, not about any rule.
    """
    told = list(results)
    named = dict.fromkeys([*rules, *(result.name for result in told)])
    index = {name: at for at, name in enumerate(named)}
    seen: Counter[str] = Counter()
    said = [
        _result(result.name, index[result.name], spot, seen=seen)
        for result in told
        for spot in result.places
    ]
    invocation: JsonObject = {
        "executionSuccessful": True,
        "toolExecutionNotifications": [_notification(note) for note in notes],
    }
    driver = {
        "name": "acpsim",
        "semanticVersion": version,
        "rules": [_rule(name, rules.get(name, RuleHelp(text=name))) for name in named],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": said,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str, told: RuleHelp) -> JsonObject:
    section = f' See "{told.section}" in the protocol\'s documentation.' if told.section else ""
    return {
        "id": visible(name),
        "shortDescription": {"text": visible(told.text, None)},
        "fullDescription": {"text": visible(told.text, None)},
        "help": {"text": visible(f"{told.text}{section}", None)},
        "defaultConfiguration": {"level": told.level},
    }


def _result(name: str, at: int, spot: Spot, *, seen: Counter[str]) -> JsonObject:
    mark = _fingerprint(name, spot)
    seen[mark] += 1
    found: JsonObject = {
        "ruleId": visible(name),
        "ruleIndex": at,
        "level": spot.level,
        "message": {"text": visible_lines(spot.text)},
        "locations": _locations(spot),
        "partialFingerprints": {FINGERPRINT: f"{mark}:{seen[mark]}"},
    }
    return found


def _notification(note: Spot) -> JsonObject:
    return {
        "level": "note",
        "message": {"text": visible(note.text, None)},
        "locations": _locations(note),
    }


def _locations(spot: Spot) -> list[JsonObject]:
    if spot.file is None:
        return []
    place: JsonObject = {"artifactLocation": {"uri": uri(spot.file), "uriBaseId": ROOT}}
    if spot.line > 0:
        place["region"] = {"startLine": spot.line}
    return [{"physicalLocation": place}]


def uri(path: str) -> str:
    """A path as a relative URI reference; `-`, which is no file, as `stdin`."""
    if path == "-":
        return "stdin"
    relative = os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)
    return quote(os.fsencode(relative.replace(os.sep, "/")), safe="/~")


def _fingerprint(name: str, spot: Spot) -> str:
    """Equal for the same remark on another line: line numbers in the words do not count."""
    words = _LINE.sub(r"\1", spot.text)
    file = "" if spot.file is None else uri(spot.file)
    parts = "\0".join((name, file, words)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(parts, digest_size=16).hexdigest()
