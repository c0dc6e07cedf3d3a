"""When what was sent arrives: the three orders, bandwidth, stalls, loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
import simpy

from acpsim.sim.link import Link
from acpsim.sim.tap import Tap


class Wire:
    """A link whose delays are given one by one, and what arrived on it."""

    def __init__(self, delays_s: Iterable[float], **options: Any) -> None:
        self.env = simpy.Environment()
        self.lines: list[bytes] = []
        self.tap = Tap({"wire": self.lines.append, "client": self.lines.append}, {})
        draws = iter(delays_s)
        self.link = Link(self.env, "a2c", latency=lambda: next(draws), tap=self.tap, **options)
        self.arrived: list[tuple[str, float]] = []
        self.link.connect(lambda message: self.arrived.append((message["name"], self.env.now)))

    def send(self, name: str, *, lane: str | None = "x", session: str = "s", **more: Any) -> None:
        message = {"name": name, **more}
        self.link.send(message, b'{"n":"%b"}' % name.encode(), session=session, lane=lane)

    def names(self) -> str:
        self.env.run()
        return "".join(name for name, _ in self.arrived)


def test_fifo_lets_nothing_overtake() -> None:
    wire = Wire([3.0, 1.0, 2.0])
    for name in "abc":
        wire.send(name)

    assert wire.names() == "abc"
    assert wire.link.overtakings == 0


def test_streams_let_responses_and_the_rest_overtake_each_other_and_nothing_else() -> None:
    wire = Wire([3.0, 1.0, 2.0, 0.5], order="streams")
    wire.send("a", method="session/update")
    wire.send("r", id=1)
    wire.send("b", method="session/update")
    wire.send("q", id=2)

    assert wire.names() == "rqab"


def test_any_keeps_the_order_of_one_lane() -> None:
    wire = Wire([3.0, 1.0, 2.0], order="any", window_s=10.0)
    wire.send("a", lane="m1")
    wire.send("b", lane="m2")
    wire.send("c", lane="m1")

    assert wire.names() == "bac"


def test_any_lets_nothing_of_a_session_pass_a_message_without_lane() -> None:
    wire = Wire([3.0, 1.0, 0.5], order="any", window_s=10.0)
    wire.send("a", lane="m1")
    wire.send("S", lane=None)
    wire.send("b", lane="m2")

    assert wire.names() == "aSb"


def test_any_lets_sessions_pass_each_other_all_the_same() -> None:
    wire = Wire([3.0, 1.0], order="any", window_s=10.0)
    wire.send("S", lane=None, session="one")
    wire.send("T", lane=None, session="two")

    assert wire.names() == "TS"


def test_any_overtakes_by_no_more_than_its_window() -> None:
    wire = Wire([3.0, 1.0], order="any", window_s=0.5)
    wire.send("a", lane="m1")
    wire.send("b", lane="m2")
    wire.env.run()

    assert wire.arrived == [("b", 2.5), ("a", 3.0)]


def test_bandwidth_makes_a_queue() -> None:
    wire = Wire([0.0, 0.0], bandwidth_Bps=9.0)
    wire.send("a")
    wire.send("b")
    wire.env.run()

    assert [name for name, _ in wire.arrived] == ["a", "b"]
    assert [at_s for _, at_s in wire.arrived] == pytest.approx([1.0, 2.0])


def test_what_is_sent_during_a_stall_departs_at_its_end() -> None:
    wire = Wire([1.0])
    wire.link.stall(4.0)
    wire.send("a")
    wire.env.run()

    assert wire.arrived == [("a", 5.0)]


def test_what_is_in_flight_is_lost_when_the_connection_is_cut() -> None:
    wire = Wire([1.0, 1.0])
    wire.send("a")
    wire.link.cut()
    wire.tap.cut(wire.env.now)
    wire.send("b")

    assert wire.names() == "b"


def test_a_lost_message_has_no_time_of_arrival_and_only_what_it_passed_saw_it() -> None:
    wire = Wire([1.0])
    wire.send("a")
    wire.link.cut()
    wire.tap.cut(0.0)
    wire.tap.finish(2.0)

    assert [b'"dir":"lost"' in line for line in wire.lines[2:]] == [True, True]
