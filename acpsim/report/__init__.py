"""What `reports/` holds: each made by one command, and the same each time.

What it is: one function for each report. What comes in: the version, an edition, a seed. What goes
out: a Markdown text whose first line is the command that makes it. What it must not know: where it
is written.
"""
