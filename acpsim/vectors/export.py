"""The shipped vectors as files that anybody can run without acpsim.

Owns: which files there are and what the index says of each. Equal edition, equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from acpsim.errors import UsageError
from acpsim.files import reason
from acpsim.vectors.shipped import Shipped
from acpsim.wire.vector import encode_vector

INDEX: Final = "index.json"
README: Final = "README.md"

_README: Final = """\
# Test vectors, edition {edition}

{count} conversations between an Agent Client Protocol client and an agent, and what the client
holds after each. Every `*.json` but `index.json` is one:

    {{"acpsim": "vector/1", "name", "edition", "rules", "events", "snapshots"}}

To run one: start with a new client state and hand it every event in order. They are the messages of
one connection, sent (`"dir": "c2a"`) and received (`"a2c"`), `initialize` and `session/new`
included; `{{"dir": "lost"}}` is where the connection broke. Some messages are malformed on purpose.
Then compare the state of each session with `snapshots`; one that is `null` there must not exist.
Compare the sections that you keep and leave out the others. The order of keys does not matter, and
absent is not `null`.

- `rule-ID`: a conversation that keeps the rule of that name.
- `law-NAME-a` and `-b`: two conversations that are the same to a law of any client.
- `mutant-NAME`: the smallest conversation found that shows a mistake that clients make.
- `recorded-NAME`: a whole conversation.

`index.json` says of each which rules it is about, what a client that fails it gets wrong, and in
which sections anything happens.
"""


def files(vectors: Iterable[Shipped], edition_name: str) -> Iterator[tuple[str, bytes]]:
    """The name of each file and what is in it, the index and a word to readers last."""
    rows = []
    for one in vectors:
        file = f"{one.vector.name}.json"
        rows.append(
            {
                "name": one.vector.name,
                "file": file,
                "rules": one.vector.rules,
                "shows": one.shows,
                "sections": one.sections,
                "mutant": one.mutant,
            }
        )
        yield file, encode_vector(one.vector)
    index = {"acpsim": "vectors/1", "edition": edition_name, "vectors": rows}
    yield INDEX, msgspec.json.format(msgspec.json.encode(index), indent=2) + b"\n"
    yield README, _README.format(edition=edition_name, count=len(rows)).encode()


def check_directory(path: Path) -> Path:
    """The directory, made if it is not there. Raises `UsageError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: no directory can be made there: {reason(error)}") from error
    return path
