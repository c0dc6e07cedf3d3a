"""The facts that rules may ask for: what has been seen so far, and what is open.

Owns: `Ledger` (one connection after the other), which writes the records of `facts`. It judges
nothing. Facts are taken in *after* the rules have heard a message. What is kept of closed things is
their id and a number or two, so that memory follows what is open and how many ids there are, not
how much was said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from acpsim.rules.facts import (
    IDLE,
    REJECTED_MAX,
    STARTED,
    STATES,
    CancelFacts,
    PermissionFacts,
    PromptFacts,
    ResumeFacts,
    SessionFacts,
    ToolFacts,
    UserFacts,
    digest,
)
from acpsim.wire import methods, updates
from acpsim.wire.cells import ErrorObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import REQUEST_CANCELLED, RequestId
from acpsim.wire.pairing import Open, Pairing
from acpsim.wire.trace import Event, Observer


class Ledger:
    """The facts of the conversation so far."""

    def __init__(self, edition: Edition, observer: Observer) -> None:
        self.edition = edition
        self.observer = observer
        self.pairing = Pairing()
        self.sessions: dict[str, SessionFacts] = {}
        self.initialize_line = 0
        """Line of the response to `initialize` on this connection, or 0."""
        self.initialize_sent = 0
        self.capabilities: methods.PromptCapabilities | None = None
        """What the agent takes in prompts, once `initialize` is answered."""
        self.opening: dict[RequestId, int] = {}
        """Open `session/new` and `session/fork` requests → their lines."""
        self.unparsed: dict[str, int] = {"c2a": 0, "a2c": 0}
        """How many lines of each direction could not be read."""
        self.cancel_requests: dict[tuple[str, RequestId], int] = {}
        """(direction of the request, id) → line of the `$/cancel_request` naming it, if open."""

    def session(self, session_id: str, line: int) -> SessionFacts:
        """The facts of a session, which begin with the first message that names it."""
        facts = self.sessions.get(session_id)
        if facts is None:
            facts = self.sessions[session_id] = SessionFacts(session_id, line)
        return facts

    # ------------------------------------------------------------ taking in

    def take_update(self, s: SessionFacts, event: Event, update: updates.AnyUpdate) -> None:
        """Take in an update, after the rules have heard it."""
        take = _TAKE.get(type(update))
        if take is not None:
            take(self, s, event, update)
        s.last_t = event.t
        s.last_line = event.line
        s.updates += 1

    def take_call(self, s: SessionFacts | None, event: Event, call: methods.Call) -> None:
        """Take in a request or notification that is no update, after the rules have heard it."""
        line = event.line
        if isinstance(call, methods.InitializeRequest):
            self.initialize_sent = line
        elif isinstance(call, methods.NewSessionRequest | methods.ForkSessionRequest):
            self.opening[call.id] = line
        if s is None:
            return
        s.last_t = event.t
        if event.dir == "a2c":
            s.last_line = line
        if isinstance(call, methods.PromptRequest):
            s.prompts[call.id] = PromptFacts(call.id, line, event.t, call.params.prompt)
        elif isinstance(call, methods.CancelSession):
            s.cancel = CancelFacts(line, s.stretch if s.busy else 0)
            for prompt in s.prompts.values():
                prompt.cancelled = prompt.cancelled or line
            for permission in s.permissions.values():
                permission.after_cancel = permission.after_cancel or line
        elif isinstance(call, methods.CloseSessionRequest):
            s.closing = line
            for prompt in s.prompts.values():
                prompt.closed = prompt.closed or line
        elif isinstance(call, methods.ResumeSessionRequest):
            replay = call.params.replay_from
            asked = replay is not UNSET and replay is not None
            s.resume = ResumeFacts(line, replay=asked, open_before=s.open_here)
            s.closed_line = 0
            s.confirmed = False
            if s.origin == "unknown":
                s.origin = "resumed"
        elif isinstance(call, methods.RequestPermissionRequest):
            self._take_permission(s, event, call)

    def _take_permission(
        self, s: SessionFacts, event: Event, call: methods.RequestPermissionRequest
    ) -> None:
        subject = call.params.subject
        tool = None
        if isinstance(subject, methods.ToolCallSubject):
            tool = subject.tool_call.tool_call_id
            self.take_update(s, event, subject.tool_call)
        options = tuple(str(option.option_id) for option in call.params.options)
        facts = s.permissions[call.id] = PermissionFacts(event.line, tool, options)
        if s.cancel is not None:
            facts.after_cancel = s.cancel.line

    def take_cancel_request(self, event: Event, call: methods.CancelRequest) -> SessionFacts | None:
        """Take in `$/cancel_request`, sent by the side whose request it names."""
        request = call.params.request_id
        opened = self.pairing.open(event.dir).get(request)  # type: ignore[arg-type]
        if opened is None:
            return None
        self.cancel_requests[event.dir, request] = event.line
        s = self.session_of(opened)
        if s is None:
            return None
        if event.dir == "c2a" and request in s.prompts:
            s.prompts[request].cancelled = s.prompts[request].cancelled or event.line
        if event.dir == "a2c" and request in s.permissions:
            s.permissions[request].cancel_requested = True
            self.shows_read(s, event.line)
        return s

    def take_answer(
        self, s: SessionFacts | None, event: Event, opened: Open, outcome: methods.Outcome
    ) -> None:
        """Take in a response, after the rules have heard it."""
        request = opened.message
        identity = request.id
        assert isinstance(identity, int | str)
        self.cancel_requests.pop((_sender(event.dir), identity), None)
        if isinstance(request, methods.InitializeRequest):
            if isinstance(outcome, methods.InitializeResult):
                self.initialize_line = event.line
                self.capabilities = _prompt_capabilities(outcome)
        elif isinstance(request, methods.NewSessionRequest | methods.ForkSessionRequest):
            self.opening.pop(identity, None)
            if isinstance(outcome, methods.NewSessionResult):
                created = self.session(outcome.session_id, event.line)
                created.origin = "created"
                created.open_here = True
        elif isinstance(request, methods.ListSessionsRequest):
            if isinstance(outcome, methods.ListSessionsResult):
                for listed in outcome.sessions:
                    facts = self.session(listed.session_id, event.line)
                    facts.origin = "listed" if facts.origin == "unknown" else facts.origin
        elif s is not None:
            self._take_session_answer(s, event, request, outcome)

    def _take_session_answer(
        self, s: SessionFacts, event: Event, request: object, outcome: methods.Outcome
    ) -> None:
        failed = isinstance(outcome, ErrorObject)
        if isinstance(request, methods.PromptRequest):
            prompt = s.prompts.pop(request.id, None)
            if isinstance(outcome, methods.PromptResult):
                identity = outcome.message_id
                s.accepted.setdefault(identity, event.line)
                s.unclaimed.pop(identity, None)
                if identity not in s.echoed:
                    s.owed_echoes.setdefault(identity, event.line)
            elif failed and prompt is not None:
                s.rejected.append(prompt)
                del s.rejected[:-REJECTED_MAX]
                if isinstance(outcome, ErrorObject) and outcome.code == REQUEST_CANCELLED:
                    self.shows_read(s, event.line)
        elif isinstance(request, methods.RequestPermissionRequest):
            s.permissions.pop(request.id, None)
        elif isinstance(request, methods.CloseSessionRequest):
            s.closing = 0
            if not failed:
                s.closed_line = event.line
                s.open_here = False
                s.cancel = None
        elif isinstance(request, methods.ResumeSessionRequest):
            s.resume = None
            s.open_here = s.open_here or not failed
        elif isinstance(request, methods.DeleteSessionRequest) and not failed:
            s.confirmed = s.open_here = False

    def shows_read(self, s: SessionFacts, line: int) -> None:
        """A message of the agent shows that it had read the session's cancel."""
        if s.cancel is not None and not s.cancel.read:
            s.cancel.read = line

    def lose(self) -> None:
        """The connection is gone: nothing is open any more; on the next one ids start anew."""
        self.pairing.lose()
        self.initialize_line = self.initialize_sent = 0
        self.opening.clear()
        self.cancel_requests.clear()
        for s in self.sessions.values():
            s.prompts.clear()
            s.permissions.clear()
            s.owed_echoes.clear()
            s.cancel = s.resume = None
            s.closing = 0
            s.confirmed = s.open_here = False
            if s.busy:
                s.state = IDLE
                s.ended_stretch = 0

    def session_of(self, opened: Open) -> SessionFacts | None:
        """The session that an open request named."""
        params = getattr(opened.message, "params", None)
        named = getattr(params, "session_id", None)
        return self.sessions.get(named) if isinstance(named, str) else None


