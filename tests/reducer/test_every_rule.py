"""Every rule that a client keeps, and no trace can show, is named by a test of the reducer."""

from __future__ import annotations

from pathlib import Path

from acpsim.rules.registry import RULES

HERE = Path(__file__).parent


def test_every_rule_that_the_reducer_keeps_is_named_by_a_test() -> None:
    sources = [path for path in HERE.glob("test_*.py") if path != Path(__file__)]
    said = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    kept = [rule.id for rule in RULES.values() if rule.check == "reducer"]

    assert len(kept) > 20
    assert [identity for identity in kept if identity not in said] == []
