"""Each law proven both ways: the small reducer keeps it, and one tiny mistake breaks it.

A law that cannot fail is no law, and one that a right reducer breaks is worse.
"""

from __future__ import annotations

import copy
import dataclasses
import random
from collections.abc import Callable

import pytest

from acpsim.oracles.laws import LAWS, Trial, count_occasions, try_law
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import updates
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import DRAFT, EDITIONS, Edition
from acpsim.wire.trace import Event
from tests.helpers.shorthand import conversation
from tests.helpers.small import Small, encoded


def tried(
    law: str, reducer: type[Small], events: list[Event], *, edition: Edition = DRAFT
) -> Trial:
    target = InProcessTarget(reducer, name=reducer.__name__, edition=edition)
    return try_law(law, events, target, edition=edition, chance=random.Random(5))


@dataclasses.dataclass(frozen=True, slots=True)
class Mistake:
    """A law, a reducer that breaks it, and the conversation in which it does."""

    law: str
    reducer: type[Small]
    talk: str


PLAIN = """
    setup
    > #1 prompt "hi"
    < #1 ok u1
    < user_message u1 "hi"
    < running
    < agent_message_chunk m1 "Hel"
    < agent_message_chunk m1 "lo"
    < idle end_turn
"""


class OnlyWholeBatches(Small):
    """Applies what is under way only when the next message does not come at once."""

    calls = 0

    def state(self, name: str, update: updates.StateUpdate) -> None:
        if self.calls % 2 == 0:
            super().state(name, update)

    def snapshot(self, session_id: str) -> Json:
        type(self).calls += 1
        return super().snapshot(session_id)


class EchoAfterResponseDropped(Small):
    def message(self, held: JsonObject, variant: str, update: updates.UserMessage) -> None:
        known = [prompt["messageId"] for prompt in held["prompts"]]
        if variant == "user_message" and update.message_id in known:
            return
        super().message(held, variant, update)


class TerminalNeedsTool(Small):
    """A terminal counts only once a tool call has been seen."""

    def terminal(self, held: JsonObject, update: updates.TerminalUpdate) -> None:
        if held["toolCalls"]:
            super().terminal(held, update)


class ChunkReplaces(Small):
    def append(self, entity: JsonObject, field: str, update: updates.AgentMessageChunk) -> None:
        entity[field] = []
        super().append(entity, field, update)


class ContentAdded(Small):
    def patch(self, entity: JsonObject, update: updates.Update, names: tuple[str, ...]) -> None:
        before = entity.get("content")
        super().patch(entity, update, names)
        if before and entity["content"] is not before:
            entity["content"] = before + entity["content"]


class EveryIdleCounts(Small):
    def state(self, name: str, update: updates.StateUpdate) -> None:
        front = self.held(name)["foreground"]
        repeated = front["state"] == "idle" == update.state
        super().state(name, update)
        front["completions"] += repeated


class NoticeEndsWork(Small):
    def update(self, name: str, update: updates.AnyUpdate, raw: JsonObject) -> None:
        super().update(name, update, raw)
        if isinstance(update, updates.Notice) and update.severity == "error":
            self.held(name)["foreground"]["state"] = "idle"


class OneSessionForAll(Small):
    """Takes the plans of any session for its own."""

    def plan(self, held: JsonObject, plan: JsonObject) -> None:
        for one in self.sessions.values():
            super().plan(one, plan)


class ReplayedChunksLost(Small):
    """Titles do not come back."""

    def request(self, direction: str, message: object, name: str | None) -> None:
        self.replaying = getattr(message, "method", "") == "session/resume"
        super().request(direction, message, name)

    def tool(self, name: str, update: updates.ToolCallUpdate) -> None:
        super().tool(name, update)
        if getattr(self, "replaying", False):
            self.held(name)["toolCalls"][update.tool_call_id]["title"] = None


class RaisesOnUnknown(Small):
    def update(self, name: str, update: updates.AnyUpdate, raw: JsonObject) -> None:
        if isinstance(update, updates.UnknownUpdate):
            raise KeyError(update.variant)
        super().update(name, update, raw)


class SpoiltClears(Small):
    """An unusable message makes it forget everything."""

    def apply(self, event: JsonObject) -> None:
        message = event.get("msg", {})
        params = message.get("params")
        usable = isinstance(params, dict) and isinstance(params.get("update"), dict)
        if message.get("method") == "session/update" and not usable:
            self.sessions.clear()
        super().apply(event)


