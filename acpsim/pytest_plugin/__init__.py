"""A reducer's test-suite in a few lines, for pytest:

    from acpsim.pytest_plugin import suite
    from my_reducer import Reducer

    TestMyReducer = suite(Reducer, fuzz_seconds=5)

Owns: `suite`, and the options `--acp-target` and `--acp-seconds`. Every rule is a test, every law,
and one campaign of the fuzzer. Nothing but the options is loaded before `suite` is called: whoever
has acpsim installed and does not use it here pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from acpsim.pytest_plugin.tests import Asked, Came
    from acpsim.targets.target import Target


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that take the place of what a suite says."""
    group = parser.getgroup("acpsim", "Agent Client Protocol reducers")
    group.addoption(
        "--acp-target",
        metavar="ADDRESS",
        help='test this reducer instead: module:attribute, "cmd:COMMAND LINE" or mutant:NAME',
    )
    group.addoption(
        "--acp-seconds", type=float, metavar="N", help="fuzz for so long; 0 skips the fuzzing"
    )


def suite(
    target: str | Callable[[str], Any],
    *,
    edition: str = "draft",
    fuzz_seconds: float = 5.0,
    fuzz_cases: int | None = None,
    seed: int = 0,
    time_limit: float = 5.0,
    corpus: str | Path | None = None,
    faults: str | Path | None = None,
) -> type:
    """A test class for one reducer: `test_acp[RULE]`, `test_law[NAME]` and `test_fuzz`.

    `target` is a class or factory, or what `acpsim fuzz --target` takes. `fuzz_cases` makes the
    campaign the same each time, whatever the machine; `corpus` is a directory of traces that it
    tries first, `faults` the one in which it saves what it finds (a temporary one without). An
    edition that is not known, or a class that cannot be imported by its name, raises `ValueError`
    here; a target that cannot be opened fails every test with one line.
    """
    from acpsim.pytest_plugin import tests

    asked = tests.Asked(
        address=tests.address_of(target),
        edition=tests.edition_named(edition),
        seconds=fuzz_seconds,
        cases=fuzz_cases,
        seed=seed,
        time_limit=time_limit,
        corpus=corpus,
        faults=faults,
    )

    shared = tests.Shared()

    def target_of(request: pytest.FixtureRequest) -> Target:
        """Opened once for all tests of the class, and closed after the last."""
        found = shared.open(_asked(asked, request.config))
        if isinstance(found, str):
            pytest.fail(found, pytrace=False)
        return found

    class TestReducer:
        """The tests of one reducer."""

        @classmethod
        def teardown_class(cls) -> None:
            shared.close()

        @pytest.mark.parametrize("rule", tests.rule_names())
        def test_acp(self, rule: str, request: pytest.FixtureRequest) -> None:
            """Every vector that is about one rule."""
            _say(tests.try_rule(rule, target_of(request), asked.edition))

        @pytest.mark.parametrize("law", tests.law_names())
        def test_law(self, law: str, request: pytest.FixtureRequest) -> None:
            """One law on the conversation of every vector."""
            _say(tests.try_law(law, target_of(request), asked.edition))

        def test_recorded(self, request: pytest.FixtureRequest) -> None:
            """Whole conversations, which are about no rule alone."""
            _say(tests.try_recorded(target_of(request), asked.edition))

        def test_fuzz(self, request: pytest.FixtureRequest, tmp_path: Path) -> None:
            """A campaign: conversations that nobody wrote."""
            _say(tests.try_fuzzing(_asked(asked, request.config), tmp_path))

    return TestReducer


def _asked(asked: Asked, config: pytest.Config) -> Asked:
    """What a suite asks for, less what the command line says instead."""
    return asked.instead(
        address=config.getoption("--acp-target", None),
        seconds=config.getoption("--acp-seconds", None),
    )


def _say(came: Came) -> None:
    """Fails or skips with a report in place of a traceback through our own code."""
    __tracebackhide__ = True
    if came.outcome == "failed":
        pytest.fail(came.text, pytrace=False)
    if came.outcome == "skipped":
        pytest.skip(came.text)
