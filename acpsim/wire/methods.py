"""The methods: one struct for the parameters and the result of each, one for each message.

Owns: `METHODS`, the table of what each side may ask of the other. A message struct is tagged by its
method, so that one strict decoding yields a typed message; results are typed once the request
that they answer is known (`parse.read_result`).
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    TypeAlias,
    get_args,
)

from msgspec import UNSET, Meta, Struct, UnsetType, field

from acpsim.wire.cells import (
    AnyJson,
    AnyObject,
    ContentBlock,
    DateTime,
    ErrorObject,
    JsonObject,
    Meta_,
    Uri,
)
from acpsim.wire.choices import AnyOption, AnyOutcome, Command, PermissionOption
from acpsim.wire.jsonrpc import (
    Direction,
    Malformed,
    OtherNotification,
    OtherRequest,
    RequestId,
    Response,
)
from acpsim.wire.marks import (
    ALL_OR_NOTHING,
    COSTS_ALL,
    EMPTY_INSTEAD,
    as_object,
    beside,
    defined_by,
    filled_unless,
)
from acpsim.wire.servers import AnyServer, SystemPrompt
from acpsim.wire.updates import AnyUpdate, KnownUpdate, ToolCallUpdate

if TYPE_CHECKING:
    _Decoded: TypeAlias = AnyUpdate
else:
    # An unknown update has no tag by which it could be decoded: `tolerant` puts it in its place.
    _Decoded = KnownUpdate


class Params(
    Struct, frozen=True, gc=False, rename="camel", forbid_unknown_fields=True, kw_only=True
):
    """Base of parameters and results. Unknown fields are ignored, the tolerant way."""

    meta: Meta_ = field(name="_meta", default=UNSET)


class Implementation(Params, frozen=True, kw_only=True):
    name: str
    version: str
    title: str | None | UnsetType = UNSET


class PromptCapabilities(Params, frozen=True, kw_only=True):
    """Present and not null means supported."""

    image: AnyObject | None | UnsetType = UNSET
    audio: AnyObject | None | UnsetType = UNSET
    embedded_context: AnyObject | None | UnsetType = UNSET


class SessionCapabilities(Params, frozen=True, kw_only=True):
    prompt: PromptCapabilities | None | UnsetType = UNSET


class AgentCapabilities(Params, frozen=True, kw_only=True):
    session: SessionCapabilities | None | UnsetType = UNSET


class InitializeParams(Params, frozen=True, kw_only=True):
    protocol_version: Annotated[int, Meta(ge=0, le=65535)]
    info: Implementation
    capabilities: AnyObject | UnsetType = UNSET


class InitializeResult(Params, frozen=True, kw_only=True):
    protocol_version: Annotated[int, Meta(ge=0, le=65535)]
    info: Implementation
    capabilities: AgentCapabilities | UnsetType = UNSET


class OpeningParams(Params, frozen=True, kw_only=True):
    """What the requests that open a session have in common; a malformed part costs the request."""

    cwd: str
    mcp_servers: Annotated[list[AnyServer], ALL_OR_NOTHING, COSTS_ALL] | None | UnsetType = UNSET
    additional_directories: Annotated[list[str], ALL_OR_NOTHING, COSTS_ALL] | None | UnsetType = (
        UNSET
    )
    system_prompt: Annotated[SystemPrompt, COSTS_ALL] | None | UnsetType = UNSET


class NewSessionParams(OpeningParams, frozen=True, kw_only=True):
    """Opens a session that the agent names."""


class SessionResult(Params, frozen=True, kw_only=True):
    """What the responses that (re)open a session may carry; absent lists change nothing."""

    config_options: list[AnyOption] | UnsetType = UNSET
    available_commands: Annotated[list[Command], defined_by("extras")] | UnsetType = UNSET


class NewSessionResult(SessionResult, frozen=True, kw_only=True):
    """The result of `session/new` and of `session/fork`."""

    session_id: str


class ReplayFrom(Params, frozen=True, kw_only=True):
    """From where a conversation is replayed; only `start` is standard."""

    type: str
    meta: Annotated[AnyObject, beside(type=("start",))] | None | UnsetType = field(
        name="_meta", default=UNSET
    )


class ResumeSessionParams(OpeningParams, frozen=True, kw_only=True):
    session_id: str
    replay_from: Annotated[ReplayFrom, COSTS_ALL] | None | UnsetType = UNSET


class SessionParams(Params, frozen=True, kw_only=True):
    """Parameters that name a session and nothing else that we look at."""

    session_id: str


class ListSessionsParams(Params, frozen=True, kw_only=True):
    cwd: Annotated[str, COSTS_ALL] | None | UnsetType = UNSET
    cursor: Annotated[str, COSTS_ALL] | None | UnsetType = UNSET
    archived: Annotated[str, COSTS_ALL] | None | UnsetType = UNSET


class ListedSession(Params, frozen=True, kw_only=True):
    session_id: str
    cwd: str
    additional_directories: Annotated[list[str], ALL_OR_NOTHING, COSTS_ALL] | None | UnsetType = (
        UNSET
    )
    title: str | None | UnsetType = UNSET
    updated_at: DateTime | None | UnsetType = UNSET
    archived: bool | None | UnsetType = UNSET


class ListSessionsResult(Params, frozen=True, kw_only=True):
    sessions: Annotated[list[ListedSession], EMPTY_INSTEAD]
    next_cursor: Annotated[str, COSTS_ALL] | None | UnsetType = UNSET


class ForkSessionParams(OpeningParams, frozen=True, kw_only=True):
    session_id: str


class PromptParams(Params, frozen=True, kw_only=True):
    session_id: str
    prompt: Annotated[list[ContentBlock], ALL_OR_NOTHING, filled_unless("prompt_may_be_empty")]


class PromptResult(Params, frozen=True, kw_only=True):
    message_id: str


class SetConfigOptionParams(Params, frozen=True, kw_only=True):
    session_id: str
    config_id: str
    value: AnyJson
    type: str

    def __post_init__(self) -> None:
        if self.type == "id" and not isinstance(self.value, str):
            raise ValueError("the value of type id is a string")
        if self.type == "boolean" and not isinstance(self.value, bool):
            raise ValueError("the value of type boolean is true or false")


class SetConfigOptionResult(Params, frozen=True, kw_only=True):
    config_options: list[AnyOption]


class ToolCallSubject(Params, frozen=True, kw_only=True, tag_field="type", tag="tool_call"):
    """The tool call is an update like any other, applied when the request is received."""

    tool_call: ToolCallUpdate


class CommandSubject(Params, frozen=True, kw_only=True, tag_field="type", tag="command"):
    command: str
    cwd: str
    terminal_id: str | None | UnsetType = UNSET
    tool_call_id: str | None | UnsetType = UNSET


class RequestPermissionParams(Params, frozen=True, kw_only=True):
    """`subject` is a plain JSON object where its type is not known."""

    session_id: str
    title: str
    options: Annotated[list[PermissionOption], Meta(min_length=1), ALL_OR_NOTHING]
    description: str | None | UnsetType = UNSET
    subject: Annotated[ToolCallSubject | CommandSubject, COSTS_ALL] | None | UnsetType = UNSET


class RequestPermissionResult(Params, frozen=True, kw_only=True):
    """`outcome` is kept as the object that the client answered, less what was malformed."""

    outcome: Annotated[JsonObject, as_object(AnyOutcome)]


class ElicitationParams(Params, frozen=True, kw_only=True):
    """A question to the user, about a session or about a request; forms are not looked into."""

    mode: str
    message: str
    session_id: Annotated[str, COSTS_ALL] | UnsetType = UNSET
    request_id: Annotated[RequestId, COSTS_ALL] | UnsetType = UNSET
    tool_call_id: str | None | UnsetType = UNSET
    requested_schema: Annotated[AnyObject, beside(mode=("form",)), COSTS_ALL] | UnsetType = UNSET
    elicitation_id: Annotated[str, beside(mode=("url",)), COSTS_ALL] | UnsetType = UNSET
    url: Annotated[Uri, beside(mode=("url",)), COSTS_ALL] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.session_id is UNSET) == (self.request_id is UNSET):
            raise ValueError("has not exactly one of sessionId and requestId")


class ElicitationResult(Params, frozen=True, kw_only=True):
    action: str
    content: Annotated[AnyObject, beside(action=("accept",)), COSTS_ALL] | None | UnsetType = UNSET


class SessionUpdateParams(Params, frozen=True, kw_only=True):
    """`update` is an `UnknownUpdate` where its variant is not known; see `parse`."""

    session_id: str
    update: _Decoded


class CancelRequestParams(Params, frozen=True, kw_only=True):
    request_id: RequestId


class Empty(Params, frozen=True, kw_only=True):
    """A result that says only that it worked."""


class Call(
    Struct, frozen=True, gc=False, tag_field="method", forbid_unknown_fields=True, kw_only=True
):
    """Base of all messages that have a method. `method` and `direction` are the class's."""

    method: ClassVar[str]
    direction: ClassVar[Direction]
    """The direction in which the message travels; `$/cancel_request` travels in both."""
    jsonrpc: Literal["2.0"]