class IdleForgetsTools(Small):
    def completed(self, front: JsonObject) -> None:
        super().completed(front)
        for held in self.sessions.values():
            held["toolCalls"] = {}


class HandsOutItsOwn(Small):
    def snapshot(self, session_id: str) -> Json:
        return self.sessions.get(session_id)


class KeepsTheMessage(Small):
    def update(self, name: str, update: updates.AnyUpdate, raw: JsonObject) -> None:
        super().update(name, update, raw)
        if isinstance(update, updates.Notice):
            self.held(name)["notices"][-1] = self.given["params"]["update"]

    def apply(self, event: JsonObject) -> None:
        self.given = event.get("msg", {})
        super().apply(event)


class SameTextOnce(Small):
    """Takes an equal text for the same message told twice."""

    def append(self, entity: JsonObject, field: str, update: updates.AgentMessageChunk) -> None:
        before = copy.copy(entity[field])
        super().append(entity, field, update)
        if before and before[-1] == entity[field][-1]:
            entity[field] = before


class OneKeyForAll(Small):
    """Entities by id alone: a thought and a reply of one id become one."""

    def place(self, held: JsonObject, kind: str, own: str) -> bool:
        if any(entry[1] == own and entry[0] != kind for entry in held["timeline"]):
            return False
        return super().place(held, kind, own)


class IdsSorted(Small):
    """Puts what is first seen in the order of ids."""

    def place(self, held: JsonObject, kind: str, own: str) -> bool:
        new = super().place(held, kind, own)
        held["timeline"].sort(key=lambda entry: entry[1])
        return new


class TerminalTextJoined(Small):
    """Joins the encoded texts."""

    def more_bytes(self, entity: JsonObject, data: bytes, text: str) -> None:
        entity["output"] += text


