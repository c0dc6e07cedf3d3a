"""Conversations that nobody wrote, given to a reducer until one shows where it goes wrong.

What it is: the sources of cases (recorded, known kinds of trouble, generated), what may happen to a
conversation, campaigns, shrinking. What comes in: the address of a target and a seed. What goes
out: events such as `FaultFound`, each fault with its few messages. What it must not know: how a
reducer works inside, and how anything is shown.
"""
