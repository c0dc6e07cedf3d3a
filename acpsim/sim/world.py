"""One run: the two parties, the two links between them, the tap, and all of its chance.

Owns: `World`, which puts the parts together and answers what they ask of each other: draws,
editions, whether the connection stands. It decides nothing.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Callable
from typing import Final

import simpy
from simpy.events import Timeout

from acpsim.sim.agent import Agent, Steps
from acpsim.sim.client import Client
from acpsim.sim.distributions import Draws, Spec, sampler
from acpsim.sim.endpoint import Endpoint
from acpsim.sim.link import Link
from acpsim.sim.measure import Measure
from acpsim.sim.misbehave import broke, changes
from acpsim.sim.model import LinkModel, Model
from acpsim.sim.queueing import Reconciler, Server
from acpsim.sim.rogue import Rogue
from acpsim.sim.streams import Streams
from acpsim.sim.subagents import Subagents
from acpsim.sim.tap import Tap
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Direction

_AGENT_DRAWS: Final = (
    "hook", "response_delay", "echo_delay", "first_token", "chunk_gap", "tool", "abort",
    "follow_up_delay",
)  # fmt: skip
_CLIENT_DRAWS: Final = ("think", "cancel_after", "withdraw_after", "permission_delay")


class AgentDraws:
    """The durations that one agent session draws, each from a stream of its own."""

    __slots__ = (*_AGENT_DRAWS, "duration")

    hook: Draws
    response_delay: Draws
    echo_delay: Draws
    first_token: Draws
    chunk_gap: Draws
    tool: Draws
    abort: Draws
    follow_up_delay: Draws
    duration: Draws


class ClientDraws:
    """The durations that one client session draws, each from a stream of its own."""

    __slots__ = _CLIENT_DRAWS

    think: Draws
    cancel_after: Draws
    withdraw_after: Draws
    permission_delay: Draws


class World:
    """Everything of one run. `measure` is told what happens; `tap` writes what travels."""

    def __init__(
        self,
        model: Model,
        *,
        edition: Edition,
        streams: Streams,
        tap: Tap,
        measure: Measure | None = None,
    ) -> None:
        self.env = simpy.Environment()
        self.model = model
        self.edition = edition
        self.streams = streams
        self.tap = tap
        self.measure = measure or Measure()
        self.measured = measure is not None
        self.connected = True
        self.cuttable = model.client.lose_connection > 0 or tap.waits
        """Whether the connection may break."""
        self.counts: Counter[str] = Counter()
        """How often each of the model's properties has happened; see `properties`."""
        self.retains = model.client.lose_connection > 0 or model.client.resume_after_close > 0
        """Whether agents keep conversations: only where they may be asked for them."""
        weights = model.agent.activities
        self._activities = list(weights)
        self._cumulated = list(itertools.accumulate(weights.values()))
        self.c2a = self._link("c2a", model.link.c2a)
        self.a2c = self._link("a2c", model.link.a2c)
        self.subagents = Subagents(self)
        self.client = Client(self, Endpoint(self.c2a, rogue=self._rogue("client")))
        self.agent = Agent(self, Endpoint(self.a2c, prefix="a", rogue=self._rogue("agent")))
        self.c2a.connect(self.agent.end.receive)
        if self._unattended():
            self.a2c.heard = self.client.heard()
        self.reconciler = self._reconciler()
        reader = self.client.end if self.reconciler is None else self.reconciler
        self.a2c.connect(reader.receive)

    def _unattended(self) -> bool:
        """Whether an update's arrival matters to the client alone."""
        noticed = self.measured or self.tap.waits or self.model.reconcile.service is not None
        return not (noticed or self.cuttable or self.model.misbehave)

    def _rogue(self, party: str) -> Rogue | None:
        found = changes(self.model.misbehave, party)
        for rule in found:
            self.counts[broke(rule)] = 0
        return Rogue(found, lambda rule: self.happened(broke(rule))) if found else None

    def _reconciler(self) -> Reconciler | None:
        """The client's queue, where it has one that somebody waits for or looks at."""
        model = self.model.reconcile
        if model.service is None or not (model.acts or self.measured):
            return None
        server = Server(self.sampler("reconcile", model.service), keep=self.measured)
        self.measure.reconciles(server)
        return Reconciler(self.env, server, self.client.end.receive, acts=model.acts)

    def happened(self, name: str) -> None:
        """Note that something of interest has happened."""
        self.counts[name] += 1

    def chance(self, name: str) -> Callable[[], float]:
        """A stream of numbers in [0, 1)."""
        return self.streams.chance(name)

    def sampler(self, name: str, spec: Spec) -> Draws:
        """Draws of a distribution from the stream called `name`."""
        if spec["kind"] == "constant":
            value = float(spec["value_s"])  # type: ignore[arg-type]
            return lambda: value
        return sampler(spec, self.streams.generator(name))

    def parameters(self, session_id: str) -> AgentDraws:
        """The draws of one agent session."""
        draws = AgentDraws()
        for name in _AGENT_DRAWS:
            spec = getattr(self.model.agent, name)
            setattr(draws, name, self.sampler(f"{session_id}.agent.{name}", spec))
        spec = self.model.background.duration
        draws.duration = self.sampler(f"{session_id}.background.duration", spec)
        return draws

    def client_parameters(self, number: int) -> ClientDraws:
        """The draws of one client session."""
        draws = ClientDraws()
        for name in _CLIENT_DRAWS:
            spec = getattr(self.model.client, name)
            setattr(draws, name, self.sampler(f"session.{number}.client.{name}", spec))
        return draws

    def pick_activity(self, chance: float) -> str:
        """The activity that a number in [0, 1) falls on, by the model's weights."""
        at = bisect.bisect_right(self._cumulated, chance * self._cumulated[-1])
        return self._activities[min(at, len(self._activities) - 1)]

    def ended_s(self) -> float:
        """When a run that was not cut off has ended: nothing happens and nothing is under way."""
        return float(max(self.env.now, self.c2a.arrival_max, self.a2c.arrival_max))

    def cut(self) -> None:
        """The connection breaks, now: what is in flight is lost and the agent hears of it."""
        self.connected = False
        self.c2a.cut()
        self.a2c.cut()
        self.tap.cut(self.env.now)
        if self.reconciler is not None:
            self.reconciler.drop()
        self.agent.disconnected()

    def reconnect(self) -> None:
        """A new connection stands."""
        self.connected = True

    def _link(self, direction: Direction, model: LinkModel) -> Link:
        name = f"link.{direction}"
        jitter = model.jitter
        link = Link(
            self.env,
            direction,
            latency=self.sampler(f"{name}.latency", model.latency),
            jitter=None if jitter is None else self.sampler(f"{name}.jitter", jitter),
            bandwidth_Bps=model.bandwidth_Bps,
            order=model.order,
            window_s=model.window_s,
            cuttable=self.cuttable,
            tap=self.tap,
            measure=self.measure if self.measured else None,
        )
        if model.stall_rate_hz > 0:
            self.env.process(self._stalls(link, name, model))
        return link

    def _stalls(self, link: Link, name: str, model: LinkModel) -> Steps:
        gap_spec = {"kind": "exponential", "mean_s": 1.0 / model.stall_rate_hz}
        gap = self.sampler(f"{name}.stall_gap", gap_spec)
        duration = self.sampler(f"{name}.stall", model.stall)
        while self.client.active:
            yield Timeout(self.env, gap())
            self.happened("stall")
            link.stall(duration())
