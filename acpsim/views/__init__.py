"""What people see: results as text, as one JSON document, as a diagram.

In come values that others computed; out go texts. No view decides anything, and none lets a
character that a peer wrote reach a terminal as it is (`escape`).
"""
