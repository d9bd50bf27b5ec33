"""A file is written whole or not at all."""

from __future__ import annotations

import os

import pytest

from consensa._machine import atomic
from consensa._machine.atomic import check_writable, discard_unfinished, replacing


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def write_half_then_raise(path, error):
    with replacing(path) as temporary:
        temporary.write_text("half")
        raise error


def test_the_new_file_takes_the_place_of_the_old(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("old")
    with replacing(path) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["labels.csv"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, SystemExit])
def test_an_error_in_the_middle_leaves_the_old_file_whole(error, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("old")
    with pytest.raises(error):
        write_half_then_raise(path, error)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["labels.csv"]


def test_an_error_in_the_middle_leaves_no_new_file(tmp_path):
    with pytest.raises(OSError, match="full"):
        write_half_then_raise(tmp_path / "labels.csv", OSError(28, "full"))
    assert names(tmp_path) == []


def test_unfinished_files_are_removed_before_the_process_ends_at_once(tmp_path):
    path = tmp_path / "labels.csv"
    writing = replacing(path)
    temporary = writing.__enter__()
    temporary.write_text("half")
    discard_unfinished()
    assert names(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        writing.__exit__(None, None, None)
    assert not atomic._unfinished


def test_a_new_file_gets_the_permissions_of_an_ordinary_one(tmp_path):
    (tmp_path / "ordinary").write_text("")
    with replacing(tmp_path / "atomic") as temporary:
        temporary.write_text("")
    mode = (tmp_path / "atomic").stat().st_mode
    assert mode == (tmp_path / "ordinary").stat().st_mode


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_is_written_through_and_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "labels.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target)
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.posix
def test_what_is_not_a_file_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with replacing(pipe) as path:
            path.write_text("through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_folder_that_does_not_exist_is_an_ordinary_error(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "none" / "labels.csv"):
        pass


def test_a_check_leaves_no_trace(tmp_path):
    path = tmp_path / "labels.csv"
    check_writable(path)
    assert names(tmp_path) == []
    path.write_text("old")
    check_writable(path)
    assert (path.read_text(), names(tmp_path)) == ("old", ["labels.csv"])


def test_a_check_raises_what_the_write_would(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("")
    for path, error in [
        (tmp_path, IsADirectoryError),
        (tmp_path / "loop", OSError),
        (tmp_path / "none" / "labels.csv", FileNotFoundError),
        (tmp_path / "file" / "labels.csv", NotADirectoryError),
    ]:
        with pytest.raises(error) as checked:
            check_writable(path)
        if path != tmp_path:  # a folder is something else than a file, and written to directly
            with pytest.raises(type(checked.value)), replacing(path):
                pass


def test_a_name_as_long_as_names_may_be_can_be_written(tmp_path):
    path = tmp_path / ("é" * 125 + ".csv")
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"


def test_a_long_name_is_cut_between_two_characters(tmp_path):
    # Windows cannot decode a name that ends inside a character.
    with replacing(tmp_path / ("x" + "é" * 40 + ".csv")) as temporary:
        assert "é" in temporary.name
        temporary.name.encode()


def test_the_file_is_flushed_through_a_handle_that_may_write(tmp_path, monkeypatch):
    # Windows flushes no other.
    fcntl = pytest.importorskip("fcntl")
    modes, flush = [], os.fsync

    def note(handle):
        modes.append(fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE)
        flush(handle)

    monkeypatch.setattr(os, "fsync", note)
    with replacing(tmp_path / "labels.csv") as temporary:
        temporary.write_text("new")
    assert modes == [os.O_RDWR]
