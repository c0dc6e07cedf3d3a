"""What travels between a client and an agent: bytes in, typed messages out, and back.

Read upwards: `marks`, `formats` → `cells`, `choices`, `servers` → `updates`, `methods`, `jsonrpc`
(the structs) → `shapes`, `tolerant`, `looks`, `lines` → `parse` (a message) → `pairing`,
`direction`, `event` → `frames`, `trace`, `vector` (a file). `edition` says in what the two readings
of the draft differ. Files are opened elsewhere, and nothing raises on what a peer sent.
"""
