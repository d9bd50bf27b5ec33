"""Names are read as they are written, labels exactly, and only what is asked for is read."""

from __future__ import annotations

import json
import os
import zipfile

import dask
import numpy as np
import pandas as pd
import polars as pl
import pytest

from consensa._machine import numpy_files
from consensa._machine.numpy_files import NpzArchive
from consensa.cli import _large
from consensa.tables.reading import read_table
from consensa.tables.table import Request

NAMES = ["007", "9007199254740993", "NA", "null", "1e3", ""]


def names(done):
    """Sample names in the output."""
    assert done.status == 0, done.err
    return [line.rsplit(",", 5)[0] for line in done.out.splitlines()[1:]]


def rows(first_line, *, labels="1,a 1,a 1,a 2,b 2,b 2,b"):
    lines = [f"{name},{own}" for name, own in zip(NAMES, labels.split(), strict=True)]
    return "\n".join([first_line, *lines, ""])


@pytest.mark.parametrize("command", [("combine",), ("compare", "--labels", "-m", "eac")])
@pytest.mark.parametrize(
    ("first_line", "options"),
    [(",p,q", ()), ("p,q", ()), ("name,p,q", ("--id", "name"))],
    ids=["unnamed", "without a place", "named"],
)
def test_names_are_kept_as_they_are_written(
    consensa, write, tmp_path, command, first_line, options
):
    path, output = write("runs.csv", rows(first_line)), tmp_path / "out.csv"
    done = consensa(*command, path, "-k", 2, "-o", output, *options)
    assert done.status == 0, done.err
    assert pd.read_csv(output, dtype=str, na_filter=False).iloc[:, 0].tolist() == NAMES


def test_names_without_a_header_are_kept_too(consensa, write):
    path = write("runs.csv", "007,1,2\nNA,1,2\n010,2,3\n")
    done = consensa("combine", path, "-k", 2, "--no-header", "--id", "0")
    assert names(done) == ["007", "NA", "010"]


def test_names_that_are_plain_integers_stay_numbers(consensa, write, tmp_path):
    path, output = write("runs.csv", ",p,q\n5,1,1\n7,1,1\n9,2,2\n"), tmp_path / "out.json"
    assert consensa("compare", path, "--labels", "-k", 2, "-m", "eac", "-o", output).status == 0
    assert json.loads(output.read_text())["samples"] == [5, 7, 9]


def test_the_truth_is_read_exactly(consensa, write):
    lines = [f"{value},{own},{own}" for own, value in enumerate((2**64, 2**64 + 1)) for _ in "xyz"]
    path = write("runs.csv", "\n".join(["t,p,q", *lines, ""]))
    done = consensa("combine", path, "-k", 2, "--truth", "t")
    assert "1.000" in done.err


def test_an_exponent_of_more_than_32_bits_does_not_wrap_around(consensa, write):
    path = write("points.csv", "x,y\n1e4294967297,1\n1,2\n3,4\n")
    done = consensa("cluster", path, "-k", 2)
    assert done.status == 2
    assert "'x' has infinity in line 2" in done.err


# ---- Parquet


@pytest.fixture
def indexed(tmp_path):
    """A frame with a named index, and a column that is called like one."""
    frame = pd.DataFrame(
        {"p": [1, 1, 2, 2], "q": list("aabb"), "__index_level_9__": [5, 5, 6, 6]},
        index=pd.Index(["007", "NA", "x", "y"], name="cell"),
    )
    path = tmp_path / "runs"
    path.mkdir()
    frame.to_parquet(path / "cell.parquet")
    return path


@pytest.mark.parametrize("engine", ["local", "dask"])
@pytest.mark.parametrize("what", ["cell.parquet", "."])
@pytest.mark.parametrize("limit", [0, 2**28], ids=["large", "small"])
def test_a_named_index_names_the_rows_and_is_no_partition(
    consensa, indexed, engine, what, limit, monkeypatch
):
    monkeypatch.setattr(_large, "_LARGE", limit)
    with dask.config.set(scheduler="synchronous"):
        done = consensa("combine", indexed / what, "-k", 2, "-m", "lwgp", "--engine", engine)
    assert names(done) == ["007", "NA", "x", "y"]
    assert "3 partitions" in done.err


def test_numbers_of_rows_are_names_if_they_go_on_over_the_files(consensa, tmp_path):
    frame = pd.DataFrame({"p": [1, 1, 2, 2], "q": [3, 3, 4, 4]}, index=range(10, 14))
    frame[:2].to_parquet(tmp_path / "1.parquet")
    frame[2:].to_parquet(tmp_path / "2.parquet")
    assert names(consensa("combine", tmp_path, "-k", 2)) == ["10", "11", "12", "13"]
    frame[:2].to_parquet(tmp_path / "2.parquet")  # which starts at 10 again
    assert names(consensa("combine", tmp_path, "-k", 1)) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("limit", [0, 2**28], ids=["large", "small"])
