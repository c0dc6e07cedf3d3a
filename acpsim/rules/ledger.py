"""The facts that rules may ask for: what has been seen so far, and what is open.

Owns: `Ledger` (one connection after the other), which writes the records of `facts`; what updates
add is in `sightings`. It judges nothing. Facts are taken in *after* the rules have heard a message.
What is kept of closed things is their id and a number or two, so that memory follows what is open
and how many ids there are, not how much was said.
"""

from __future__ import annotations

from msgspec import UNSET

from acpsim.rules.facts import (
    FIRST,
    IDLE,
    OPENED,
    CancelFacts,
    PermissionFacts,
    PromptFacts,
    ResumeFacts,
    SessionFacts,
)
from acpsim.rules.sightings import TAKE
from acpsim.wire import methods, updates
from acpsim.wire.cells import ErrorObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import NOT_FOUND, REQUEST_CANCELLED, Malformed, RequestId
from acpsim.wire.pairing import Open, Pairing
from acpsim.wire.trace import Event, Observer


class Ledger:
    """The facts of the conversation so far."""

    def __init__(self, edition: Edition, observer: Observer) -> None:
        self.edition = edition
        self.observer = observer
        self.pairing = Pairing()
        self.sessions: dict[str, SessionFacts] = {}
        self.touched: list[SessionFacts] = []
        """Those that this connection has named: what a loss can change."""
        self.initialize_line = 0
        """Line of the response to `initialize` on this connection, or 0."""
        self.initialize_sent = 0
        self.from_start = False
        """Whether any connection's `initialize` was seen being sent. Until then the trace may have
        been cut from the middle of a conversation, and what it does not show may have been said."""
        self.capabilities: methods.PromptCapabilities | None = None
        """What the agent takes in prompts, once `initialize` is answered."""
        self.opening: dict[RequestId, int] = {}
        """Open `session/new` and `session/fork` requests → their lines."""
        self.undecided: dict[str, int] = {}
        """Sessions that the agent named while such a request was open, and that nothing opened so
        far → the line of the first message that did."""
        self.unparsed: dict[str, int] = {"c2a": 0, "a2c": 0}
        """How many lines of each direction could not be read, or may have been left out."""
        self.notified: dict[str, int] = {"c2a": 0, "a2c": 0}
        """How many notifications each direction has carried."""
        self.cancelling: dict[str, SessionFacts] = {}
        """Sessions with a `session/cancel` that the agent is not yet known to have read, by its
        line."""
        self.cancel_requests: dict[tuple[str, RequestId], int] = {}
        """(direction of the request, id) → line of the `$/cancel_request` naming it, if open."""

    def session(self, session_id: str, line: int) -> SessionFacts:
        """The facts of a session, which begin with the first message that names it."""
        facts = self.sessions.get(session_id)
        if facts is None:
            facts = self.sessions[session_id] = SessionFacts(session_id, line)
        if not facts.touched:
            self.touch(facts)
        return facts

    def touch(self, s: SessionFacts) -> None:
        """This connection has named the session."""
        s.touched = True
        self.touched.append(s)

    # ------------------------------------------------------------ taking in

    def take_update(self, s: SessionFacts, event: Event, update: updates.AnyUpdate) -> None:
        """Take in an update, after the rules have heard it."""
        take = TAKE.get(type(update))
        if take is not None:
            take(self, s, event, update)
        if not s.touched:
            self.touch(s)
        s.last_t = event.t
        s.last_line = event.line
        s.updates += 1

    def take_malformed(self, event: Event, message: Malformed) -> None:
        """Take in what cannot be used, after the rules have heard it; responses apart."""
        assert event.dir != "lost"
        if any(not flaw.path.startswith(("$.params", "$.result")) for flaw in message.flaws):
            self.unparsed[event.dir] += 1
        if message.kind == "request":
            self.from_start = self.from_start or message.method == "initialize"
            self.pairing.request(event.dir, message, event.line)
        elif message.kind == "notification":
            self.notified[event.dir] += 1

    def take_call(self, s: SessionFacts | None, event: Event, call: methods.Call) -> None:
        """Take in a request or notification that is no update, after the rules have heard it."""
        line = event.line
        if isinstance(call, methods.InitializeRequest):
            self.initialize_sent = line
            self.from_start = True
        elif isinstance(call, methods.NewSessionRequest | methods.ForkSessionRequest):
            self.opening[call.id] = line
        if s is None:
            return
        if event.dir == "a2c":
            s.last_t = event.t
            s.last_line = line
        if isinstance(call, methods.PromptRequest):
            s.prompts[call.id] = PromptFacts(call.id, line, event.t, call.params.prompt)
        elif isinstance(call, methods.CancelSession):
            self._take_cancel(s, line)
        elif isinstance(call, methods.CloseSessionRequest):
            s.closing = line
            s.closing_stretch = s.stretch if s.busy else 0
            for prompt in reversed(s.prompts.values()):
                if prompt.closed:
                    break
                prompt.closed = line
        elif isinstance(call, methods.ResumeSessionRequest):
            replay = call.params.replay_from
            s.resume = ResumeFacts(line, s, replay=replay is not UNSET and replay is not None)
            s.closed_line = 0
            s.confirmed = False
            if s.origin not in OPENED:
                s.origin = "resumed"
        elif isinstance(call, methods.RequestPermissionRequest):
            self._take_permission(s, event, call)

    def _take_cancel(self, s: SessionFacts, line: int) -> None:
        # What an earlier cancel covered stands before what it did not: oldest first.
        for prompt in reversed(s.prompts.values()):
            if prompt.stopped:
                break
            prompt.cancelled = prompt.cancelled or line
            prompt.stopped = line
        for permission in reversed(s.permissions.values()):
            if permission.after_cancel:
                break
            permission.after_cancel = line
        if s.cancel is None or not s.busy or s.cancel.stretch != s.stretch:
            # A second one for the same work asks for nothing new.
            s.cancel = CancelFacts(line, s.stretch if s.busy else 0)
            self.cancelling.pop(s.id, None)
            self.cancelling[s.id] = s

    def _take_permission(
        self, s: SessionFacts, event: Event, call: methods.RequestPermissionRequest
    ) -> None:
        subject = call.params.subject
        tool = None
        if isinstance(subject, methods.ToolCallSubject):
            tool = subject.tool_call.tool_call_id
            self.take_update(s, event, subject.tool_call)
        options = tuple(str(option.option_id) for option in call.params.options)
        _settle(s, call.id)
        facts = s.permissions[call.id] = PermissionFacts(event.line, tool, options)
        if tool is not None:
            s.asking.setdefault(tool, []).append(facts)
        if s.cancel is not None and not self.has_read(s.cancel):
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
        if self.cancelling and event.dir == "a2c":
            self._answers_later(opened, event.line)
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
                self.undecided.pop(created.id, None)
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
        if event.dir == "a2c":
            s.last_t = event.t
        if isinstance(request, methods.PromptRequest):
            self._take_prompt_answer(s, event, request.id, outcome)
        elif isinstance(request, methods.RequestPermissionRequest):
            _settle(s, request.id)
        elif isinstance(request, methods.CloseSessionRequest):
            s.closing = 0
            if not failed or self._counts_as_closed(outcome):
                s.closed_line = event.line
                s.open_here = False
                s.cancel = None
        elif isinstance(request, methods.ResumeSessionRequest):
            if failed and s.resume is not None:
                s.closed_line = s.resume.closed_line
                s.origin = s.resume.origin if s.origin == "resumed" else s.origin
            s.resume = None
            s.open_here = s.open_here or not failed
        elif isinstance(request, methods.DeleteSessionRequest) and not failed:
            s.confirmed = s.open_here = False

    def _take_prompt_answer(
        self, s: SessionFacts, event: Event, request: RequestId, outcome: methods.Outcome
    ) -> None:
        prompt = s.prompts.pop(request, None)
        if isinstance(outcome, methods.PromptResult):
            identity = outcome.message_id
            s.accepted.setdefault(identity, event.line)
            s.unclaimed.pop(identity, None)
            if identity not in s.echoed:
                s.owed_echoes.setdefault(identity, event.line)
        elif isinstance(outcome, ErrorObject) and prompt is not None:
            s.rejected.put(prompt.whole, prompt)
            s.rejected.put(FIRST + prompt.first, prompt)
            if outcome.code == REQUEST_CANCELLED and _for_the_cancel(s, prompt):
                self.shows_read(s, event.line)
        elif prompt is not None:
            s.doubt(prompt)
        if not s.prompts:
            s.unclaimed.clear()

    def _counts_as_closed(self, outcome: methods.Outcome) -> bool:
        unknown = isinstance(outcome, ErrorObject) and outcome.code == NOT_FOUND
        return self.edition.not_found_closes and unknown

    def _answers_later(self, opened: Open, line: int) -> None:
        """Requests arrive in order: who answers one has read the cancels that came before it."""
        while self.cancelling:
            s = next(iter(self.cancelling.values()))
            if s.cancel is None or s.cancel.read:
                del self.cancelling[s.id]
            elif s.cancel.line < opened.line:
                self.shows_read(s, line)
            else:
                break

    def shows_read(self, s: SessionFacts, line: int) -> None:
        """A message of the agent shows that it had read the session's cancel."""
        if s.cancel is not None and not s.cancel.read:
            s.cancel.read = line
            self.cancelling.pop(s.id, None)

    def has_read(self, cancel: CancelFacts) -> bool:
        """Whether the agent is known to have read a cancel by now."""
        return self.observer == "agent" or cancel.read > 0

    def lose(self) -> None:
        """The connection is gone: nothing is open any more; on the next one ids start anew."""
        self.pairing.lose()
        self.initialize_line = self.initialize_sent = 0
        self.capabilities = None
        self.opening.clear()
        self.undecided.clear()
        self.cancelling.clear()
        self.cancel_requests.clear()
        for s in self.touched:
            s.touched = False
            for prompt in s.prompts.values():
                s.doubt(prompt)
            s.prompts.clear()
            s.unclaimed.clear()
            s.permissions.clear()
            s.asking.clear()
            s.owed_echoes.clear()
            s.cancel = s.resume = None
            s.closing = s.closed_line = 0
            s.confirmed = s.open_here = False
            if s.origin in {"created", "resumed"}:
                s.origin = "lapsed"
            if s.busy:
                s.interrupted = True
                s.state = IDLE
                s.ended_stretch = 0
        self.touched.clear()

    def session_of(self, opened: Open) -> SessionFacts | None:
        """The session that an open request named."""
        params = getattr(opened.message, "params", None)
        named = getattr(params, "session_id", None)
        return self.sessions.get(named) if isinstance(named, str) else None


def _settle(s: SessionFacts, request: RequestId) -> None:
    """A permission request is open no longer, if it was: answered, or its id used again."""
    facts = s.permissions.pop(request, None)
    if facts is not None and facts.tool is not None:
        others = [other for other in s.asking[facts.tool] if other is not facts]
        s.asking[facts.tool] = others
        if not others:
            del s.asking[facts.tool]


def _sender(direction: str) -> str:
    """The direction in which the request of a response travelled."""
    return "c2a" if direction == "a2c" else "a2c"


def _for_the_cancel(s: SessionFacts, prompt: PromptFacts) -> bool:
    """Whether nothing but the session's open cancel can be why a prompt was cancelled."""
    if s.cancel is None or prompt.stopped < s.cancel.line or prompt.cancelled < prompt.stopped:
        return False
    return not 0 < prompt.closed < prompt.stopped


def _prompt_capabilities(result: methods.InitializeResult) -> methods.PromptCapabilities:
    session = result.capabilities.session if result.capabilities is not UNSET else UNSET
    if session is UNSET or session is None or session.prompt is UNSET or session.prompt is None:
        return methods.PromptCapabilities()
    return session.prompt
