"""Kinds of messages by name, in the groups that the tables of causes speak of.

A kind is what `talk.kind_of` says: a variant, a method, `METHOD response`, `METHOD error`, `lost`.
"""

from __future__ import annotations

from typing import Final

from acpsim.oracles import talk
from acpsim.wire import updates

UPDATES: Final = frozenset(updates.VARIANTS)
COMPACTIONS: Final = frozenset({"compaction_update", "compaction_summary_chunk"})
UPSERTS: Final = UPDATES - talk.CHUNKS - {"notice", "state_update"}
USER: Final = frozenset({"user_message", "user_message_chunk"})
SESSION_MESSAGES: Final = frozenset({"session_message", "session_message_chunk"})
TERMINALS: Final = frozenset({"terminal_update", "terminal_output_chunk"})
TOOLS: Final = frozenset(
    {"tool_call_update", "tool_call_content_chunk", "session/request_permission"}
)
PROMPTS: Final = frozenset({"session/prompt", "session/prompt response", "session/prompt error"})
PERMISSIONS: Final = frozenset(
    {
        "session/request_permission",
        "session/request_permission response",
        "session/request_permission error",
        "$/cancel_request",
    }
)
RESUMES: Final = frozenset({"session/resume", "session/resume response", "session/resume error"})
LISTERS: Final = frozenset(
    f"{method} response" for method in ("session/new", "session/fork", "session/set_config_option")
)