def test_names_in_parquet_lose_no_digit_and_a_missing_one_is_empty(
    consensa, tmp_path, monkeypatch, limit
):
    monkeypatch.setattr(_large, "_LARGE", limit)
    frame = {"id": [2**53 + 1, None, 7], "p": [1, 1, 2], "q": ["a", "a", "b"]}
    pl.DataFrame(frame).write_parquet(tmp_path / "runs.parquet")
    done = consensa("combine", tmp_path / "runs.parquet", "-k", 2, "--id", "id")
    assert names(done) == ["9007199254740993", "", "7"]


def test_a_class_that_is_missing_in_a_large_file_is_refused(consensa, tmp_path, monkeypatch):
    monkeypatch.setattr(_large, "_LARGE", 0)
    frame = {"t": [1, None, 2], "p": [1, 1, 2]}
    pl.DataFrame(frame).write_parquet(tmp_path / "runs.parquet")
    done = consensa("combine", tmp_path / "runs.parquet", "-k", 2, "--truth", "t")
    assert done.status == 2
    assert "Column 't' has none in row 1" in done.err


# ---- NPZ


@pytest.fixture
def unpacked(monkeypatch):
    """Names of the arrays that were unpacked."""
    found, read = [], NpzArchive.read

    def watched(self, name):
        found.append(name)
        return read(self, name)

    monkeypatch.setattr(NpzArchive, "read", watched)
    return found


def test_only_the_named_array_is_unpacked(consensa, tmp_path, unpacked):
    path = tmp_path / "two.npz"
    np.savez_compressed(path, X=np.arange(8.0).reshape(4, 2), other=np.eye(4), y=[0, 0, 1, 1])
    assert consensa("cluster", path, "-k", 2, "--array", "X").status == 0
    assert unpacked == ["X"]
    done = consensa("cluster", path, "-k", 2, "--array", "X", "--truth", "y")
    assert "Scores against the truth" in done.err
    assert unpacked == ["X", "X", "y"]


def test_the_memory_of_an_array_is_checked_before_it_is_unpacked(
    consensa, tmp_path, unpacked, monkeypatch
):
    path = tmp_path / "large.npz"
    np.savez_compressed(path, X=np.zeros((1000, 1000)))
    np.save(tmp_path / "large.npy", np.zeros((1000, 1000)))
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 10**6)
    monkeypatch.setattr(numpy_files.npy, "read_array", None)  # whoever unpacks fails otherwise
    for file in (path, tmp_path / "large.npy"):
        done = consensa("cluster", file, "-k", 2)
        assert done.status == 2
        assert "needs about 7.629 MiB (shape (1000, 1000), float64)" in done.err


def test_members_that_are_no_arrays_are_ignored(consensa, tmp_path):
    path = tmp_path / "runs.npz"
    np.savez(path, labels=[[0, 0], [0, 0], [1, 1]], notes=np.array([{}], dtype=object))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("README.txt", "nothing")
    assert consensa("combine", path, "-k", 2).status == 0
    done = consensa("combine", path, "-k", 2, "--array", "README.txt")
    assert done.status == 2
    assert "--array must name an array" in done.err
    done = consensa("combine", path, "-k", 2, "--array", "notes")
    assert done.status == 2
    assert "pickled objects" in done.err


# ---- what is no file, and what is too wide


@pytest.mark.posix
@pytest.mark.parametrize("name", ["pipe.csv", "pipe.npy", "pipe.npz", "pipe.parquet"])
@pytest.mark.parametrize("command", ["combine", "cluster"])
def test_a_pipe_is_refused_and_not_waited_for(consensa, tmp_path, command, name):
    os.mkfifo(tmp_path / name)
    done = consensa(command, tmp_path / name, "-k", 2)
    assert done.status == 2
    assert "must be a regular file. It is a pipe" in done.err


@pytest.mark.parametrize(
    "first_line", ["a" + "," * 2000, ",".join(map("c{}".format, range(2001)))]
)
def test_very_many_empty_columns_are_refused_before_pandas_reads_them(
    consensa, write, monkeypatch, first_line
):
    path = write("wide.csv", first_line + "\n" + ("1" + "," * 2000 + "\n") * 3)
    monkeypatch.setattr(pd, "read_csv", None)
    for command in ("combine", "cluster"):
        done = consensa(command, path, "-k", 2)
        assert done.status == 2
        assert (
            "has 2000 columns without a value in any row, the first of them in place 2" in done.err
        )


def test_columns_that_are_empty_in_some_rows_only_are_read(write):
    lines = ["1" + "," * 1500, "," * 1499 + ",1", ",".join(["1"] * 1501)]
    path = write("wide.csv", ",".join(f"c{j}" for j in range(1501)) + "\n" + "\n".join(lines))
    table = read_table(path, Request.of(None, None, labels=True, truth=None, row_id=None))
    assert table.frame.shape == (3, 1501)
