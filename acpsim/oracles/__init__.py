"""Who says that a target is wrong: agreement with the reference, and the fourteen laws.

What it is: judges of targets. What comes in: the events of one conversation and a target (for
agreement a second one, the reference, seen through the same interface). What goes out: a `Verdict`,
or `None` where nothing is wrong; saved, it is a counterexample that can be run again.
What it must not know: how a reducer works inside, and where conversations come from.
"""
