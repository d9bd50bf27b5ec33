"""``consensa combine``: a label matrix in, labels out."""

from __future__ import annotations

import io

import dask
import numpy as np
import pandas as pd
import pytest

from consensa import Ensemble
from consensa.cli import _large


def clusters(done):
    assert done.status == 0, done.err
    return list(pd.read_csv(io.StringIO(done.out)).cluster)


def test_partitions_of_any_kind_are_combined(consensa, write):
    path = write("runs.csv", "name,p,q,r\na,0,u,x\nb,0,u,\nc,1,v,y\nd,-1,v,y\n")
    done = consensa("combine", path, "-k", 2, "--id", "name")
    assert clusters(done) == [0, 0, 1, 1]
    assert done.out.splitlines()[1] == "a,0,1.0,,0.0,False"


def test_the_truth_is_set_aside_and_scored(consensa, write):
    path = write("runs.csv", "p,q,truth\n0,0,m\n0,0,m\n1,1,n\n1,1,n\n")
    done = consensa("combine", path, "-k", 2, "--truth", "truth")
    assert clusters(done) == [0, 0, 1, 1]
    assert "2 partitions" in done.err
    assert "1.000" in done.err


def test_files_of_ensemble_save_are_read_with_their_names(consensa, tmp_path):
    frame = pd.DataFrame({"p": [0, 0, 1], "q": [0, 0, 1]}, index=["a", "b", "c"])
    Ensemble.from_labels(frame).save(tmp_path / "runs.npz")
    done = consensa("combine", tmp_path / "runs.npz", "-k", 2, "--drop", "q")
    assert done.out.split() == [
        "sample,cluster,confidence,rival,rival_share,outlier",
        "a,0,1.0,,0.0,False",
        "b,0,1.0,,0.0,False",
        "c,1,1.0,,0.0,False",
    ]
    assert "1 partition of" in done.err


def test_a_matrix_of_numpy_is_read(consensa, tmp_path):
    np.save(tmp_path / "runs.npy", [[0, 0], [0, 0], [1, 1], [-1, 1]])
    assert clusters(consensa("combine", tmp_path / "runs.npy", "-k", 2)) == [0, 0, 1, 1]


def test_names_that_are_used_as_a_partition_are_questioned(consensa, write):
    rows = [f"s{i},{i % 2},{i % 2 + 5}" for i in range(20)]
    path = write("runs.csv", "\n".join(["name,a,b", *rows]))
    done = consensa("combine", path, "-k", 2)
    assert "another label in each row, which are used as partitions: 'name'." in done.err
    assert "3 partitions of" in done.err
    assert "Warning" not in consensa("combine", path, "-k", 2, "--id", "name").err


@pytest.fixture
def folder(tmp_path):
    """Eight samples in three Parquet files: names, classes, three partitions."""
    frame = pd.DataFrame(
        {
            "name": list("abcdefgh"),
            "p": [0, 0, 0, 0, 1, 1, 1, 1],
            "q": [3, 3, 3, 3, 5, 5, 5, 5],
            "r": [0, 0, 0, 1, 1, 1, 1, 1],
            "class": list("uuuuvvvv"),
        }
    )
    path = tmp_path / "runs"
    path.mkdir()
    for part, (start, stop) in enumerate([(0, 3), (3, 4), (4, 8)]):
        frame[start:stop].to_parquet(path / f"part.{part}.parquet")
    return path


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_a_folder_of_parquet_is_combined(consensa, folder, engine):
    with dask.config.set(scheduler="synchronous"):
        done = consensa(
            "combine", folder, "-k", 2, "-m", "lwgp", "--id", "name", "--truth", "class",
            "--drop", "r", "--engine", engine,
        )  # fmt: skip
    assert clusters(done) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert done.out.splitlines()[1] == "a,0,1.0,,0.0,False"
    assert "2 partitions" in done.err
    assert "1.000" in done.err


def test_a_text_file_goes_to_dask_too(consensa, write):
    path = write("runs.csv", "p,q\n0,u\n0,u\n1,v\n1,\n")
    with dask.config.set(scheduler="synchronous"):
        done = consensa("combine", path, "-k", 2, "-m", "sec", "--engine", "dask")
    assert clusters(done) == [0, 0, 1, 1]


def test_large_files_stay_on_disk(consensa, tmp_path, monkeypatch):
    monkeypatch.setattr(_large, "_LARGE", 0)
    np.save(tmp_path / "runs.npy", [[0, 0, 9], [0, 0, 9], [1, 1, 8], [-1, 1, 8]])
    done = consensa("combine", tmp_path / "runs.npy", "-k", 2, "-m", "hbgf", "--truth", "2")
    assert clusters(done) == [0, 0, 1, 1]
    assert "2 partitions" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "spark"], "one of local, dask"),
        (["--engine", "dask", "-m", "eac"], "--engine dask has 'ECPCSMC', 'HBGF'"),
        (["--truth", "clas"], "Did you mean 'class'"),
        (
            ["--drop", "p", "--drop", "q", "--drop", "r", "--id", "name", "--truth", "class"],
            "at least one data column",
        ),
        (["--scheduler", "nowhere", "-m", "lwgp"], "--scheduler must be"),
    ],
)
@pytest.mark.filterwarnings("ignore")  # of Dask's own, on a connection that fails
def test_what_cannot_be_done_with_a_folder_is_said(consensa, folder, arguments, message):
    done = consensa("combine", folder, "-k", 2, *arguments)
    assert done.status == 2
    assert message in done.err
