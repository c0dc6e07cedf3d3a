"""From recorded conversations to a model whose delays are theirs.

Owns: which delays are read out of a trace (`DELAYS`), which distribution fits each best, and how
good that fit is. Candidates are compared by Schwarz's criterion at their maximum-likelihood
parameters; the goodness is the Kolmogorov-Smirnov distance between the fitted and the measured
distribution. Few or odd values are kept as they are (`empirical`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from acpsim.sim.distributions import Numbers, mean_s, shares
from acpsim.wire import methods, updates
from acpsim.wire.jsonrpc import Malformed, Response
from acpsim.wire.pairing import Pairing
from acpsim.wire.trace import Event

FIT_MIN: Final = 8
"""Values below which no distribution is fitted: any would do."""
SPREAD_MIN: Final = 1e-3
"""Relative spread below which values count as one constant."""
ALPHA_MIN: Final = 1.1
"""Exponent of a Pareto tail up to which no fit is believed: the mean hardly exists."""
MEAN_OFF_MAX: Final = 0.2
"""How far, as a share, a fitted mean may lie from the measured one: figures are to agree."""
DISTANCE_MAX: Final = 1.36
"""Kolmogorov-Smirnov distance times the root of the count from which on a fit is none (5 %)."""
KEPT_MAX: Final = 40
"""Values kept where nothing fits: means of equal shares of all."""
LEAST_S: Final = 1e-6
"""What a delay of nothing is fitted as: a trace's clock has no finer step."""

DELAYS: Final[dict[str, str]] = {
    "client.think": "from idle to the next prompt",
    "client.cancel_after": "from running to session/cancel",
    "client.permission_delay": "from a permission request to its answer",
    "agent.hook": "from a prompt to the first sign of its insertion: response or echo",
    "agent.response_delay": "from that sign to the response",
    "agent.echo_delay": "from that sign to the echo",
    "agent.first_token": "from running to the first reply or thought",
    "agent.chunk_gap": "between two chunks of one message",
    "agent.tool": "from a tool call's in_progress to its end",
    "agent.abort": "from session/cancel to the idle that confirms it",
}
"""Parameter of a model → what is measured for it in a trace."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One fitted delay: `distance` is the Kolmogorov-Smirnov distance, `count` the values."""

    spec: dict[str, Any]
    count: int
    mean_s: float
    distance: float