class Request(Call, frozen=True, kw_only=True):
    """Base of requests."""

    id: RequestId
    params: Any
    """The typed parameters, narrowed by each subclass."""
    result: ClassVar[type[Params]]
    """The struct of a successful result."""


class Notification(Call, frozen=True, kw_only=True):
    """Base of notifications. One with an id is not a notification and does not decode."""

    id: UnsetType = UNSET
    params: Any


class InitializeRequest(Request, frozen=True, kw_only=True, tag="initialize"):
    params: InitializeParams
    result = InitializeResult
    direction = "c2a"


class NewSessionRequest(Request, frozen=True, kw_only=True, tag="session/new"):
    params: NewSessionParams
    result = NewSessionResult
    direction = "c2a"


class ResumeSessionRequest(Request, frozen=True, kw_only=True, tag="session/resume"):
    params: ResumeSessionParams
    result = SessionResult
    direction = "c2a"


class ForkSessionRequest(Request, frozen=True, kw_only=True, tag="session/fork"):
    params: ForkSessionParams
    result = NewSessionResult
    direction = "c2a"


class ListSessionsRequest(Request, frozen=True, kw_only=True, tag="session/list"):
    params: ListSessionsParams
    result = ListSessionsResult
    direction = "c2a"


class PromptRequest(Request, frozen=True, kw_only=True, tag="session/prompt"):
    params: PromptParams
    result = PromptResult
    direction = "c2a"


