"""A model: the parameters of one simulated scenario, read from TOML and checked whole.

Owns: the structs that say what a model file may hold, their defaults, and the sentences for what
is wrong with one. A parameter's unit is the end of its name. Probabilities are per occasion.
Behaviour that no parameter expresses lives in the parties, never here.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta, Struct, field

from acpsim.errors import UsageError
from acpsim.sim.distributions import EMPIRICAL, KINDS, check_spec, read_values, with_mean
from acpsim.sim.explain import DISTRIBUTED, explain
from acpsim.sim.misbehave import check_misbehaviours
from acpsim.sim.properties import check_names

Probability: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Some: TypeAlias = Annotated[int, Meta(ge=1)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0)]
Distribution: TypeAlias = dict[str, Any]
"""`{kind = …, …}`, checked by `distributions.check_spec`."""

CancelMoment: TypeAlias = Literal[
    "any", "before-insertion", "running", "streaming", "tool", "permission", "idle"
]
Activity: TypeAlias = Literal[
    "message", "thought", "tool", "terminal", "plan", "permission", "usage", "config", "commands",
    "info", "notice", "compaction",
]  # fmt: skip
Order: TypeAlias = Literal["fifo", "streams", "any"]


def _constant(value_s: float) -> Distribution:
    return {"kind": "constant", "value_s": value_s}


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all tables of a model file."""


class ClientModel(Part, frozen=True, kw_only=True):
    """Who prompts, cancels, answers and closes."""

    prompts: Count = 3
    """Prompts in each session."""
    think: Distribution = field(default_factory=lambda: _constant(1.0))
    """From idle to the next prompt."""
    prompt_while_running: Probability = 0.0
    """That the next prompt does not wait for idle."""
    prompt_blocks: Some = 1
    """Content blocks of a prompt, after the first of any kind."""
    cancel: Probability = 0.0
    """That a stretch of work is cancelled; 1, running and an exponential delay are a rate."""
    cancel_when: CancelMoment = "any"
    """The moment of the work from which on the delay counts."""
    cancel_after: Distribution = field(default_factory=lambda: _constant(0.0))
    """From the moment that `cancel_when` names to the cancel."""
    withdraw: Probability = 0.0
    """That a pending prompt is withdrawn with `$/cancel_request`."""
    withdraw_after: Distribution = field(default_factory=lambda: _constant(0.0))
    """From the prompt to that."""
    permission_delay: Distribution = field(default_factory=lambda: _constant(0.5))
    """From a permission request to its answer."""
    permission_allow: Probability = 0.8
    """That the answer allows."""
    close_during_work: Probability = 0.0
    """That the session is closed while work goes on."""
    close_between: Probability = 0.0
    """That the session is closed while idle, after a prompt and before the next."""
    close_at_end: Probability = 0.0
    """That it is closed after its last prompt."""
    resume_after_close: Probability = 0.0
    """Above 0: agents keep the conversation of a closed session, to replay it."""
    lose_connection: Probability = 0.0
    """That the connection breaks during a stretch of work."""
    reconnect_delay: Distribution = field(default_factory=lambda: _constant(1.0))
    """From a broken connection to a new one."""
    replay: Probability = 1.0
    """That a resume asks for the whole conversation."""


class AgentModel(Part, frozen=True, kw_only=True):
    """An agent that keeps the rules."""

    hook: Distribution = field(default_factory=lambda: _constant(0.0))
    """From receiving a prompt to its insertion or rejection."""
    hook_is_foreground: Probability = 0.0
    """That the hook reports `running` before the insertion."""
    reject: Probability = 0.0
    """That the hook rejects the prompt."""
    fail_before_insertion: Probability = 0.0
    """That it fails, so that the prompt is answered with an error."""
    response_delay: Distribution = field(default_factory=lambda: _constant(0.0))
    """From insertion to the prompt's response."""
    echo_delay: Distribution = field(default_factory=lambda: _constant(0.0))
    """From insertion to the echo; what is shorter comes first."""
    echo_in_chunks: Probability = 0.0
    """That the echo comes block by block."""
    steps: tuple[Count, Count] = (1, 3)
    """Least and most activities in one stretch of work."""
    activities: dict[Activity, Annotated[float, Meta(ge=0)]] = field(
        default_factory=lambda: {"message": 1.0}
    )
    """Weights of what the agent does next."""
    first_token: Distribution = field(default_factory=lambda: _constant(0.3))
    """Before each message and thought."""
    chunks: tuple[Some, Some] = (3, 8)
    """Least and most chunks of one streamed message, thought, terminal or summary."""
    chunk_gap: Distribution = field(default_factory=lambda: _constant(0.02))
    """Between two chunks."""
    chunk_bytes: Some = 24
    """Text in one chunk."""
    whole_messages: Probability = 0.2
    """That a message is reported whole instead of streamed."""
    thought_shares_id: Probability = 0.5
    """That a thought has the messageId of the reply that follows it."""
    tool: Distribution = field(default_factory=lambda: _constant(0.5))
    """From a tool call's start to its end."""
    tools_at_once: Some = 1
    """Tool calls that run side by side, at most."""
    tool_updates: Count = 2
    """What one reports between start and end."""
    tool_fails: Probability = 0.1
    """That it fails."""
    tool_asks: Probability = 0.0
    """That a tool asks for permission first."""
    abort: Distribution = field(default_factory=lambda: _constant(0.05))
    """From reading `session/cancel` to idle."""
    fail: Probability = 0.0
    """That a stretch of work ends with `error`."""
    limit: Probability = 0.0
    """That it ends with max_tokens, max_turn_requests, refusal or a custom reason."""
    follow_up: Probability = 0.0
    """That the agent starts work of its own after idle."""
    follow_up_delay: Distribution = field(default_factory=lambda: _constant(1.0))
    """From that idle to the work."""
    usage_on_idle: Probability = 0.3
    """That idle says what the work has used."""