def _sender(direction: str) -> str:
    """The direction in which the request of a response travelled."""
    return "c2a" if direction == "a2c" else "a2c"


def _prompt_capabilities(result: methods.InitializeResult) -> methods.PromptCapabilities:
    session = result.capabilities.session if result.capabilities is not UNSET else UNSET
    if session is UNSET or session is None or session.prompt is UNSET or session.prompt is None:
        return methods.PromptCapabilities()
    return session.prompt


def _take_state(ledger: Ledger, s: SessionFacts, event: Event, update: updates.StateUpdate) -> None:
    if s.resume is not None:
        s.resume.state = event.line
    if ledger.edition.reports_background:
        listed = update.background
        s.background = tuple(listed) if listed is not UNSET and listed is not None else None
    state = update.state
    s.confirmed = state in STATES
    if state == "unknown":
        return
    s.state_line = event.line
    if state == IDLE:
        if s.busy:
            s.ended_stretch = s.stretch
            reason = update.stop_reason
            s.stop_reason = None if reason is UNSET else reason
            if s.cancel is not None and s.cancel.stretch:
                s.cancel = None
            for user in s.unclaimed.values():
                if user.line < s.stretch_line:
                    user.worked = user.worked or event.line
    elif not s.busy:
        s.stretch += 1
        s.stretch_line = event.line
        s.ended_stretch = 0
        if s.cancel is not None and not s.cancel.stretch:
            s.cancel = None
    s.state = state


