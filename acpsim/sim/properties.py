"""What a model may claim of its runs: things that always hold, and things that sometimes happen.

Owns: the two tables of names. A *sometimes* guards against a model in which nothing happens: a
run in which one never did says so. An *always* is looked at when the run has ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from acpsim.errors import UsageError

if TYPE_CHECKING:
    from acpsim.sim.model import Model
    from acpsim.sim.world import World

SOMETIMES: Final[dict[str, str]] = {
    "background-task": "work left a detached task behind",
    "background-while-idle": "a detached task ended while its session was idle",
    "cancel-crossed-idle": "work ended of its own accord while the cancel was on its way",
    "cancel-sent-while-idle": "the client saw idle when it sent a cancel",
    "cancel-while-idle": "a cancel reached an agent that had nothing to cancel",
    "cancelled": "work ended as cancelled",
    "cancelled-before-insertion": "a prompt was answered with -32800 and never inserted",
    "child-session": "work was handed to a child session",
    "close-sent-during-work": "the client saw work going on when it closed",
    "closed-during-work": "a close ended work",
    "connection-lost": "the connection broke",
    "echo-first": "an echo arrived before its response",
    "failed": "work ended with an error",
    "follow-up": "the agent started work of its own",
    "history-replayed": "a resume replayed the conversation",
    "overtaken": "a message arrived before one that was sent earlier the same way",
    "permission-allowed": "the user allowed",
    "permission-cancelled": "a permission request was answered as cancelled",
    "permission-rejected": "the user refused",
    "prompt-refused-as-cancelled": "the client learnt that a prompt was not inserted",
    "prompt-while-running": "a prompt was sent while work was going on",
    "rejected": "a hook kept a prompt out",
    "response-first": "a response arrived before its echo",
    "resumed": "a session was resumed",
    "stall": "a link stood still",
    "state-unknown": "the agent could not tell a child's state",
    "stopped-at-limit": "work ended at a limit",
    "withdrawn": "a prompt was withdrawn with $/cancel_request",
}
"""What may happen in a run, by name."""


def _ends_idle(world: World) -> bool:
    sessions = world.client.sessions.values()
    return all(session.state == "idle" for session in sessions)


def _answered(world: World) -> bool:
    return all(not session.pending for session in world.client.sessions.values())


def _no_permission_open(world: World) -> bool:
    return all(not session.permissions for session in world.client.sessions.values())


ALWAYS: Final[dict[str, tuple[str, Callable[[World], bool]]]] = {
    "every-session-ends-idle": ("the client sees every session idle at the end", _ends_idle),
    "every-prompt-answered": ("no prompt is open at the end", _answered),
    "no-permission-left-open": ("no permission request is open at the end", _no_permission_open),
}
"""What may be claimed of every run, by name, with how it is looked at."""


def check_names(model: Model, where: str) -> None:
    """Raise `UsageError` where a model claims something that nobody can look at."""
    for key, names, known in (
        ("sometimes", model.sometimes, SOMETIMES),
        ("always", model.always, ALWAYS),
    ):
        for name in names:
            if name not in known:
                listed = ", ".join(sorted(known))
                raise UsageError(f"{where}: {key}: no such property {name!r}; one of {listed}")


def broken(world: World) -> list[str]:
    """Those of the model's *always* that do not hold, now that the run has ended."""
    return [name for name in world.model.always if not ALWAYS[name][1](world)]


def never(model: Model, counts: dict[str, int]) -> list[str]:
    """Those of the model's *sometimes* that did not happen."""
    return [name for name in model.sometimes if not counts.get(name)]
