"""``consensa cluster`` of tables that are read in blocks of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import consensa as cs


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3)) + 9 * rng.integers(0, 2, (300, 1))
    return pd.DataFrame(rows, columns=list("abc"))


@pytest.fixture
def folder(tmp_path, frame):
    path = tmp_path / "table"
    path.mkdir()
    for number in range(3):
        part = frame[100 * number : 100 * number + 100]
        part.to_parquet(path / f"part.{number}.parquet", index=False)
    return path


def test_a_folder_is_read_in_blocks(consensa, folder, frame, tmp_path):
    out = tmp_path / "labels.csv"
    options = ["-k", 2, "--partitions", 8, "-o", out, "--drop", "c", "--truth", "b", "-j", 1]
    for number in range(3):
        file = folder / f"part.{number}.parquet"
        pd.read_parquet(file).assign(b=list("uv") * 50).to_parquet(file, index=False)
    done = consensa("cluster", folder, *options)
    assert done.status == 0, done.err
    assert "Scores against the truth" in done.err
    wanted = cs.cluster(frame[["a"]], 2, generator=cs.DiverseKinds(8), random_state=0)
    assert_array_equal(pd.read_csv(out)["cluster"], wanted.labels)


def test_a_file_is_resumed(consensa, frame, tmp_path):
    frame.to_parquet(tmp_path / "x.parquet")
    state, out = tmp_path / "state", tmp_path / "labels.csv"
    given = ["-k", 2, "--partitions", 8, "--resume", state, "-o", out, "-j", 1]
    page = tmp_path / "page.html"
    done = consensa("cluster", tmp_path / "x.parquet", *given, "--report", page)
    assert done.status == 0, done.err
    assert "X = consensa.open_features(" in page.read_text()
    wanted = cs.cluster(frame, 2, generator=cs.DiverseKinds(8), random_state=0)
    assert_array_equal(pd.read_csv(out)["cluster"], wanted.labels)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--missing", "drop"], "--missing drop reads the whole table"),
        (["--dates"], "--dates reads the whole table"),
        (["--append", "--engine", "dask"], "--append reads the whole table"),
        (["--memory", "10MB"], "too low: this process uses"),
        (["--memory", "much"], "expected a size"),
    ],
)
def test_what_cannot_be_done_ends_with_status_2(
    consensa, folder, tmp_path, monkeypatch, options, wanted
):
    monkeypatch.chdir(tmp_path)
    done = consensa("cluster", folder, "-k", 2, *options)
    assert done.status == 2
    assert wanted in " ".join(done.err.replace("│", " ").split())


def test_a_bad_value_ends_with_status_2_and_its_place(consensa, folder):
    file = folder / "part.2.parquet"
    part = pd.read_parquet(file)
    part.loc[17, "b"] = np.nan
    part.to_parquet(file, index=False)
    done = consensa("cluster", folder, "-k", 2)
    assert done.status == 2
    assert "part.2.parquet, row 17 (counted from 0), has" in " ".join(done.err.split())


def test_other_files_are_not_read_in_blocks(consensa, write):
    done = consensa("cluster", write("x.csv", "a,b\n1,2\n3,4\n"), "-k", 2, "--memory", "4G")
    assert done.status == 2
    assert "Got x.csv" in done.err