def _history(s: SessionFacts, event: Event) -> None:
    if s.resume is not None:
        s.resume.history = event.line


def _take_user(ledger: Ledger, s: SessionFacts, event: Event, update: updates.UserMessage) -> None:
    _history(s, event)
    if s.resume is not None:
        s.resume.replayed.add(update.message_id)
    content = update.content
    if content is UNSET or content is None or update.message_id in s.echoed:
        return
    _echo(s, event, update.message_id, digest(content), whole=True)


def _take_user_chunk(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.UserMessageChunk
) -> None:
    _history(s, event)
    if s.resume is not None:
        s.resume.replayed.add(update.message_id)
    if update.message_id not in s.echoed:
        _echo(s, event, update.message_id, digest(update.content), whole=False)


def _echo(s: SessionFacts, event: Event, identity: str, content: bytes, *, whole: bool) -> None:
    s.echoed[identity] = event.line
    s.owed_echoes.pop(identity, None)
    if identity not in s.accepted:
        s.unclaimed[identity] = UserFacts(event.line, content, whole=whole, replayed=s.replaying)
    if not s.replaying:
        s.live.setdefault(content, identity)


def _take_agent(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.AgentMessage
) -> None:
    if s.resume is not None:
        s.resume.history = event.line
    key = ("agent_message", update.message_id)
    if key not in s.messages:
        s.messages[key] = s.stretch if s.state != IDLE else 0


def _take_thought(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.AgentThought
) -> None:
    if s.resume is not None:
        s.resume.history = event.line
    key = ("agent_thought", update.message_id)
    if key not in s.messages:
        s.messages[key] = s.stretch if s.state != IDLE else 0


def _take_tool(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.ToolCallUpdate
) -> None:
    _history(s, event)
    facts = s.tools.get(update.tool_call_id)
    if facts is None:
        stretch = s.stretch if s.state != IDLE else 0
        facts = s.tools[update.tool_call_id] = ToolFacts(event.line, stretch)
    if type(event.message) is methods.SessionUpdate or isinstance(update.title, str):
        facts.title_due = False
    status = update.status
    if status is not UNSET:
        facts.status = status if status is not None else "pending"
        if status in STARTED and not facts.started:
            facts.started = event.line


def _take_tool_chunk(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.ToolCallContentChunk
) -> None:
    _history(s, event)
    if update.tool_call_id not in s.tools:
        stretch = s.stretch if s.state != IDLE else 0
        s.tools[update.tool_call_id] = ToolFacts(event.line, stretch)


def _take_history(ledger: Ledger, s: SessionFacts, event: Event, update: updates.Update) -> None:
    _history(s, event)


def _take_subagent(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.SubagentUpdate
) -> None:
    child = ledger.session(update.session_id, event.line)
    if child.origin in {"unknown", "listed"}:
        child.origin = "announced"
    if not child.announced_line:
        child.announced_line = event.line
        child.open_here = True
        child.parent = s.id


_TAKE: Final[dict[type, Callable[[Ledger, SessionFacts, Event, Any], None]]] = {
    updates.StateUpdate: _take_state,
    updates.UserMessage: _take_user,
    updates.UserMessageChunk: _take_user_chunk,
    updates.AgentMessage: _take_agent,
    updates.AgentMessageChunk: _take_agent,
    updates.AgentThought: _take_thought,
    updates.AgentThoughtChunk: _take_thought,
    updates.ToolCallUpdate: _take_tool,
    updates.ToolCallContentChunk: _take_tool_chunk,
    updates.CompactionUpdate: _take_history,
    updates.SessionMessage: _take_history,
    updates.SubagentUpdate: _take_subagent,
}
