"""The JSON documents of `--format json`: one on standard output, and nothing else there.

Owns: their shapes, which other programs rely on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from acpsim.rules.finding import Coverage, Finding, Report
from acpsim.views.escape import json_escaped
from acpsim.views.rows import Row
from acpsim.wire.cells import JsonObject
from acpsim.wire.trace import Diagnostic


def text_of(document: JsonObject) -> str:
    """A document as text, keys as they stand, nothing in it that a terminal would obey."""
    try:
        text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    except (UnicodeEncodeError, OverflowError):
        # The name of a file that is no UTF-8, or a number that no machine word holds.
        text = json.dumps(document, indent=2, ensure_ascii=False)
    return json_escaped(text)


def finding(value: Finding) -> JsonObject:
    """One finding, or one open promise."""
    return {
        "rule": value.rule,
        "level": value.level,
        "certainty": value.certainty,
        "party": value.party,
        "line": value.line,
        "session": value.session,
        "text": value.text,
        "related": list(value.related),
    }


def diagnostic(value: Diagnostic) -> JsonObject:
    """One remark about something unreadable or unusable."""
    return {"line": value.line, "text": value.text}


def checked(path: str, report: Report, diagnostics: Iterable[Diagnostic]) -> JsonObject:
    """What `check` says of one trace."""
    return {
        "path": path,
        "messages": report.messages,
        "findings": [finding(value) for value in report.findings],
        "open": [finding(value) for value in report.open],
        "diagnostics": [diagnostic(value) for value in diagnostics],
    }


def coverage(table: dict[str, Coverage]) -> JsonObject:
    """How often each rule was exercised and breached."""
    return {
        rule: {"exercised": value.exercised, "breached": value.breached}
        for rule, value in table.items()
    }


def reduced(snapshots: dict[str, Any], diagnostics: Iterable[Diagnostic]) -> JsonObject:
    """What `reduce` says."""
    return {
        "sessions": snapshots,
        "diagnostics": [diagnostic(value) for value in diagnostics],
    }


def drawn(rows: Iterable[Row], left_out: int, diagnostics: Iterable[Diagnostic]) -> JsonObject:
    """What `show` says: what it draws of each message, and beside it."""
    return {
        "rows": [
            {
                "line": row.event.line,
                "dir": row.event.dir,
                "session": row.session or None,
                "text": row.text,
                "state": row.state or None,
                "crosses": row.crosses,
                "findings": [finding(value) for value in row.findings],
            }
            for row in rows
        ],
        "left_out": left_out,
        "diagnostics": [diagnostic(value) for value in diagnostics],
    }
