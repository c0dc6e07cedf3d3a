"""Vectors, run on a target.

Owns: `run`, the results, and how vectors are found in files and directories. A file is data: what
it names is never imported or run.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias

from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.oracles.counterexample import judge_vector
from acpsim.oracles.laws import judge_law
from acpsim.oracles.verdict import Verdict
from acpsim.targets.target import DirectTarget, Target, nearest
from acpsim.vectors.export import INDEX
from acpsim.vectors.shipped import shipped
from acpsim.wire.edition import DRAFT, Edition
from acpsim.wire.vector import NotAVector, Vector, read_vector

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]

HUNG_MAX: Final = 3
"""Vectors in a row on which a target may hang before the others are given up: each takes the time
limit."""

GIVEN_UP: Final = "not run: the target hung again and again, or could not be started"
NOT_KEPT: Final = "the target keeps none of the sections that it is about"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A vector and the file that it came from; `None` for one that ships with the package.

    `sections` are those that it is about, where that is known: a target that keeps none of them is
    not asked.
    """

    vector: Vector
    file: str | None = None
    sections: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one vector. `why` is the reason of one that was skipped."""

    found: Found
    outcome: Outcome
    verdict: Verdict | None = None
    why: str = ""

    @property
    def name(self) -> str:
        """The vector's name."""
        return self.found.vector.name


def run(found: Iterable[Found], target: Target) -> Iterator[Result]:
    """Runs them one after the other, in a connection of its own each.

    A target in this process is also held to it that changing a message or a snapshot later changes
    nothing: no snapshot shows that.
    """
    lost = 0
    for one in found:
        if lost >= HUNG_MAX:
            yield Result(found=one, outcome="skipped", why=GIVEN_UP)
            continue
        result = run_one(one, target)
        oracle = "" if result.verdict is None else result.verdict.oracle
        lost = lost + 1 if oracle in {"crash:hung", "crash:unstartable"} else 0
        yield result


def run_one(found: Found, target: Target) -> Result:
    """The result of one vector on a target of its edition."""
    if found.sections and not shared(found.sections, target.sections):
        return Result(found=found, outcome="skipped", why=NOT_KEPT)
    verdict = judge_vector(found.vector, target) or _aliased(found.vector, target)
    outcome: Outcome = "passed" if verdict is None else "failed"
    return Result(found=found, outcome=outcome, verdict=verdict)


def _aliased(vector: Vector, target: Target) -> Verdict | None:
    if not isinstance(target, DirectTarget):
        return None
    return judge_law(
        "no-aliasing", vector.events, target, edition=vector.edition, chance=random.Random(0)
    )


def shared(sections: Iterable[str], kept: Collection[str]) -> bool:
    """Whether a target keeps one of these sections, or a part of one."""
    heads = {path.partition(".")[0] for path in kept}
    return not heads.isdisjoint(sections)


def shipped_as_found(edition: Edition) -> list[Found]:
    """The shipped vectors of an edition."""
    return [Found(vector=one.vector, sections=one.sections) for one in shipped(edition)]


def find(words: Iterable[str], edition: Edition | None) -> list[Found]:
    """The vectors of files, of all `*.json` in directories, and shipped ones by name.

    `edition` is that of shipped ones (the default if `None`), and the only one that is read where
    it is given. Raises `UsageError` for a file that holds no vector, or one of another edition.
    """
    found: list[Found] = []
    ships = {one.vector.name: one for one in shipped_as_found(edition or DRAFT)}
    for word in words:
        if word in ships and not Path(word).exists():
            found.append(ships[word])
            continue
        for path in _files(word, ships):
            vector = _read(path)
            if edition is not None and edition != vector.edition:
                raise UsageError(
                    f"--edition {edition.name}: {path} is a vector of {vector.edition.name}"
                )
            found.append(Found(vector=vector, file=path))
    return found


def _files(word: str, names: Collection[str]) -> list[str]:
    folder = Path(word)
    if not folder.exists() and word != "-":
        raise UsageError(f"{word}: no such file, and no shipped vector{nearest(word, list(names))}")
    if not folder.is_dir():
        return [word]
    found = sorted(str(one) for one in folder.glob("*.json") if one.name != INDEX)
    if not found:
        raise UsageError(f"{word}: no vectors in it; acpsim vectors export writes some")
    return found


def _read(path: str) -> Vector:
    with open_input(path) as stream:
        data = stream.read()
    try:
        return read_vector(data)
    except NotAVector as error:
        raise UsageError(f"{path}: {error}") from error
