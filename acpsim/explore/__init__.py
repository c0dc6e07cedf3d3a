"""Every order of a small scenario that can be told from the others, each once.

What it is: which messages commute by the protocol, the classes of orders that this gives, how many
orders each stands for, and the search that runs one order of each. What comes in: a scenario and a
target. What goes out: a certificate, or the fault that was found. What it must not know: how the
reference reducer is made; it is a target among others.
"""