class CloseSessionRequest(Request, frozen=True, kw_only=True, tag="session/close"):
    params: SessionParams
    result = Empty
    direction = "c2a"


class DeleteSessionRequest(Request, frozen=True, kw_only=True, tag="session/delete"):
    params: SessionParams
    result = Empty
    direction = "c2a"


class SetConfigOptionRequest(Request, frozen=True, kw_only=True, tag="session/set_config_option"):
    params: SetConfigOptionParams
    result = SetConfigOptionResult
    direction = "c2a"


class CancelSession(Notification, frozen=True, kw_only=True, tag="session/cancel"):
    params: SessionParams
    direction = "c2a"


class RequestPermissionRequest(
    Request, frozen=True, kw_only=True, tag="session/request_permission"
):
    params: RequestPermissionParams
    result = RequestPermissionResult
    direction = "a2c"


class ElicitationRequest(Request, frozen=True, kw_only=True, tag="elicitation/create"):
    params: ElicitationParams
    result = ElicitationResult
    direction = "a2c"


class SessionUpdate(Notification, frozen=True, kw_only=True, tag="session/update"):
    params: SessionUpdateParams
    direction = "a2c"


class CancelRequest(Notification, frozen=True, kw_only=True, tag="$/cancel_request"):
    params: CancelRequestParams
    direction = "c2a"


KnownRequest: TypeAlias = (
    InitializeRequest
    | NewSessionRequest
    | ResumeSessionRequest
    | ForkSessionRequest
    | ListSessionsRequest
    | PromptRequest
    | CloseSessionRequest
    | DeleteSessionRequest
    | SetConfigOptionRequest
    | RequestPermissionRequest
    | ElicitationRequest
)
KnownNotification: TypeAlias = CancelSession | SessionUpdate | CancelRequest
KnownCall: TypeAlias = KnownRequest | KnownNotification
AnyMessage: TypeAlias = KnownCall | OtherRequest | OtherNotification | Response | Malformed
"""What a line is read as."""

METHODS: Final[dict[str, type[Call]]] = {}
"""Every method that the protocol names and its message's struct."""
for _call in get_args(KnownCall):
    _call.method = str(_call.__struct_config__.tag)
    METHODS[_call.method] = _call

Outcome: TypeAlias = Params | ErrorObject | Malformed
"""What a response means once its request is known: a typed result, an error, or neither."""