class ThreeBytesAtATime(Small):
    def more_bytes(self, entity: JsonObject, data: bytes, text: str) -> None:
        super().more_bytes(entity, data[: len(data) // 3 * 3], text)


MISTAKES = (
    Mistake("batch", OnlyWholeBatches, PLAIN),
    Mistake("response-order", EchoAfterResponseDropped, PLAIN),
    Mistake(
        "independence",
        TerminalNeedsTool,
        """
        setup
        < tool_call_update t1 {"title": "T"}
        < terminal_update T1 {"command": "ls"}
        """,
    ),
    Mistake("chunks", ChunkReplaces, PLAIN),
    Mistake(
        "chunks",
        ThreeBytesAtATime,
        f"""
        setup
        < terminal_output_chunk T1 {{"data": "{encoded(b"ab")}"}}
        < terminal_output_chunk T1 {{"data": "{encoded(b"cdefg")}"}}
        """,
    ),
    Mistake("absorb", ContentAdded, 'setup\n< agent_message m1 "a"'),
    Mistake("idempotence", EveryIdleCounts, PLAIN),
    Mistake("neutrality", NoticeEndsWork, PLAIN.replace("< idle end_turn", "")),
    Mistake(
        "isolation",
        OneSessionForAll,
        """
        setup
        setup s2
        < plan_update p1 {"entries": []}
        < [s2] agent_message m1 "a"
        """,
    ),
    Mistake("replay", ReplayedChunksLost, 'setup\n< tool_call_update t1 {"title": "T"}'),
    Mistake("never-raise", RaisesOnUnknown, 'setup\n< agent_message m1 "a"\n< running'),
    Mistake("never-raise", SpoiltClears, 'setup\n< agent_message m1 "a"\n< running'),
    Mistake("monotone", IdleForgetsTools, "setup\n< running\n< tool_call_update t1\n< idle"),
    Mistake("no-aliasing", HandsOutItsOwn, PLAIN),
    Mistake("no-aliasing", KeepsTheMessage, 'setup\n< notice {"severity": "info", "title": "N"}'),
    Mistake(
        "text-blind",
        SameTextOnce,
        'setup\n< agent_message_chunk m1 "no"\n< agent_message_chunk m1 "no"',
    ),
    Mistake(
        "name-blind",
        OneKeyForAll,
        'setup\n< agent_thought_chunk th1 "a"\n< agent_message_chunk m1 "b"',
    ),
    Mistake(
        "name-blind", IdsSorted, 'setup\n< agent_message m1 "a"\n< tool_call_update t1\n< running'
    ),
)


@pytest.mark.parametrize(
    "mistake", MISTAKES, ids=lambda mistake: f"{mistake.law}-{mistake.reducer.__name__}"
)
def test_the_law_catches_a_reducer_that_breaks_it(mistake: Mistake) -> None:
    trial = tried(mistake.law, mistake.reducer, conversation(mistake.talk))

    assert trial.verdict is not None
    assert trial.verdict.oracle in {f"law:{mistake.law}", "crash:raised"}


@pytest.mark.parametrize(
    "mistake", MISTAKES, ids=lambda mistake: f"{mistake.law}-{mistake.reducer.__name__}"
)
def test_the_same_occasions_pass_with_a_right_reducer(mistake: Mistake) -> None:
    trial = tried(mistake.law, Small, conversation(mistake.talk))

    assert trial.verdict is None
    assert trial.tried == trial.occasions > 0


def test_every_law_has_a_mistake_that_breaks_it() -> None:
    assert {mistake.law for mistake in MISTAKES} == set(LAWS)


def test_the_laws_are_the_fourteen_in_order() -> None:
    assert [law.number for law in LAWS.values()] == list(range(1, 15))


VACUOUS: dict[str, str] = {
    "response-order": 'setup\n< agent_message m1 "a"',
    "independence": 'setup\n< agent_message m1 "a"\n> #1 prompt "x"',
    "chunks": "setup\n< running",
    "absorb": "setup\n< running",
    "idempotence": 'setup\n< agent_message_chunk m1 "a"',
    "isolation": PLAIN,
    "replay": "setup",
    "monotone": "setup",
    "text-blind": "setup",
    "name-blind": "setup",
}


@pytest.mark.parametrize("law", VACUOUS)
def test_a_law_without_an_occasion_says_so(law: str) -> None:
    trial = tried(law, Small, conversation(VACUOUS[law]))

    assert (trial.occasions, trial.tried, trial.verdict) == (0, 0, None)


def test_no_aliasing_is_vacuous_for_another_program() -> None:
    class Elsewhere:
        name = "elsewhere"
        sections = ("timeline",)

        def reset(self) -> None: ...

        def apply(self, events: object) -> None: ...

        def snapshot(self, session_id: str) -> None: ...

        def close(self) -> None: ...

    trial = try_law(
        "no-aliasing",
        conversation(PLAIN),
        Elsewhere(),
        edition=DRAFT,
        chance=random.Random(0),
    )

    assert trial.occasions == 0


def test_at_most_the_given_number_of_occasions_is_tried() -> None:
    target = InProcessTarget(Small, name="small", edition=DRAFT)

    trial = try_law(
        "idempotence",
        conversation(PLAIN),
        target,
        edition=DRAFT,
        chance=random.Random(0),
        occasions_max=2,
    )

    assert trial.tried == 2
    assert trial.occasions == count_occasions("idempotence", conversation(PLAIN), edition=DRAFT)


def test_equal_chance_gives_an_equal_verdict() -> None:
    events = conversation(PLAIN)

    one, other = (tried("never-raise", RaisesOnUnknown, events).verdict for _ in range(2))

    assert one == other


def test_a_stretch_of_work_is_not_changed_where_a_cancel_follows() -> None:
    told = "setup\n< running\n< tool_call_update t1\n"

    assert count_occasions("independence", conversation(told), edition=DRAFT) == 1
    assert count_occasions("independence", conversation(told + "> cancel"), edition=DRAFT) == 0


def test_two_notices_are_not_exchanged() -> None:
    notice = '< notice {"severity": "info", "title": "%s"}\n'

    events = conversation("setup\n" + notice % "a" + notice % "b")

    assert count_occasions("independence", events, edition=DRAFT) == 0


def test_the_verdict_carries_the_conversation_that_fails_by_itself() -> None:
    events = conversation('setup\n< agent_message m1 "a"\n< running')
    verdict = tried("never-raise", SpoiltClears, events).verdict
    assert verdict is not None

    again = tried("never-raise", SpoiltClears, list(verdict.events)).verdict

    assert again is not None
    assert again.key == verdict.key


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS.values(), ids=EDITIONS)
@pytest.mark.parametrize("law", LAWS)
def test_the_reference_keeps_the_law_on_every_recorded_conversation(
    law: str, edition: Edition, recorded: Callable[[Edition], dict[str, list[Event]]]
) -> None:
    target = ReferenceTarget(edition)

    def broken_on(events: list[Event]) -> str | None:
        chance = random.Random(5)
        trial = try_law(law, events, target, edition=edition, chance=chance)
        return None if trial.verdict is None else trial.verdict.text

    broken = {
        name: text
        for name, events in recorded(edition).items()
        if (text := broken_on(events)) is not None
    }

    assert broken == {}
