"""The reconciliation core measured: any target, on any conversation.

What it is: workloads, the subjects that are timed on them, and the measurements: throughput,
latency, cost over length, memory, an open loop, two subjects in alternation. What comes in: a
target's address and a workload. What goes out: figures with intervals. What it must not know: how
they are shown. Times are this machine's and this moment's: ratios within one run say more.
"""
