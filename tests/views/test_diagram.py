"""A conversation as a picture: who sent what, what it left behind, what it crossed."""

from __future__ import annotations

import json
import re

from rich.cells import cell_len

from acpsim.rules.check import check
from acpsim.views.diagram import draw_text
from acpsim.views.mermaid import draw_mermaid
from acpsim.views.rows import rows
from acpsim.wire.edition import DRAFT
from acpsim.wire.event import Event
from acpsim.wire.trace import read_trace
from tests.helpers.shorthand import conversation

TALK = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< running
< idle end_turn
"""
TWO = TALK + 'setup s2\n> [s2] #3 prompt "there"\n'


def timed(*lines: tuple[str, float, float]) -> list[Event]:
    """Notifications of each direction, with the times at which they were sent and received."""
    texts = [
        json.dumps(
            {"dir": way, "t": sent, "sent": sent, "recv": received,
             "msg": {"jsonrpc": "2.0", "method": "_x", "params": {}}}
        ).encode()
        for way, sent, received in lines
    ]  # fmt: skip
    return read_trace(texts).events


def drawn(text: str, width: int = 100) -> list[str]:
    return list(draw_text(*rows(conversation(text)), width=width))


def test_there_is_a_line_for_each_message_and_one_above() -> None:
    assert len(drawn(TALK)) == 1 + len(conversation(TALK))


def test_the_arrow_points_to_whoever_receives() -> None:
    heads = ["▶" if "▶" in line else "◀" for line in drawn(TALK)[1:]]

    assert heads == ["▶" if event.dir == "c2a" else "◀" for event in conversation(TALK)]


def test_the_foreground_state_stands_where_it_changes_and_nowhere_else() -> None:
    beside = [line.rpartition("┤")[2].strip() for line in drawn(TALK)[1:] if "◀" in line]

    assert [state for state in beside if state] == ["running", "idle"]


def test_both_lifelines_stand_straight_whatever_a_text_is_written_in() -> None:
    lines = drawn('setup\n> #1 prompt "日本語のとても長いテキストですから切ります、ここで"\n')

    assert len({cell_len(line) for line in lines[1:]}) == 1


def test_one_session_is_not_named_in_every_line() -> None:
    assert not any("[s1]" in line for line in drawn(TALK))


def test_of_several_sessions_each_line_names_its_own() -> None:
    assert any("[s2] #3 session/prompt" in line for line in drawn(TWO))


def test_the_messages_of_another_session_are_left_out() -> None:
    kept, _ = rows(conversation(TWO), session="s1")

    assert {row.session for row in kept} == {"s1", ""}


def test_a_finding_stands_below_the_line_that_it_is_about() -> None:
    events = conversation(TALK.replace("< user_message u1", "< user_message u2"))
    findings = check(events, edition=DRAFT).findings

    lines = list(draw_text(*rows(events, findings)))

    at = next(n for n, line in enumerate(lines) if "✗ PROMPT-ECHO" in line)
    assert lines[at - 1].split()[0] == str(findings[0].line)


def test_a_lost_connection_is_drawn_across() -> None:
    assert "connection lost" in drawn(TALK + "lost\n")[-1]


def test_a_long_conversation_is_cut_and_says_so() -> None:
    kept, left_out = rows(conversation(TALK), most=3)

    assert (len(kept), left_out) == (3, len(conversation(TALK)) - 3)
    assert f"{left_out} more messages" in list(draw_text(kept, left_out))[-1]


def test_a_picture_of_mermaid_says_that_it_was_cut() -> None:
    assert "5 more messages" in list(draw_mermaid([], 5))[-1]


def test_messages_cross_where_each_was_sent_before_the_other_came() -> None:
    kept, _ = rows(timed(("c2a", 0.0, 1.0), ("a2c", 0.5, 1.5)))

    assert [row.crosses for row in kept] == [1, 1]


def test_an_answer_crosses_nothing() -> None:
    kept, _ = rows(timed(("c2a", 0.0, 1.0), ("a2c", 1.0, 2.0)))

    assert [row.crosses for row in kept] == [0, 0]


def test_messages_of_one_direction_cross_nothing() -> None:
    kept, _ = rows(timed(("a2c", 0.0, 1.0), ("a2c", 0.5, 1.5)))

    assert [row.crosses for row in kept] == [0, 0]


CROSSED = [("c2a", 0.0, 1.0), ("a2c", 0.5, 1.5), ("c2a", 2.0, 2.1)]


def crossed(width: int = 100) -> list[str]:
    kept, left_out = rows(timed(*CROSSED))
    return list(draw_text(kept, left_out, width=width))[1:]


def test_a_message_that_crossed_another_stands_where_it_was_sent_and_where_it_came() -> None:
    assert [line.split()[0] for line in crossed()] == ["1", "2", "1", "2", "3"]


def test_the_two_ends_of_a_message_are_joined_by_a_letter() -> None:
    ends = [re.findall("╴(.)|(.)╶", line) for line in crossed()]

    assert ends == [[("a", "")], [("", "b")], [("", "a")], [("b", "")], []]


def test_each_end_touches_the_line_of_whoever_is_there() -> None:
    edges = [(line[8], line.rstrip()[-1]) for line in crossed()[:4]]

    assert edges == [("├", "│"), ("│", "┤"), ("│", "▶"), ("◀", "│")]


def test_the_lifelines_stand_straight_where_messages_cross() -> None:
    assert len({cell_len(line) for line in crossed()}) == 1


def test_what_is_in_doubt_of_a_crossing_is_drawn_in_the_order_of_the_trace() -> None:
    """Without times of sending and receiving a message has one line, wherever its t stands."""
    events = [
        json.dumps({"dir": "c2a", "t": t, "msg": {"jsonrpc": "2.0", "method": "_x"}}).encode()
        for t in (5.0, 1.0, 3.0)
    ]
    kept, _ = rows(read_trace(events).events)

    assert [line.split()[0] for line in draw_text(kept, 0)][1:] == ["1", "2", "3"]


def test_a_long_finding_is_broken_at_the_width() -> None:
    events = conversation(TALK.replace("< user_message u1", "< user_message u2"))
    findings = check(events, edition=DRAFT).findings
    kept, left_out = rows(events, findings)

    assert max(map(cell_len, draw_text(kept, left_out, width=60))) <= 60


def test_a_terminal_without_drawn_lines_is_given_plain_ones() -> None:
    kept, left_out = rows(timed(*CROSSED), most=2)

    assert "".join(draw_text(kept, left_out, plain=True)).isascii()


def test_an_answer_has_a_broken_arrow_in_mermaid() -> None:
    kept, left_out = rows(conversation(TALK))

    drawn_ = list(draw_mermaid(kept, left_out))

    assert any(line.startswith("  A-->>C: ") and "ok u1" in line for line in drawn_)


def test_a_crossing_is_told_in_mermaid() -> None:
    kept, left_out = rows(timed(*CROSSED))

    assert sum("(crosses 1)" in line for line in draw_mermaid(kept, left_out)) == 2
