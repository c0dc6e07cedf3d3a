"""Who is at fault: the user. Every other party's mistakes are values, and ours are assertions."""

from __future__ import annotations


class UsageError(Exception):
    """The user asked for something that cannot be done: one line, exit status 2.

    The text says what and where, and what would be right; it does not begin with "error".
    """
