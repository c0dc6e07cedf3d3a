"""What the specification demands of a conversation: rules as data, and one pass that checks them.

In come events (`wire.Event`); out goes a `Report`. It does not know the reducer, so that a
misreading of the specification has to be made twice to go unseen; no I/O, no clock, no chance.
"""
