"""What requests and their answers do: prompts, permissions, opening, closing, options.

Owns: two lifecycles and what responses carry.

```
prompt      pending ──success──▶ accepted      pending ──error──▶ rejected
            pending ──unreadable answer, or the connection lost──▶ uncertain
permission  pending ──an outcome──▶ answered   pending ──error, or lost──▶ withdrawn
```
`accepted`, `rejected`, `uncertain`, `answered` and `withdrawn` are final: no row leads on. A prompt
is tied to its message by the response's messageId alone (PROMPT-NO-INFERENCE); its answer creates
no timeline entry, since placement is the echo's, and does not move the foreground state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from acpsim.reducer.session import set_commands, set_options
from acpsim.reducer.state import Permission, Prompt, Session
from acpsim.wire import methods
from acpsim.wire.cells import ErrorObject, cell_field, kept_error
from acpsim.wire.jsonrpc import NOT_FOUND, Malformed, RequestId

ResultHandler: TypeAlias = Callable[[Session, RequestId, methods.Outcome], None]
"""`(session, the request's id, what its answer means)`."""
CallHandler: TypeAlias = Callable[[Session, Any], None]
"""`(session, message)` for a request or a notification that names the session."""


def prompt_sent(session: Session, message: methods.PromptRequest) -> None:
    """A submission is pending from the moment it is sent."""
    session.prompts.append(Prompt(message.id, "pending"))


def prompt_answered(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
    """The answer ties the submission to `(user_message, messageId)`, or rejects it."""
    if isinstance(outcome, methods.PromptResult):
        settle_prompt(session, Prompt(request, "accepted", message_id=outcome.message_id))
    elif isinstance(outcome, ErrorObject | dict):
        settle_prompt(session, Prompt(request, "rejected", error=kept_error(outcome)))
    else:
        settle_prompt(session, Prompt(request, "uncertain"))


def settle_prompt(session: Session, settled: Prompt) -> None:
    """Exchange the pending submission of that request, the latest one, for its end."""
    prompts = session.prompts
    for at in range(len(prompts) - 1, -1, -1):
        if prompts[at].request == settled.request and prompts[at].status == "pending":
            prompts[at] = settled
            return


def permission_asked(session: Session, message: methods.RequestPermissionRequest) -> None:
    """A request is pending until the client answers it."""
    session.permissions.append(Permission(message.id, "pending"))


def permission_answered(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
    """An outcome answers; an error leaves the request withdrawn. The state does not move."""
    if isinstance(outcome, methods.RequestPermissionResult):
        settled = Permission(request, "answered", outcome.outcome)
    else:
        settled = Permission(request, "withdrawn")
    permissions = session.permissions
    for at in range(len(permissions) - 1, -1, -1):
        if permissions[at].request == request and permissions[at].status == "pending":
            permissions[at] = settled
            return


def opened(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
    """A response that opens a session may carry its lists; absent, they change nothing."""
    if isinstance(outcome, methods.SessionResult):
        set_options(session, outcome.config_options)
        if session.edition.extras:
            set_commands(session, outcome.available_commands)


def resumed(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
    """A successful resume takes a close back; what the session held stays (RESUME-UPSERT)."""
    if isinstance(outcome, methods.SessionResult):
        session.closed = False
    opened(session, request, outcome)


def closed(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
    """Closed by a success, and where the edition says so by "not found"."""
    if isinstance(outcome, ErrorObject | dict):
        not_found = cell_field(outcome, "code") == NOT_FOUND
        session.closed |= not_found and session.edition.not_found_closes
    elif not isinstance(outcome, Malformed):
        session.closed = True


def options_set(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
    """The response carries the whole new list."""
    if isinstance(outcome, methods.SetConfigOptionResult):
        set_options(session, outcome.config_options)


def connection_lost(session: Session) -> None:
    """What was open will never be answered; the foreground state stays as last known."""
    for at, prompt in enumerate(session.prompts):
        if prompt.status == "pending":
            session.prompts[at] = Prompt(prompt.request, "uncertain")
    for at, permission in enumerate(session.permissions):
        if permission.status == "pending":
            session.permissions[at] = Permission(permission.request, "withdrawn")
    session.confirmed = False


CALLS: Final[dict[type, CallHandler]] = {
    methods.PromptRequest: prompt_sent,
    methods.RequestPermissionRequest: permission_asked,
}
"""What a request does when it is sent or received; other calls only name their session."""

RESULTS: Final[dict[type, ResultHandler]] = {
    methods.PromptRequest: prompt_answered,
    methods.RequestPermissionRequest: permission_answered,
    methods.NewSessionRequest: opened,
    methods.ForkSessionRequest: opened,
    methods.ResumeSessionRequest: resumed,
    methods.CloseSessionRequest: closed,
    methods.SetConfigOptionRequest: options_set,
}
"""What the answer to a request does; the answers of other requests change nothing."""
