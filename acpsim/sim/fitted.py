"""A model file from recorded conversations: their delays, and the shape of what happens in them.

Owns: `Shape`, how often what happens (a delay that never occurs would be fitted in vain), and
`model_text`, the file, made to be read and changed.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from acpsim.sim.distributions import Spec
from acpsim.sim.fit import DELAYS, Fit
from acpsim.sim.written import toml
from acpsim.wire import methods, updates
from acpsim.wire.jsonrpc import Malformed, Response
from acpsim.wire.pairing import Pairing
from acpsim.wire.trace import Event

SOURCES_MAX: Final = 4
"""Recordings that are named in the file."""
SESSIONS_MAX: Final = 50
"""Sessions of the model, at most: as many as were recorded, but a model is to be quick."""

_ENTITIES: Final[dict[type, tuple[str, str]]] = {
    updates.AgentMessage: ("message", "message_id"),
    updates.AgentMessageChunk: ("message", "message_id"),
    updates.AgentThought: ("thought", "message_id"),
    updates.AgentThoughtChunk: ("thought", "message_id"),
    updates.ToolCallUpdate: ("tool", "tool_call_id"),
    updates.TerminalUpdate: ("terminal", "terminal_id"),
    updates.CompactionUpdate: ("compaction", "compaction_id"),
}
"""What is reported again and again under one id counts once."""
_EACH: Final[dict[type, str]] = {
    updates.UsageUpdate: "usage",
    updates.Notice: "notice",
    updates.SessionInfoUpdate: "info",
    updates.ConfigOptionUpdate: "config",
}
_CHUNKS: Final = (updates.AgentMessageChunk, updates.AgentThoughtChunk)


class Shape:
    """Counts what happens in conversations, one after the other."""

    def __init__(self) -> None:
        self.sessions = 0
        self.prompts = 0
        self.cancels = 0
        self.steps: list[int] = []
        """Activities of each stretch of work that nobody cut short."""
        self.activities: Counter[str] = Counter()
        self.spoken = 0
        """Messages and thoughts."""
        self.chunks: Counter[tuple[int, str, str]] = Counter()
        """Message or thought that came in chunks → how many."""
        self.asked: set[tuple[int, str, str]] = set()
        """Tool calls that needed a permission."""
        self.answers: Counter[str] = Counter()
        self._traces = 0

    def read(self, events: Iterable[Event]) -> None:
        """Take in one conversation."""
        self._traces += 1
        self._seen: set[tuple[str, str, str]] = set()
        self._going: dict[str, int] = {}
        """Session that works → what it has done so far."""
        pairing = Pairing()
        for event in events:
            message = event.message
            if event.dir == "lost":
                pairing.lose()
            elif isinstance(message, methods.SessionUpdate):
                self._update(message.params.session_id, message.params.update)
            elif isinstance(message, methods.Call):
                if isinstance(message, methods.Request):
                    pairing.request(event.dir, message, event.line)
                self._call(message)
            elif isinstance(message, Response):
                opened = pairing.answer(event.dir, message)
                if opened is not None and not isinstance(opened.message, Malformed):
                    self._answered(opened.message, message)

    def _call(self, call: methods.Call) -> None:
        if isinstance(call, methods.NewSessionRequest):
            self.sessions += 1
        elif isinstance(call, methods.PromptRequest):
            self.prompts += 1
        elif isinstance(call, methods.CancelSession):
            self.cancels += call.params.session_id in self._going
        elif isinstance(call, methods.RequestPermissionRequest):
            subject = call.params.subject
            if isinstance(subject, methods.ToolCallSubject):
                session, tool = call.params.session_id, subject.tool_call.tool_call_id
                self._count("tool", session, tool)
                self.asked.add((self._traces, session, tool))
            else:
                self._did("permission", call.params.session_id)

    def _answered(self, request: Any, response: Response) -> None:
        if not isinstance(request, methods.RequestPermissionRequest):
            return
        result = response.result if isinstance(response.result, dict) else {}
        outcome = result.get("outcome")
        chosen = outcome.get("optionId") if isinstance(outcome, dict) else None
        kinds = {option.option_id: option.kind for option in request.params.options}
        if isinstance(chosen, str) and chosen in kinds:
            self.answers["allow" if kinds[chosen].startswith("allow") else "refuse"] += 1

    def _update(self, session: str, update: Any) -> None:
        if isinstance(update, updates.StateUpdate):
            if update.state != "idle":
                self._going.setdefault(session, 0)
            elif session in self._going:
                done = self._going.pop(session)
                if update.stop_reason not in {"cancelled", "error"}:
                    self.steps.append(done)
        elif isinstance(update, updates.PlanUpdate):
            self._count("plan", session, str(getattr(update.plan, "plan_id", "")))
        elif type(update) in _ENTITIES:
            kind, name = _ENTITIES[type(update)]
            self._count(kind, session, getattr(update, name))
            if isinstance(update, _CHUNKS):
                self.chunks[self._traces, session, f"{kind} {update.message_id}"] += 1
        elif type(update) in _EACH:
            self._did(_EACH[type(update)], session)

    def _count(self, kind: str, session: str, identity: str) -> None:
        if (kind, session, identity) not in self._seen:
            self._seen.add((kind, session, identity))
            self._did(kind, session)
            self.spoken += kind in {"message", "thought"}

    def _did(self, kind: str, session: str) -> None:
        self.activities[kind] += 1
        if session in self._going:
            self._going[session] += 1

    # ------------------------------------------------------------ as a model says it

    def client(self) -> dict[str, object]:
        """The parameters of the table `client`."""
        found: dict[str, object] = {"prompts": max(round(self.prompts / max(self.sessions, 1)), 1)}
        if self.cancels:
            found["cancel"] = _share(self.cancels, self.prompts)
            found["cancel_when"] = "running"
        if self.answers:
            found["permission_allow"] = _share(self.answers["allow"], self.answers.total())
        return found

    def agent(self) -> dict[str, object]:
        """The parameters of the table `agent`."""
        found: dict[str, object] = {}
        if self.activities:
            found["steps"] = _most(self.steps or [1], least=0)
            found["activities"] = dict(self.activities.most_common())
        if self.activities["tool"]:
            found["tool_asks"] = _share(len(self.asked), self.activities["tool"])
        if self.spoken:
            found["whole_messages"] = _share(self.spoken - len(self.chunks), self.spoken)
        if self.chunks:
            found["chunks"] = _most(list(self.chunks.values()), least=1)
        return found


def _share(part: int, whole: int) -> float:
    return round(min(part / max(whole, 1), 1.0), 3)


def _most(counts: Sequence[int], *, least: int) -> list[int]:
    """The range that four of five counts lie in."""
    low, high = np.percentile(counts, (10, 90))
    return [max(math.floor(low), least), max(math.ceil(high), least)]


def model_text(fits: Mapping[str, Fit], shape: Shape, *, sources: Sequence[str]) -> str:
    """A model file: what happens as often as it did, after the delays that were fitted to it.

    The links take no time: a recording's delays have its network in them.
    """
    named = ", ".join(sources[:SOURCES_MAX])
    left = len(sources) - SOURCES_MAX
    more = f" and {left} more" if left > 0 else ""
    lines = [
        *_comment(f"Fitted to {len(sources)} recorded conversation{'s'[: len(sources) != 1]}: "
                  f"{named}{more}."),
        *_comment("Delays are as they were at the observer, the network's share in them: the "
                  "links take no time. What would change on another network, or with another "
                  "user?"),
        'text = "fitted to recorded conversations"',
        f"sessions = {min(max(shape.sessions, 1), SESSIONS_MAX)}",
    ]  # fmt: skip
    for table, held in (("client", shape.client()), ("agent", shape.agent())):
        lines += ["", f"[{table}]", *(f"{key} = {toml(value)}" for key, value in held.items())]
        for key, fit in fits.items():
            if key.startswith(f"{table}."):
                lines += ["", *_comment(f"{DELAYS[key]}: {goodness(fit)}")]
                lines += _assigned(key.partition(".")[2], fit.spec)
    for direction in ("c2a", "a2c"):
        lines += ["", f"[link.{direction}]", 'latency = { kind = "constant", value_s = 0.0 }']
    return "\n".join(lines) + "\n"


def goodness(fit: Fit) -> str:
    """How much a fit is worth, in words."""
    kind = fit.spec["kind"]
    measured = f"{fit.count} value{'s'[: fit.count != 1]}, mean {fit.mean_s:.4g} s"
    if kind == "constant":
        return f"{measured}, all alike"
    if kind == "empirical":
        held = len(fit.spec["values_s"])
        kept = "kept as they are" if held == fit.count else f"kept as {held} shares of equal size"
        return f"{measured}, {kept}"
    return f"{measured}, {kind} at a Kolmogorov-Smirnov distance of {fit.distance:.3f}"


def _comment(text: str) -> list[str]:
    return textwrap.wrap(
        text, 96, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )


def _assigned(key: str, spec: Spec) -> list[str]:
    """`key = { … }`, on several lines where there are many values."""
    values = spec.get("values_s")
    if not isinstance(values, list) or len(values) < 8:
        inner = ", ".join(f"{name} = {toml(value)}" for name, value in spec.items())
        return [f"{key} = {{ {inner} }}"]
    wrapped = textwrap.wrap(", ".join(map(toml, values)), 92, break_on_hyphens=False)
    return [
        f'{key} = {{ kind = "empirical", values_s = [',
        *(f"    {line}" for line in wrapped),
        "] }",
    ]
