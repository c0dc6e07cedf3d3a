"""The public names: each is there, and none costs anything before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import acpsim


@pytest.mark.parametrize("name", acpsim.__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(acpsim, name) is not None


def test_the_list_of_public_names_is_the_table_of_where_they_are() -> None:
    assert sorted(acpsim._PUBLIC) == sorted(acpsim.__all__)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        acpsim.nothing  # noqa: B018


@pytest.mark.slow
def test_importing_the_package_imports_no_other_library() -> None:
    code = "import sys; import acpsim; print(sorted(m for m in sys.modules if 'acpsim' in m))"

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout == "['acpsim']\n"
