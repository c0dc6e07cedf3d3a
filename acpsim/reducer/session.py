"""What belongs to the session as a whole: commands, options, info, usage, notices, unknown updates.

Owns: a handler for each update that names no entity and is not the foreground state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from msgspec import UNSET, UnsetType

from acpsim.reducer.entities import Handler
from acpsim.reducer.patch import patch, patch_cell, patch_meta
from acpsim.reducer.state import Session, Stored
from acpsim.wire import updates
from acpsim.wire.parse import update_object


def commands_update(session: Session, update: updates.AvailableCommandsUpdate, raw: bytes) -> None:
    """The whole list is replaced."""
    set_commands(session, update.available_commands)


def set_commands(session: Session, given: Sequence[object] | UnsetType) -> None:
    """Replace the list of commands, unless none was given."""
    if given is not UNSET:
        session.commands = cast("list[Stored]", given)


def options_update(session: Session, update: updates.ConfigOptionUpdate, raw: bytes) -> None:
    """The whole list is replaced."""
    set_options(session, update.config_options)


def set_options(session: Session, given: Sequence[object] | UnsetType) -> None:
    """Replace the list of options, unless none was given."""
    if given is not UNSET:
        session.config_options = cast("list[Stored]", given)


def info_update(session: Session, update: updates.SessionInfoUpdate, raw: bytes) -> None:
    """Title, time and metadata are patches."""
    session.title = patch(session.title, update.title)
    session.updated_at = patch(session.updated_at, update.updated_at)
    session.info_meta = patch_meta(session.info_meta, update.meta, session.edition)


def usage_update(session: Session, update: updates.UsageUpdate, raw: bytes) -> None:
    """Used and size are replaced; an omitted cost keeps the last, null clears it."""
    session.usage_used = update.used
    session.usage_size = update.size
    session.usage_cost = patch_cell(session.usage_cost, update.cost)


def notice(session: Session, update: updates.Notice, raw: bytes) -> None:
    """A live remark, kept whole: no entity, no history, no effect (NOTICE-NO-EFFECT)."""
    session.notices.append(update_object(raw))


def unknown_update(session: Session, update: updates.UnknownUpdate, raw: bytes) -> None:
    """A variant that is not understood: kept raw, otherwise ignored (UNKNOWN-PRESERVED)."""
    session.unknown.append(update.payload)


SESSION_HANDLERS: Final[dict[type, Handler]] = {
    updates.AvailableCommandsUpdate: commands_update,
    updates.ConfigOptionUpdate: options_update,
    updates.SessionInfoUpdate: info_update,
    updates.UsageUpdate: usage_update,
    updates.Notice: notice,
    updates.UnknownUpdate: unknown_update,
}
