"""An action at a moment of a run: the run is the same up to there, and always ends."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from acpsim.sim.model import load_model
from acpsim.sim.moments import ACTS, Moment, Reacted, never, run_with
from acpsim.wire.edition import DRAFT


def reacted(
    name: str, number: int, action: str, how: str = "", *, arriving: bool = False
) -> Reacted:
    moment = Moment(number=number, arriving=arriving, act=ACTS[action][how])
    return run_with(load_model(name), seed=0, edition=DRAFT, moment=moment, writers={})


def plain(name: str) -> Reacted:
    moment = Moment(number=0, arriving=False, act=never)
    return run_with(load_model(name), seed=0, edition=DRAFT, moment=moment, writers={})


@pytest.mark.parametrize("arriving", [False, True])
def test_up_to_the_moment_the_run_is_the_one_without_the_action(arriving: bool) -> None:
    base = plain("tiny-permission")

    for number in range(1, len(base.sent) + 1):
        found = reacted("tiny-permission", number, "cancel", arriving=arriving)
        assert found.sent == base.sent[:number]


def test_an_action_without_an_occasion_is_not_done() -> None:
    assert not reacted("tiny-echo", 1, "cancel").acted
    assert not reacted("tiny-echo", 8, "permission-answer", "allowed").acted


def test_an_action_that_is_sent_as_a_message_leaves_may_cross_it() -> None:
    base = plain("tiny-permission")
    asked = next(
        number for number, (_, raw) in enumerate(base.sent, start=1) if b"request_permission" in raw
    )

    at_once = reacted("tiny-permission", asked, "permission-answer", "allowed")
    once_seen = reacted("tiny-permission", asked, "permission-answer", "allowed", arriving=True)

    assert (at_once.acted, once_seen.acted) == (False, True)


@pytest.mark.parametrize("how", ACTS["lost-resume"])
def test_a_session_whose_opening_is_lost_with_the_connection_is_opened_again(how: str) -> None:
    model = load_model("plain-chat")
    gap = {"kind": "constant", "value_s": 0.5}
    model = replace(model, sessions=3, session_gap=gap)
    moment = Moment(number=0, arriving=False, act=never)
    base = run_with(model, seed=0, edition=DRAFT, moment=moment, writers={})
    second = [at for at, (_, raw) in enumerate(base.sent, start=1) if b'"session/new"' in raw][1]
    lines: list[bytes] = []

    moment = Moment(number=second, arriving=False, act=ACTS["lost-resume"][how])
    found = run_with(model, seed=0, edition=DRAFT, moment=moment, writers={"wire": lines.append})

    assert found.acted
    told = b"".join(lines)
    assert told.count(b'"method":"session/prompt"') >= 3 * model.client.prompts


def test_a_run_that_never_ends_is_cut_off() -> None:
    moment = Moment(number=0, arriving=False, act=never)

    found = run_with(
        load_model("plain-chat"), seed=0, edition=DRAFT, moment=moment, writers={}, end_s=2.0
    )

    assert found.end_s == 2.0
