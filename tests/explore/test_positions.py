"""Actions at every position: the reference is clean, and each fault shows where it has to."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace

from acpsim.errors import UsageError
from acpsim.explore.insertions import INSERTIONS, Place, variations
from acpsim.explore.positions import (
    BAD,
    Mark,
    Options,
    Oracle,
    Swept,
    as_trace,
    parse_positions,
    sweep,
)
from acpsim.explore.recorded_scene import RecordedScene
from acpsim.explore.simulated_scene import SimulatedScene
from acpsim.explore.sources import (
    Wanted,
    find_source,
    opened,
    ranges,
    shipped_recordings,
)
from acpsim.explore.standing import Recording
from acpsim.oracles.counterexample import read, replay
from acpsim.reducer import Reducer
from acpsim.rules.check import check
from acpsim.sim.model import Model, load_model, override, shipped_models
from acpsim.targets.address import open_target
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4, Edition
from acpsim.wire.trace import Event, Trace, event, lost, read_trace
from tests.helpers.shorthand import conversation

ALL = tuple(INSERTIONS)


def recorded(name: str, edition: Edition | None = None) -> Trace:
    found = find_source(f"recorded/{name}", edition=edition)
    assert isinstance(found, Trace)
    return found


def swept(
    events: list[Event],
    target: str = "reference",
    *actions: str,
    edition: Edition = DRAFT,
    options: Options | None = None,
) -> Swept:
    scene = RecordedScene(
        events,
        edition=edition,
        target=open_target(target, edition=edition),
        reference=open_target("reference", edition=edition),
    )
    return sweep(scene, options or Options(actions=actions or ALL))


def marks(found: Swept, action: str, oracle: Oracle = "target") -> str:
    return "".join(cell.mark.value for cell in found.strip(action, oracle))


def bad_at(found: Swept, action: str, oracle: Oracle = "target") -> list[int]:
    return [cell.position for cell in found.strip(action, oracle) if cell.mark in BAD]


WORK = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< tool_call_update t1 {"title": "A", "status": "in_progress"}
< agent_message m1 "text"
< tool_call_update t1 {"status": "completed"}
< idle end_turn
"""
"""4 the prompt, 5 its response, 6 its echo, 7 running, 8 to 10 the tool call, 11 idle."""

