"""What all tests share: `--update`, which writes stored results anew, to be reviewed like code."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    deadline=None,  # The machines are noisy; no test asserts a time.
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write stored results anew")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether stored results are to be written anew."""
    return bool(request.config.getoption("--update"))
