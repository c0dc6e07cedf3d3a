"""A fault saved, loaded and judged again; vectors judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from acpsim.errors import UsageError
from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.counterexample import (
    Counterexample,
    counterexample,
    judge_vector,
    load,
    replay,
    save,
)
from acpsim.oracles.verdict import Verdict
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import updates
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT, SDK_2_4
from acpsim.wire.vector import Vector
from tests.helpers.shorthand import conversation
from tests.helpers.small import Small


class ChunkReplaces(Small):
    def append(self, entity: JsonObject, field: str, update: updates.AgentMessageChunk) -> None:
        entity[field] = []
        super().append(entity, field, update)


class Raises(Small):
    def tool(self, name: str, update: updates.ToolCallUpdate) -> None:
        raise KeyError(update.tool_call_id)


TALK = """
    setup
    < agent_message_chunk m1 "a"
    < agent_message_chunk m1 "b"
    lost
    < tool_call_update t1
"""
REFERENCE = ReferenceTarget(DRAFT)


def target(reducer: type[Small]) -> InProcessTarget:
    return InProcessTarget(reducer, name=reducer.__name__, edition=DRAFT)


def found(reducer: type[Small] = ChunkReplaces) -> Verdict:
    verdict = judge_agreement(conversation(TALK), target(reducer), reference=REFERENCE)
    assert verdict is not None
    return verdict


def saved(tmp_path: Path, example: Counterexample) -> str:
    path = tmp_path / "fault.jsonl"
    save(path, example)
    return str(path)


def changed(path: str, **fields: Any) -> str:
    """The file with other fields in what its header says of the fault; `UNSET` takes one out."""
    head, *rest = Path(path).read_text().splitlines()
    header = json.loads(head)
    header["counterexample"] |= fields
    Path(path).write_text("\n".join([json.dumps(header), *rest]) + "\n")
    return path


def test_what_is_saved_is_loaded_again(tmp_path: Path) -> None:
    example = counterexample(
        found(), edition=DRAFT, seed=7, minimal=True, inversions=((4, 6),), target="mutant:x"
    )

    again = load(saved(tmp_path, example))

    assert again.objection == example.objection
    assert again.edition == example.edition
    assert [(e.dir, e.raw) for e in again.events] == [(e.dir, e.raw) for e in example.events]


def test_the_file_is_a_trace(tmp_path: Path) -> None:
    path = saved(tmp_path, counterexample(found(), edition=DRAFT))

    head, *lines = [json.loads(line) for line in Path(path).read_text().splitlines()]

    assert (head["acpsim"], head["edition"], head["complete"]) == ("trace/1", "draft", True)
    assert [line["dir"] for line in lines].count("lost") == 1
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)


def test_what_is_absent_is_not_null(tmp_path: Path) -> None:
    verdict = found()
    assert verdict.difference is not None
    absent = replace(verdict, difference=replace(verdict.difference, actual=UNSET, expected=None))

    again = load(saved(tmp_path, counterexample(absent, edition=DRAFT)))

    assert again.objection.actual is UNSET
    assert again.objection.expected is None


def test_it_fails_again_on_the_target_and_holds_on_another(tmp_path: Path) -> None:
    example = load(saved(tmp_path, counterexample(found(), edition=DRAFT)))

    again = replay(example, target(ChunkReplaces), reference=REFERENCE)

    assert again is not None
    assert again.key == found().key
    assert replay(example, target(Small), reference=REFERENCE) is None


def test_a_crash_is_replayed(tmp_path: Path) -> None:
    example = load(saved(tmp_path, counterexample(found(Raises), edition=DRAFT)))

    again = replay(example, target(Raises), reference=REFERENCE)

    assert example.objection.oracle == "crash:raised"
    assert again is not None
    assert again.oracle == "crash:raised"


def test_a_law_is_replayed_with_its_seed(tmp_path: Path) -> None:
    verdict = Verdict(oracle="law:chunks", text="", events=tuple(conversation(TALK)))
    example = load(saved(tmp_path, counterexample(verdict, edition=DRAFT, seed=3)))

    again = replay(example, target(ChunkReplaces), reference=REFERENCE)

    assert again is not None
    assert again.oracle == "law:chunks"
    assert replay(example, target(Small), reference=REFERENCE) is None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"oracle": "law:gravity"}, "no oracle 'law:gravity'"),
        ({"oracle": "__import__('os')"}, "no oracle"),
        ({"oracle": 7}, "cannot be read"),
        ({"seed": "x"}, "cannot be read"),
        ({"rules": "all"}, "cannot be read"),
        ({"minimal": None}, "cannot be read"),
    ],
)
def test_a_header_that_says_something_else_is_refused(
    tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    path = changed(saved(tmp_path, counterexample(found(), edition=DRAFT)), **fields)

    with pytest.raises(UsageError, match=said):
        load(path)


def test_the_target_in_a_file_is_a_text_and_never_opened(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    path = changed(
        saved(tmp_path, counterexample(found(), edition=DRAFT)), target=f"cmd:touch {mark}"
    )

    example = load(path)
    replay(example, target(Small), reference=REFERENCE)

    assert example.objection.target == f"cmd:touch {mark}"
    assert not mark.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no counterexample"),
        ('{"acpsim":"trace/1","edition":"draft"}\n', "no counterexample"),
        ('{"acpsim":"trace/1","counterexample":{"oracle":"agreement"}}\n', "known edition"),
        (
            '{"acpsim":"trace/1","edition":"v9","counterexample":{"oracle":"agreement"}}\n',
            "known edition",
        ),
        (
            '{"acpsim":"trace/1","edition":"draft","counterexample":{"oracle":"agreement"}}\n',
            "without messages",
        ),
        (
            '{"acpsim":"trace/1","edition":"draft","counterexample":{"oracle":"agreement"}}\nx\n',
            "fault.jsonl:2: ",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(
    tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "fault.jsonl"
    path.write_text(content)

    with pytest.raises(UsageError, match=said) as refused:
        load(str(path))

    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load(str(tmp_path / "none.jsonl"))


def vector(**snapshots: JsonObject | None) -> Vector:
    return Vector(
        name="chunks",
        edition=DRAFT,
        rules=("CHUNK-APPEND",),
        events=tuple(conversation(TALK)),
        snapshots=dict(snapshots),
    )


def right() -> JsonObject:
    REFERENCE.reset()
    REFERENCE.apply(conversation(TALK))
    held = REFERENCE.snapshot("s1")
    assert held is not None
    return held


def test_a_target_that_holds_what_the_vector_says_passes() -> None:
    assert judge_vector(vector(s1=right(), s9=None), target(Small)) is None


def test_a_target_that_holds_something_else_fails_the_vector() -> None:
    verdict = judge_vector(vector(s1=right()), target(ChunkReplaces))

    assert verdict is not None
    assert verdict.rules == ("CHUNK-APPEND",)
    assert verdict.difference is not None
    assert verdict.difference.path.startswith("$.messages.agent_message.m1.content")


def test_sections_that_a_vector_leaves_out_are_not_compared() -> None:
    only = {"timeline": right()["timeline"]}

    assert judge_vector(vector(s1=only), target(ChunkReplaces)) is None


def test_a_target_that_crashes_fails_the_vector() -> None:
    verdict = judge_vector(vector(s1=right()), target(Raises))

    assert verdict is not None
    assert verdict.oracle == "crash:raised"


def test_an_edition_is_kept(tmp_path: Path) -> None:
    verdict = Verdict(oracle="agreement", text="", events=tuple(conversation(TALK)))

    assert load(saved(tmp_path, counterexample(verdict, edition=SDK_2_4))).edition == SDK_2_4