ASKED = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< tool_call_update t1 {"title": "A", "status": "pending"}
< tool_call_update t2 {"title": "B", "status": "pending"}
< #a1 permission t1 yes/no
< #a2 permission t2 yes/no
< requires_action
> #a2 selected no
> #a1 selected yes
< running
< tool_call_update t2 {"status": "failed"}
< tool_call_update t1 {"status": "in_progress"}
< tool_call_update t1 {"status": "completed"}
< idle end_turn
"""
"""Two questions, on lines 11 and 12, answered on lines 14 and 15."""


# ------------------------------------------------------------------------------ the reference


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=lambda edition: edition.name)
@pytest.mark.parametrize("name", shipped_recordings())
def test_the_reference_is_clean_at_every_position_of_every_recording(
    name: str, edition: Edition
) -> None:
    found = swept(recorded(name, edition).events, edition=edition)

    assert [(cell.action, cell.position, cell.how) for cell in found.bad] == []
    assert found.tried > 0


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=lambda edition: edition.name)
@pytest.mark.parametrize("name", shipped_recordings())
def test_what_is_written_for_the_agent_keeps_the_rules(name: str, edition: Edition) -> None:
    recording = Recording(recorded(name, edition).events, edition)
    known = {finding.rule for finding in check(recording.events, edition=edition).findings}
    broken = set()
    for at, sessions in enumerate(recording.open):
        for session in sessions:
            for action in ALL:
                for told in variations(Place(recording, at, session), action):
                    report = check(renumbered(told.events), edition=edition, complete=False)
                    broken |= {
                        (action, told.text, at, finding.rule)
                        for finding in report.findings
                        if finding.certainty == "definite" and finding.rule not in known
                    }

    assert broken == set()


def renumbered(events: tuple[Event, ...]) -> list[Event]:
    return [replace(told, line=number) for number, told in enumerate(events, start=1)]


LONG = {"overload": Options(actions=("cancel", "lost-resume"), only=(700,))}
"""What is tried of a model whose runs are long."""


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=lambda edition: edition.name)
@pytest.mark.parametrize("name", shipped_models())
def test_the_simulated_agent_keeps_the_rules_wherever_the_client_acts(
    name: str, edition: Edition
) -> None:
    most = 60 if name.startswith("tiny-") else 4
    scene = SimulatedScene(load_model(name), seed=0, edition=edition)

    found = sweep(scene, LONG.get(name, Options(actions=ALL, most=most)))

    assert [
        (cell.action, cell.position, cell.how, cell.findings[0].text) for cell in found.bad
    ] == []
    assert found.holds
    assert found.tried > 0


# ------------------------------------------------------------------------------ faults


@pytest.mark.parametrize(
    ("mutant", "action", "positions"),
    [
        ("cancel-marks-nothing", "cancel", [9, 10]),
        ("cancel-ends-work", "cancel", [8, 9, 10, 11]),
        ("finished-tools-cancelled", "cancel", [11]),
        ("tool-updates-ignored-after-cancel", "cancel", [9, 10]),
        ("close-settles-prompts", "close", [5]),
        ("close-forgets", "close", [5, 6, 7, 8, 9, 10, 11, 12]),
        ("closed-for-good", "close", [4, 5, 6, 7, 8, 9, 10, 11, 12]),
        ("updates-dropped-once-closed", "close", [4, 5, 6, 7, 8, 9, 10, 11, 12]),
        ("close-error-closes", "close", [4, 5, 6, 7, 8, 9, 10, 11, 12]),
        ("lost-prompt-pending", "lost-resume", [5]),
        ("lost-prompt-rejected", "lost-resume", [5]),
        ("lost-ends-work", "lost-resume", [8, 9, 10, 11]),
        ("lost-forgets", "lost-resume", [7, 8, 9, 10, 11, 12]),
        ("rejection-as-idle", "cancel-request", []),
    ],
)
def test_a_mutant_fails_where_its_fault_matters(
    mutant: str, action: str, positions: list[int]
) -> None:
    found = swept(conversation(WORK), f"mutant:{mutant}", action)

    assert bad_at(found, action) == positions


HOOK = """
setup
< running
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< idle end_turn
"""


def test_a_refused_prompt_is_no_end_of_the_work() -> None:
    found = swept(conversation(HOOK), "mutant:rejection-as-idle", "cancel-request")

    assert marks(found, "cancel-request") == "------F---"


@pytest.mark.parametrize(
    ("mutant", "action", "positions"),
    [
        ("permission-error-as-answered", "permission-answer", [11, 12, 13, 14]),
        ("permission-answer-as-running", "permission-answer", [12, 13]),
        ("one-answer-for-all", "permission-answer", [12, 13]),
        ("one-answer-for-all", "cancel", [12, 13]),
        ("cancel-settles-permissions", "cancel", [11, 12, 13, 14]),
        ("lost-permission-pending", "lost-resume", [11, 12, 13, 14]),
    ],
)
def test_a_mutant_about_permissions_fails_while_questions_are_open(
    mutant: str, action: str, positions: list[int]
) -> None:
    found = swept(conversation(ASKED), f"mutant:{mutant}", action)

    assert bad_at(found, action) == positions


def test_a_fault_names_the_rule_it_breaks() -> None:
    found = swept(conversation(WORK), "mutant:cancel-marks-nothing", "cancel")

    verdict = found.bad[0].verdict
    assert verdict is not None
    assert verdict.rules == ("CANCEL-MARK-TOOLS",)


def test_what_fails_without_the_action_too_is_no_fault_of_the_action() -> None:
    found = swept(recorded("cancel_tool").events, "mutant:cancel-marks-nothing", "lost-resume")

    assert found.verdict is not None
    assert not found.holds
    assert bad_at(found, "lost-resume") == []
    assert marks(found, "lost-resume")[13:] == "=" * 10


def test_a_target_that_raises_is_said_to_crash() -> None:
    events = conversation(WORK)

    found = swept(events, "tests.explore.test_positions:RaisesOnCancel", "cancel")

    assert marks(found, "cancel") == "----!!!!!!!!!"


class RaisesOnCancel:
    """A reducer that knows no cancel."""

    def __init__(self, edition: str) -> None:
        self._edition = EDITIONS[edition]
        self._reducer = Reducer(self._edition)

    def apply(self, told: JsonObject) -> None:
        message = told.get("msg")
        if message is None:
            self._reducer.apply(lost())
            return
        if message.get("method") == "session/cancel":
            raise RuntimeError("no cancel")
        self._reducer.apply(event(told["dir"], message, edition=self._edition))

    def snapshot(self, session_id: str) -> JsonObject | None:
        return self._reducer.snapshot(session_id)


# ------------------------------------------------------------------------------ the rules


def misbehaving(name: str, rule: str, edition: Edition = DRAFT) -> Swept:
    model: Model = override(load_model(name), "misbehave", [rule])
    return sweep(SimulatedScene(model, seed=0, edition=edition), Options(actions=ALL))


def test_an_agent_that_ignores_a_withdrawal_is_caught_where_it_had_an_occasion() -> None:
    found = misbehaving("tiny-cancel", "RPC-CANCEL-ANSWER")

    assert bad_at(found, "cancel-request", "rules") == [6]
    rules = {finding.rule for cell in found.bad for finding in cell.findings}
    assert "RPC-CANCEL-ANSWER" in rules


def test_an_agent_that_speaks_after_a_close_is_caught_at_every_close() -> None:
    found = misbehaving("tiny-echo", "CLOSE-SILENCE", SDK_2_4)

    tried = [cell for cell in found.strip("close", "rules") if cell.mark is not Mark.NOT_TRIED]
    assert tried != []
    assert {cell.mark for cell in tried} == {Mark.BREACH}
    assert bad_at(found, "cancel", "rules") == []


def test_a_client_that_answers_no_question_is_caught_without_any_action() -> None:
    found = misbehaving("tiny-permission", "CANCEL-PERMISSIONS-OPEN")

    assert not found.holds


def test_a_target_is_judged_on_what_the_client_saw_of_a_run() -> None:
    scene = SimulatedScene(
        load_model("tiny-echo"),
        seed=0,
        edition=DRAFT,
        target=open_target("mutant:cancel-ends-work", edition=DRAFT),
        reference=open_target("reference", edition=DRAFT),
    )

    found = sweep(scene, Options(actions=("cancel",)))

    assert bad_at(found, "cancel", "target") != []
    assert bad_at(found, "cancel", "rules") == []


def test_a_recorded_breach_is_not_told_again_at_every_position() -> None:
    with opened(Wanted(scenario="plain")) as (_, scene):
        plain = scene.messages
    late = [*plain, *conversation("< [sess_1] agent_message_chunk msg_agent_1 {}")]

    found = swept(late, "reference", "lost-resume")

    assert bad_at(found, "lost-resume", "rules") == []


# ------------------------------------------------------------------------------ positions


def test_an_action_without_an_occasion_is_not_tried() -> None:
    found = swept(conversation(WORK), "reference", "permission-answer", "cancel-request")

    assert marks(found, "permission-answer") == "-" * 13
    assert marks(found, "cancel-request") == "-----.-------"
    assert found.tried == 2


def test_nothing_is_sent_for_a_closed_session_until_it_is_resumed() -> None:
    closed = conversation("setup\n> #3 close\n< #3 ok {}\n> #4 resume\n< #4 ok {}")

    found = swept(closed, "reference", "cancel")

    assert marks(found, "cancel") == "----.---."


def test_every_position_is_tried_unless_there_are_too_many() -> None:
    assert Options(actions=ALL).positions(3) == (0, 1, 2, 3)
    assert Options(actions=ALL, most=3).positions(100) == (0, 50, 100)
    assert Options(actions=ALL, most=1).positions(100) == (0,)


def test_positions_that_are_named_are_the_only_ones() -> None:
    assert Options(actions=ALL, only=(7, 2, 2, 99)).positions(8) == (2, 7)


def test_positions_are_read_and_written_as_ranges() -> None:
    assert parse_positions("3,10-12") == (3, 10, 11, 12)
    assert ranges((3, 10, 11, 12)) == "3,10-12"


@pytest.mark.parametrize("text", ["", "x", "3-", "-3", "1,,2", "0-9999999", "²"])
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--at"):
        parse_positions(text)


def test_a_sweep_is_the_same_every_time() -> None:
    def told() -> list[tuple[str, int, str]]:
        found = swept(conversation(ASKED), "mutant:one-answer-for-all")
        return [(cell.mark.value, cell.position, cell.how) for cell in found.cells]

    assert told() == told()


def test_a_failing_conversation_is_written_so_that_it_can_be_replayed() -> None:
    found = swept(conversation(WORK), "mutant:closed-for-good", "close")
    data = as_trace(found.bad[0], edition=DRAFT, target="mutant:closed-for-good")

    example = read(io.BytesIO(data), "a.jsonl")
    target = open_target("mutant:closed-for-good", edition=DRAFT)
    assert replay(example, target, reference=open_target("reference", edition=DRAFT)) is not None


def test_a_run_that_breaks_a_rule_is_written_as_a_trace() -> None:
    found = misbehaving("tiny-cancel", "RPC-CANCEL-ANSWER")

    data = as_trace(found.bad[0], edition=DRAFT, target=None)

    trace = read_trace(data.splitlines(keepends=True))
    assert len(trace.events) == len(found.bad[0].events)
    assert trace.diagnostics == []


def test_a_conversation_with_nothing_open_has_no_occasion() -> None:
    found = swept([], "reference")

    assert found.tried == 0
    assert found.positions == (0,)