class Delays:
    """Reads the delays of one conversation after the other."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {name: [] for name in DELAYS}
        self._start()

    def _start(self) -> None:
        self._pairing = Pairing()
        self._asked: dict[Any, float] = {}
        self._prompts: dict[str, dict[Any, float | None]] = {}
        self._inserted: dict[tuple[str, str], tuple[str, float]] = {}
        self._last: dict[tuple[str, str, str], float] = {}
        self._since: dict[tuple[str, str], float] = {}
        self._state: dict[str, str] = {}

    def read(self, events: Iterable[Event]) -> None:
        """Take in one conversation, in its order and with its times."""
        self._start()
        for event in events:
            if event.dir == "lost":
                self._start()
            elif isinstance(event.message, methods.SessionUpdate):
                params = event.message.params
                self._update(params.session_id, params.update, event.t)
            elif isinstance(event.message, methods.Call):
                self._call(event, event.message)
            elif isinstance(event.message, Response):
                self._response(event, event.message)

    def _call(self, event: Event, call: methods.Call) -> None:
        assert event.dir != "lost"
        if isinstance(call, methods.Request):
            self._pairing.request(event.dir, call, event.line)  # type: ignore[arg-type]
            self._asked[event.dir, call.id] = event.t
        if isinstance(call, methods.PromptRequest):
            session = call.params.session_id
            # One that has to wait for other work says nothing of the hook.
            free = self._state.get(session, "idle") == "idle"
            self._prompts.setdefault(session, {})[call.id] = event.t if free else None
            idle = self._since.pop((session, "idle"), None)
            if idle is not None:
                self._note("client.think", event.t - idle)
        elif isinstance(call, methods.CancelSession):
            session = call.params.session_id
            self._since[session, "cancel"] = event.t
            began = self._since.pop((session, "work"), None)
            if began is not None:
                self._note("client.cancel_after", event.t - began)

    def _response(self, event: Event, response: Response) -> None:
        assert event.dir != "lost"
        opened = self._pairing.answer(event.dir, response)
        if opened is None or isinstance(opened.message, Malformed):
            return
        other = "c2a" if event.dir == "a2c" else "a2c"
        asked = self._asked.pop((other, response.id), event.t)
        result = response.result if isinstance(response.result, dict) else {}
        if isinstance(opened.message, methods.RequestPermissionRequest):
            outcome = result.get("outcome")
            if isinstance(outcome, dict) and outcome.get("outcome") == "selected":
                self._note("client.permission_delay", event.t - asked)
        elif isinstance(opened.message, methods.PromptRequest):
            session = opened.message.params.session_id
            if isinstance(result.get("messageId"), str):
                self._sign(session, result["messageId"], "agent.response_delay", event.t)
            self._prompts.get(session, {}).pop(response.id, None)

    def _sign(self, session: str, message: str, kind: str, now_s: float) -> None:
        """A response or an echo: the first of the two shows the insertion, the second its lag."""
        before = self._inserted.pop((session, message), None)
        if before is None:
            self._inserted[session, message] = (kind, now_s)
            prompts = self._prompts.get(session)
            sent_s = prompts.pop(next(iter(prompts))) if prompts else None
            if sent_s is not None:
                self._note("agent.hook", now_s - sent_s)
            return
        first, at_s = before
        if first != kind:
            self._note(first, 0.0)
            self._note(kind, now_s - at_s)

    def _update(self, session: str, update: Any, now_s: float) -> None:
        if isinstance(update, updates.StateUpdate):
            self._report(session, update, now_s)
        elif isinstance(update, updates.UserMessage | updates.UserMessageChunk):
            self._sign(session, update.message_id, "agent.echo_delay", now_s)
        elif isinstance(update, SPEECH):
            began = self._since.pop((session, "running"), None)
            if began is not None:
                self._note("agent.first_token", now_s - began)
            if isinstance(update, CHUNKS):
                key = (session, type(update).__name__, update.message_id)
                if key in self._last:
                    self._note("agent.chunk_gap", now_s - self._last[key])
                self._last[key] = now_s
        else:
            # Speech after a tool call says nothing of how long a first word takes.
            self._since.pop((session, "running"), None)
            if isinstance(update, updates.ToolCallUpdate):
                self._tool(session, update, now_s)

    def _tool(self, session: str, update: updates.ToolCallUpdate, now_s: float) -> None:
        key = (session, "tool", update.tool_call_id)
        if update.status == "in_progress":
            self._last.setdefault(key, now_s)
        elif update.status in {"completed", "failed"} and key in self._last:
            self._note("agent.tool", now_s - self._last.pop(key))

    def _report(self, session: str, update: updates.StateUpdate, now_s: float) -> None:
        before, self._state[session] = self._state.get(session, "idle"), update.state
        if update.state == "running" and before == "idle":
            self._since[session, "running"] = self._since[session, "work"] = now_s
        elif update.state == "idle" and before != "idle":
            self._since[session, "idle"] = now_s
            for began in ("running", "work"):
                self._since.pop((session, began), None)
            cancelled = self._since.pop((session, "cancel"), None)
            if cancelled is not None and update.stop_reason == "cancelled":
                self._note("agent.abort", now_s - cancelled)

    def _note(self, name: str, value_s: float) -> None:
        self.values[name].append(max(value_s, 0.0))


CHUNKS: Final = (updates.AgentMessageChunk, updates.AgentThoughtChunk)
SPEECH: Final = (*CHUNKS, updates.AgentMessage, updates.AgentThought)


def fit(values_s: Iterable[float]) -> Fit:
    """The distribution that fits best; there is at least one value."""
    values: Numbers = np.sort(np.asarray(list(values_s), dtype=np.float64))
    mean = float(values.mean())
    spread = float(values.std())
    if spread <= SPREAD_MIN * max(mean, LEAST_S):
        return Fit({"kind": "constant", "value_s": rounded(mean)}, len(values), mean, 0.0)
    if len(values) < FIT_MIN:
        return _empirical(values)
    positive: Numbers = np.maximum(values, LEAST_S)
    candidates = [make(positive) for make in CANDIDATES]
    best = min(candidates, key=lambda candidate: candidate.bic)
    distance = _distance(positive, best.cdf)
    spec = {"kind": best.kind, **{key: rounded(value) for key, value in best.parameters.items()}}
    off = abs(mean_s(spec) - mean) / mean
    if distance > DISTANCE_MAX / math.sqrt(len(values)) or off > MEAN_OFF_MAX:
        return _empirical(values)
    return Fit(spec, len(values), mean, distance)


def _empirical(values: Numbers) -> Fit:
    """The values themselves, or shares of many of them; the distance is between the two."""
    held = shares(values, KEPT_MAX)
    steps = np.searchsorted(held, values, side="right") / len(held)
    ranks = np.searchsorted(values, values, side="right") / len(values)
    distance = float(np.abs(steps - ranks).max()) if len(held) < len(values) else 0.0
    spec = {"kind": "empirical", "values_s": held}
    return Fit(spec, len(values), float(values.mean()), distance)


def rounded(value: float) -> float:
    """Six digits: more than a delay is ever known to."""
    return float(f"{value:.6g}")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A distribution at its maximum-likelihood parameters."""

    kind: str
    parameters: dict[str, float]
    bic: float
    cdf: Callable[[float], float]