class BackgroundModel(Part, frozen=True, kw_only=True):
    """Detached tool calls and terminals that go on while idle."""

    start: Probability = 0.0
    """That a stretch of work leaves a task behind."""
    terminal: Probability = 0.5
    """That the task is a terminal and not a tool call."""
    duration: Distribution = field(default_factory=lambda: _constant(2.0))
    """How long the task goes on."""
    updates: Count = 2
    """What it reports meanwhile."""
    follow_up: Probability = 0.0
    """That its end makes the agent start work."""


class SubagentModel(Part, frozen=True, kw_only=True):
    """Child sessions with streams of their own, their state mirrored in the parent."""

    start: Probability = 0.0
    """That a stretch of work hands some of it to children."""
    at_most: Some = 2
    """Child sessions of one stretch of work."""
    steps: tuple[Count, Count] = (1, 2)
    """Least and most activities in one child's work."""
    messages: Probability = 0.5
    """That parent and child send each other session messages."""
    loses_sight: Probability = 0.0
    """That the agent cannot tell the child's state for a while (`unknown`)."""


class LinkModel(Part, frozen=True, kw_only=True):
    """One direction of the connection."""

    latency: Distribution = field(default_factory=lambda: _constant(0.001))
    """From departure to arrival."""
    jitter: Distribution | None = None
    """On top of that, a message for itself."""
    bandwidth_Bps: Annotated[float, Meta(gt=0)] | None = None  # noqa: N815 (a unit)
    """Bytes a second; messages queue for it."""
    order: Order = "fifo"
    """fifo: nothing overtakes; streams: responses and the rest each other; any: within window_s."""
    window_s: Seconds = 0.0
    """How far a message may be overtaken, where the order is any."""
    stall_rate_hz: Seconds = 0.0
    """How often the link stands still."""
    stall: Distribution = field(default_factory=lambda: _constant(1.0))
    """For how long."""


class Links(Part, frozen=True, kw_only=True):
    """Both directions."""

    c2a: LinkModel = LinkModel()
    a2c: LinkModel = LinkModel()


class ReconcileModel(Part, frozen=True, kw_only=True):
    """How long the client takes for one update; without it updates are seen on arrival."""

    service: Distribution | None = None
    """For one update."""
    target: str = ""
    """Instead of `service`: the reducer whose own times it takes, measured before the run."""
    acts: bool = True
    """That the user acts on what is reconciled, and not on what has only arrived."""


class Model(Part, frozen=True, kw_only=True):
    """One scenario. `sometimes` and `always` name properties of `acpsim.sim.properties`."""

    name: str = ""
    text: str = ""
    sessions: Some = 1
    """Sessions on the one connection."""
    session_gap: Distribution = field(default_factory=lambda: _constant(0.0))
    """Between the starts of two sessions."""
    duration_s: Annotated[float, Meta(gt=0)] | None = None
    """When the run is cut off; without it it ends when every session has."""
    client: ClientModel = ClientModel()
    agent: AgentModel = AgentModel()
    background: BackgroundModel = BackgroundModel()
    subagents: SubagentModel = SubagentModel()
    link: Links = Links()
    reconcile: ReconcileModel = ReconcileModel()
    always: tuple[str, ...] = ()
    """What holds in every run, by name."""
    sometimes: tuple[str, ...] = ()
    """What happens in some; a run in which one never did says so."""
    misbehave: tuple[str, ...] = ()
    """Rules that a party breaks on purpose, by id."""


def models_folder() -> Path:
    """Where the shipped models are: inside the installed package, else beside the checkout."""
    packaged = Path(str(resources.files("acpsim"))) / "models"
    return packaged if packaged.is_dir() else packaged.parents[1] / "models"


def shipped_models() -> list[str]:
    """The names of the shipped models, sorted."""
    return sorted(path.stem for path in models_folder().glob("*.toml"))


