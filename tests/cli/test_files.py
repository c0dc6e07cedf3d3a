"""Outputs are whole or not there; nothing that stood in their place is written through."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from acpsim.errors import UsageError
from acpsim.files import check_inputs, open_input, open_output, write_whole


class Stopped(Exception):
    pass


def broken_off(path: Path) -> None:
    def write_half() -> None:
        with open_output(path) as stream:
            stream.write(b"half")
            raise Stopped

    with pytest.raises(Stopped):
        write_half()


def test_an_output_is_written(tmp_path: Path) -> None:
    write_whole(tmp_path / "out", b"all")

    assert (tmp_path / "out").read_bytes() == b"all"


def test_nothing_stands_there_after_writing_was_broken_off(tmp_path: Path) -> None:
    broken_off(tmp_path / "out")

    assert list(tmp_path.iterdir()) == []


def test_what_stood_there_is_kept_when_writing_is_broken_off(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")

    broken_off(tmp_path / "out")

    assert (tmp_path / "out").read_bytes() == b"old"


def test_nothing_stands_there_before_all_is_written(tmp_path: Path) -> None:
    with open_output(tmp_path / "out") as stream:
        stream.write(b"half")
        stream.flush()

        assert not (tmp_path / "out").exists()


def test_no_other_file_is_left_beside_the_output(tmp_path: Path) -> None:
    write_whole(tmp_path / "out", b"all")

    assert [tmp_path / "out"] == list(tmp_path.iterdir())


def test_a_symlink_is_replaced_and_what_it_named_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"kept")
    (tmp_path / "out").symlink_to(tmp_path / "precious")

    write_whole(tmp_path / "out", b"all")

    assert (
        (tmp_path / "out").is_symlink(),
        (tmp_path / "precious").read_bytes(),
    ) == (False, b"kept")


def test_a_symlink_to_nowhere_makes_no_file_there(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")

    write_whole(tmp_path / "out", b"all")

    assert not (tmp_path / "elsewhere").exists()


@pytest.fixture
def umask() -> Iterator[None]:
    held = os.umask(0o027)
    yield
    os.umask(held)


@pytest.mark.usefixtures("umask")
def test_the_mode_of_an_output_is_what_the_umask_leaves(tmp_path: Path) -> None:
    write_whole(tmp_path / "out", b"all")

    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="missing/out: cannot be written: no such file"):
        write_whole(tmp_path / "missing" / "out", b"all")


def test_a_directory_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()

    with pytest.raises(UsageError, match="cannot be written: is a directory; give a file"):
        write_whole(tmp_path / "out", b"all")


def test_a_pipe_is_written_into_and_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "out").read_bytes()))
    reader.start()

    write_whole(tmp_path / "out", b"all")

    reader.join()
    assert (read, (tmp_path / "out").is_fifo()) == ([b"all"], True)


def test_a_device_is_written_into_and_not_replaced() -> None:
    write_whole("/dev/null", b"all")

    assert Path("/dev/null").is_char_device()


def test_a_directory_is_no_input(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a directory; give a file"), open_input(str(tmp_path)):
        pass


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(UsageError, match="no file has such a name"), open_input("a\0b"):
        pass


def test_inputs_are_checked_without_being_opened(tmp_path: Path) -> None:
    """A pipe that is opened and closed again has lost its writer."""
    os.mkfifo(tmp_path / "pipe")

    check_inputs([str(tmp_path / "pipe"), "-"])


def test_the_first_input_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "here").touch()

    with pytest.raises(UsageError, match="gone: cannot be read: no such file"):
        check_inputs([str(tmp_path / "here"), str(tmp_path / "gone")])


def test_standard_input_is_asked_for_once() -> None:
    with pytest.raises(UsageError, match="-: standard input can be read once"):
        check_inputs(["-", "-"])


def test_a_closed_standard_input_is_no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)

    with pytest.raises(UsageError, match="-: standard input is closed"), open_input("-"):
        pass


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file whose reading fails")
def test_a_file_that_fails_while_it_is_read_is_named() -> None:
    with (
        pytest.raises(UsageError, match="/proc/self/mem: cannot be read: input/output error"),
        open_input("/proc/self/mem") as stream,
    ):
        stream.read()
