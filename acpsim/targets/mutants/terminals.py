"""Mutants that misread the bytes of terminals, or take a reference for a terminal.

Theme: the display-only terminals of tool calls. One function a mutant; `OF_TERMINALS` names them.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

from msgspec import UNSET, structs

from acpsim.reducer import Behaviour
from acpsim.reducer.entities import decoded
from acpsim.reducer.state import Session
from acpsim.targets.mutants.mutant import Mutant, altering, then, with_handlers, with_section
from acpsim.wire import updates
from acpsim.wire.cells import Cell, JsonObject, cell_field

_TOOL: Final = (updates.ToolCallUpdate, updates.ToolCallContentChunk)


def _base64_joined(reference: Behaviour) -> Behaviour:
    """Keeps the encoded text and decodes it as one."""

    def updated(session: Session, update: updates.TerminalUpdate, raw: bytes) -> str | None:
        remark = reference.handlers[updates.TerminalUpdate](session, update, raw)
        if update.output is not UNSET and remark is None and update.output is not None:
            text = str(cell_field(update.output, "data"))
            session.terminals[update.terminal_id].output = [text.encode()]
        return remark

    def chunk(session: Session, update: updates.TerminalOutputChunk, raw: bytes) -> str | None:
        remark = reference.handlers[updates.TerminalOutputChunk](session, update, raw)
        if remark is None:
            session.terminals[update.terminal_id].output[-1] = update.data.encode()
        return remark

    def section(session: Session) -> JsonObject:
        tree: JsonObject = reference.sections["terminals"](session)
        for key, terminal in session.terminals.items():
            tree[key]["output"] = _encoded(_leniently(b"".join(terminal.output)))
        return tree

    mutant = with_handlers(
        reference, {updates.TerminalUpdate: updated, updates.TerminalOutputChunk: chunk}
    )
    return with_section(mutant, "terminals", section)


def _leniently(text: bytes) -> bytes:
    """What many decoders make of padding in the middle: they stop there."""
    try:
        return binascii.a2b_base64(text.partition(b"=")[0] + b"==")
    except ValueError:
        return b""


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decoded_per_chunk(reference: Behaviour) -> Behaviour:
    """Turns each chunk into text, and what is half a character into a replacement mark."""

    def as_text(session: Session, update: Any) -> Any:
        data = decoded(update.data)
        if data is None:
            return update
        text = data.decode("utf-8", "replace")
        return structs.replace(update, data=_encoded(text.encode()))

    return altering(reference, (updates.TerminalOutputChunk,), as_text)


def _output_appended(reference: Behaviour) -> Behaviour:
    honest = reference.handlers[updates.TerminalUpdate]

    def updated(session: Session, update: updates.TerminalUpdate, raw: bytes) -> str | None:
        terminal = session.terminals.get(update.terminal_id)
        before = [] if terminal is None else [*terminal.output]
        remark = honest(session, update, raw)
        if update.output and remark is None:
            terminal = session.terminals[update.terminal_id]
            terminal.output = [*before, *terminal.output]
        return remark

    return with_handlers(reference, {updates.TerminalUpdate: updated})


def _cleared_at_exit(reference: Behaviour) -> Behaviour:
    def cleared(session: Session, update: updates.TerminalUpdate) -> None:
        if update.exit_status and update.output is UNSET:
            session.terminals[update.terminal_id].output = []

    return then(reference, (updates.TerminalUpdate,), cleared)


def _needs_reference(reference: Behaviour) -> Behaviour:
    def unless_referred(session: Session, update: Any) -> Any:
        referred = {
            cell_field(item, "terminalId")
            for call in session.tool_calls.values()
            for item in call.content
        }
        known = update.terminal_id in session.terminals
        return update if known or update.terminal_id in referred else None

    variants = (updates.TerminalUpdate, updates.TerminalOutputChunk)
    return altering(reference, variants, unless_referred)


def _reference_creates(reference: Behaviour) -> Behaviour:
    def created(session: Session, update: Any) -> None:
        content = update.content
        for item in [content] if isinstance(content, Cell | dict) else content or []:
            key = cell_field(item, "terminalId")
            if isinstance(key, str) and key not in session.terminals:
                first = updates.TerminalUpdate(terminal_id=key)
                reference.handlers[updates.TerminalUpdate](session, first, b"")

    return then(reference, _TOOL, created)


def _bad_base64_clears(reference: Behaviour) -> Behaviour:
    honest = reference.handlers[updates.TerminalUpdate]

    def updated(session: Session, update: updates.TerminalUpdate, raw: bytes) -> str | None:
        remark = honest(session, update, raw)
        if remark is not None:
            session.terminals[update.terminal_id].output = []
        return remark

    return with_handlers(reference, {updates.TerminalUpdate: updated})


def _bad_base64_patched_up(reference: Behaviour) -> Behaviour:
    def patched(session: Session, update: Any) -> Any:
        if decoded(update.data) is not None:
            return update
        return structs.replace(update, data=_encoded(_leniently(update.data.encode())))

    return altering(reference, (updates.TerminalOutputChunk,), patched)


OF_TERMINALS: Final = (
    Mutant(
        name="base64-joined",
        breaks=("TERMINAL-BYTES", "chunks"),
        text="joins the encoded strings of a terminal's chunks and decodes them as one",
        behaviour=_base64_joined,
    ),
    Mutant(
        name="bytes-decoded-per-chunk",
        breaks=("TERMINAL-BYTES", "chunks"),
        text="decodes each chunk of a terminal to text, so that a split character is lost",
        behaviour=_decoded_per_chunk,
    ),
    Mutant(
        name="terminal-output-appended",
        breaks=("TERMINAL-BYTES", "absorb", "replay"),
        text="appends the output of a terminal's update to the bytes that are held",
        behaviour=_output_appended,
    ),
    Mutant(
        name="terminal-cleared-at-exit",
        breaks=("PATCH-OMIT",),
        text="forgets a terminal's output when it exits",
        behaviour=_cleared_at_exit,
    ),
    Mutant(
        name="terminal-needs-reference",
        breaks=("TERMINAL-EITHER-ORDER", "independence"),
        text="drops a terminal's updates until a tool call refers to it",
        behaviour=_needs_reference,
    ),
    Mutant(
        name="reference-creates-terminal",
        breaks=("TERMINAL-EITHER-ORDER",),
        text="creates a terminal when a tool call refers to it",
        behaviour=_reference_creates,
    ),
    Mutant(
        name="bad-base64-clears",
        breaks=("TERMINAL-BYTES",),
        text="clears a terminal's output when an update carries bad base64",
        behaviour=_bad_base64_clears,
    ),
    Mutant(
        name="bad-base64-patched-up",
        breaks=("TERMINAL-BYTES",),
        text="keeps what it can decode of a chunk with bad base64",
        behaviour=_bad_base64_patched_up,
    ),
)