def load_model(name: str) -> Model:
    """The shipped model of that name, or the one in the file `name`.

    Raises `UsageError`, one line, for no such model and for whatever is wrong in it.
    """
    path = Path(name)
    if path.suffix != ".toml":
        path = models_folder() / f"{name}.toml"
        if not path.is_file():
            known = ", ".join(shipped_models())
            raise UsageError(f"{name}: no such model; give a .toml file or one of {known}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise UsageError(f"{name}: cannot be read: {reason}") from error
    return parse_model(text, where=name, default_name=path.stem, folder=path.parent)


def parse_model(
    text: str, *, where: str, default_name: str = "", folder: Path | None = None
) -> Model:
    """The model that a TOML text describes; `where` begins the sentences of `UsageError`.

    Files that it names are looked for in `folder`, by default the working directory.
    """
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{where}: is no TOML: {error}") from error
    tables.setdefault("name", default_name)
    return _convert(tables, where, folder or Path())


def override(model: Model, key: str, value: object, *, where: str = "--set") -> Model:
    """The model with one parameter exchanged, named by its dotted key.

    `link.latency…` means both directions. A number may name a distribution's parameter, as in
    `client.think.value_s`; `mean_s` is every distribution's, which it stretches. Raises
    `UsageError` naming what is allowed there.
    """
    tables: dict[str, Any] = msgspec.to_builtins(model)
    parts = key.split(".")
    if parts[0] == "link" and len(parts) > 1 and parts[1] not in get_args(Literal["c2a", "a2c"]):
        for direction in ("c2a", "a2c"):
            _set(tables, ["link", direction, *parts[1:]], value, f"{where} {key}")
    else:
        _set(tables, parts, value, f"{where} {key}")
    return _convert(tables, where, Path())


def assign(model: Model, assignment: str, *, where: str = "--set") -> Model:
    """The model after one `KEY=VALUE`; what is no TOML value is a string. Raises `UsageError`."""
    key, found, text = assignment.partition("=")
    if not found or not key:
        raise UsageError(f"{where} {assignment}: give KEY=VALUE")
    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text
    return override(model, key, value, where=where)


def _set(tables: dict[str, Any], parts: list[str], value: object, where: str) -> None:
    table = tables
    for part in parts[:-1]:
        inner = table.get(part)
        if inner is None and part in table:
            raise UsageError(f"{where}: {part} is not set; give {part}, {DISTRIBUTED}")
        if not isinstance(inner, dict):
            raise UsageError(f"{where}: no table {part!r} here; one of {_tables_in(table)}")
        table = inner
    kind = KINDS.get(str(table.get("kind")))
    if parts[-1] == "mean_s" and "kind" in table and not (kind and "mean_s" in kind.parameters):
        table.update(_stretched(table, value, where))
        return
    free = "kind" in table or parts[-2:-1] == ["activities"]  # What is wrong there is told later.
    if parts[-1] not in table and not free:
        raise UsageError(f"{where}: no parameter {parts[-1]!r}; one of {', '.join(table)}")
    table[parts[-1]] = value


def _stretched(table: dict[str, Any], value: object, where: str) -> dict[str, object]:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= float(value) < float("inf"):  # type: ignore[arg-type]
        raise UsageError(f"{where}: {value!r} is no duration in seconds")
    spec = with_mean(table, float(value))  # type: ignore[arg-type]
    table.clear()
    return spec


def _tables_in(table: dict[str, Any]) -> str:
    return ", ".join(name for name, value in table.items() if isinstance(value, dict)) or "none"


def _convert(tables: dict[str, Any], where: str, folder: Path) -> Model:
    _read_files(tables, where, folder, "")
    try:
        model = msgspec.convert(tables, Model)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {explain(str(error), Model)}") from error
    check_names(model, where)
    check_misbehaviours(model.misbehave, where)
    for key, spec in _distributions(model, ""):
        check_spec(spec, f"{where}: {key}")
    for low, high, key in (
        (*model.agent.steps, "agent.steps"),
        (*model.agent.chunks, "agent.chunks"),
        (*model.subagents.steps, "subagents.steps"),
    ):
        if low > high:
            raise UsageError(f"{where}: {key}: least {low} is more than most {high}")
    if sum(model.agent.activities.values()) <= 0 and model.agent.steps[1] > 0:
        raise UsageError(f"{where}: agent.activities: all weights are 0; give one above 0")
    return model


def _read_files(table: dict[str, Any], where: str, folder: Path, key: str) -> None:
    """Put the values of `{kind = "empirical", file = …}` in its place: a model is whole."""
    if table.get("kind") == EMPIRICAL and isinstance(table.get("file"), str):
        name = table.pop("file")
        where = f"{where}: {key}.file: {name}"
        try:
            text = (folder / name).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "is not UTF-8 text"
            raise UsageError(f"{where}: cannot be read: {reason.lower()}") from error
        table["values_s"] = read_values(text, where)
        return
    for name, inner in table.items():
        if isinstance(inner, dict):
            _read_files(inner, where, folder, f"{key}.{name}".lstrip("."))


def _distributions(part: Struct, prefix: str) -> list[tuple[str, Distribution]]:
    found = []
    for entry in msgspec.structs.fields(type(part)):
        value = getattr(part, entry.name)
        if isinstance(value, Struct):
            found += _distributions(value, f"{prefix}{entry.name}.")
        elif isinstance(value, dict) and entry.name != "activities":
            found.append((f"{prefix}{entry.name}", value))
    return found
