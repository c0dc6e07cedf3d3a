"""Test vectors for other people's reducers: what ships, how it is written out, how it is run.

What it is: the shipped conversations (`conversations.jsonl`), one for each rule, law and seeded
fault. What comes in: an edition, files, a target. What goes out: vectors and results. What it must
not know: how a conversation was found; `tests/vectors` makes the file anew.
"""
