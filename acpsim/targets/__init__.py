"""The things under test, behind one small interface.

What it is: `Target` and its four kinds: the reference reducer, a mutant of it, a Python class, a
program in any language. What comes in: an address such as `cmd:node reducer.mjs`, then the events
of a case. What goes out: snapshots as plain JSON, or a `TargetFailure` that says what went wrong.
What it must not know: who judges it (`oracles`), and where the conversations come from (`fuzz`).
"""