def _exponential(x: Numbers) -> Candidate:
    mean = float(x.mean())
    likelihood = -len(x) * (math.log(mean) + 1.0)
    return Candidate(
        "exponential",
        {"mean_s": mean},
        math.log(len(x)) - 2 * likelihood,
        lambda v: 1 - math.exp(-v / mean),
    )


def _lognormal(x: Numbers) -> Candidate:
    logs = np.log(x)
    mu, sigma = float(logs.mean()), max(float(logs.std()), 1e-9)
    likelihood = -float(logs.sum()) - len(x) * (math.log(sigma * math.sqrt(2 * math.pi)) + 0.5)
    return Candidate(
        "lognormal",
        {"median_s": math.exp(mu), "sigma": sigma},
        2 * math.log(len(x)) - 2 * likelihood,
        lambda v: 0.5 * (1 + math.erf((math.log(v) - mu) / (sigma * math.sqrt(2)))),
    )


def _gamma(x: Numbers) -> Candidate:
    """The shape by Minka's approximation, which is within two per cent of the likeliest."""
    mean = float(x.mean())
    gap = max(math.log(mean) - float(np.log(x).mean()), 1e-12)
    shape = (3 - gap + math.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    scale = mean / shape
    likelihood = float(((shape - 1) * np.log(x) - x / scale).sum()) - len(x) * (
        shape * math.log(scale) + math.lgamma(shape)
    )
    return Candidate(
        "gamma",
        {"mean_s": mean, "shape": shape},
        2 * math.log(len(x)) - 2 * likelihood,
        lambda v: _lower_gamma(shape, v / scale),
    )


def _pareto(x: Numbers) -> Candidate:
    least = float(x[0])
    alpha = len(x) / max(float(np.log(x / least).sum()), 1e-12)
    logs = float(np.log(x).sum())
    likelihood = len(x) * (math.log(alpha) + alpha * math.log(least)) - (alpha + 1) * logs
    if alpha <= ALPHA_MIN:
        likelihood = -math.inf  # Its mean would be infinite, and no recording had one.
    return Candidate(
        "pareto",
        {"min_s": least, "alpha": alpha},
        2 * math.log(len(x)) - 2 * likelihood,
        lambda v: 1 - (least / v) ** alpha if v > least else 0.0,
    )


def _uniform(x: Numbers) -> Candidate:
    low, high = float(x[0]), float(x[-1])
    return Candidate(
        "uniform",
        {"min_s": low, "max_s": high},
        2 * math.log(len(x)) + 2 * len(x) * math.log(high - low),
        lambda v: (v - low) / (high - low),
    )


CANDIDATES: Final = (_exponential, _lognormal, _gamma, _pareto, _uniform)


def _distance(x: Numbers, cdf: Callable[[float], float]) -> float:
    """Kolmogorov-Smirnov, for sorted values."""
    n = len(x)
    fitted = [cdf(float(value)) for value in x]
    return max(max((at + 1) / n - f, f - at / n) for at, f in enumerate(fitted))


def _lower_gamma(a: float, x: float) -> float:
    """The regularised lower incomplete gamma function: by its series, or its tail's fraction."""
    if x <= 0:
        return 0.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1.0 / a
        for n in range(1, 500):
            term *= x / (a + n)
            total += term
            if term < total * 1e-14:
                break
        return min(front * total, 1.0)
    b = x + 1 - a
    c, d = 1e300, 1.0 / b
    h = d
    for n in range(1, 500):
        step = -n * (n - a)
        b += 2
        d = 1.0 / (step * d + b)
        c = b + step / c
        h *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return 1.0 - front * h
