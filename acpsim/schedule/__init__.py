"""Who acts next, and by what chance. Knows no protocol; standard library only.

What it is: partial orders of things that may be interleaved, and strategies that choose one of
their orders. What comes in: for each thing, which others come before it; a seed. What goes out: an
order, and the tape of the choices that led to it. What it must not know: what is ordered.
"""
