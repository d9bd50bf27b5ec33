"""``consensa cluster`` of features on disk writes labels as they are made, as those in memory."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import consensa as cs
from consensa.cli import _in_blocks, _write
from consensa.consensus import _tea
from consensa.ensemble.deferred import RowValues

SMALL = cs.DiverseKinds(8, max_samples=100, n_jobs=1)
N = 500


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0] * 4, [6.0] * 4, [0.0, 6.0] * 2])
    rows = centers[rng.integers(0, 3, N)] + rng.normal(size=(N, 4))
    return pd.DataFrame(rows, columns=list("abcd"))


@pytest.fixture
def few(monkeypatch):
    """Few landmarks and small blocks."""
    monkeypatch.setattr("consensa.cli._generators.base_partitions", lambda *a, **k: SMALL)
    monkeypatch.setattr(_tea, "_MOST_SAMPLES", 100)
    monkeypatch.setattr(_in_blocks, "_ROWS", 128)
    monkeypatch.setattr(_in_blocks, "_ROWS_OF_THREAD", 50)
    monkeypatch.setattr("consensa.features.stored_features._MOST_ROWS", 64)
    monkeypatch.setattr("consensa.features.stored_features._MULTIPLE", 1)


@pytest.fixture
def parquet(frame, tmp_path):
    path = tmp_path / "x.parquet"
    frame.to_parquet(path, row_group_size=90)
    return path


@pytest.fixture
def wanted(few, frame):
    """The table of the same rows in memory, with outliers by the partitions, as on disk."""
    table = cs.sample_table(cs.cluster(frame, 3, generator=SMALL, random_state=0))
    return table.round({"confidence": 6, "rival_share": 6})


READERS = {
    ".csv": lambda path: pd.read_csv(path, dtype={"rival": "Int64"}),
    ".parquet": pd.read_parquet,
    ".xlsx": lambda path: pd.read_excel(path, dtype={"rival": "Int64"}),
}


@pytest.mark.parametrize("ending", READERS)
def test_the_table_is_that_of_the_rows_in_memory(consensa, parquet, wanted, tmp_path, ending):
    out = tmp_path / f"labels{ending}"
    done = consensa("cluster", parquet, "-k", 3, "-o", out, "--memory", "4G")
    assert done.status == 0, done.err
    found = READERS[ending](out)
    assert found.pop("sample").tolist() == list(range(N))
    assert_frame_equal(found, wanted)


def test_no_number_of_each_row_is_kept(consensa, parquet, wanted, tmp_path, monkeypatch):
    monkeypatch.setattr(RowValues, "__array__", None)
    page = tmp_path / "page.html"
    done = consensa("cluster", parquet, "-k", 3, "--memory", "4G", "--report", page)
    assert done.status == 0, done.err
    assert len(done.out.splitlines()) == N + 1
    sizes = ", ".join(map(str, np.bincount(wanted["cluster"])))
    assert f"3 clusters of sizes {sizes}" in done.err
    assert f"the clusters have the sizes {sizes}" in page.read_text()


@pytest.mark.parametrize("names", [[f"s{row}" for row in range(N)], [None, *range(1, N)]])
def test_names_of_rows_are_read_in_blocks(consensa, frame, wanted, tmp_path, names):
    frame.assign(name=names).to_parquet(tmp_path / "x.parquet", row_group_size=90)
    out = tmp_path / "labels.csv"
    given = ["-k", 3, "-o", out, "--memory", "4G", "--id", "name"]
    done = consensa("cluster", tmp_path / "x.parquet", *given)
    assert done.status == 0, done.err
    found = pd.read_csv(out, dtype={"name": str, "rival": "Int64"}, keep_default_na=False,
                        na_values={"rival": [""]})  # fmt: skip
    texts = ["" if name is None else str(name) for name in names]
    column = pd.Series(names)
    texts = ["" if gone else str(own) for own, gone in zip(column, column.isna(), strict=True)]
    assert found.pop("name").tolist() == texts
    assert_frame_equal(found, wanted)


def full_disk(monkeypatch, after):
    """The disk is full after so many blocks."""
    write, written = pd.DataFrame.to_csv, []

    def fail(self, *args, **kwargs):
        written.append(len(self))
        if len(written) == after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, *args, **kwargs)

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)


def test_a_full_disk_leaves_no_half_file_and_the_next_run_goes_on(
    consensa, parquet, wanted, tmp_path, monkeypatch
):
    out, state = tmp_path / "out" / "labels.csv", tmp_path / "state"
    out.parent.mkdir()
    given = ["cluster", parquet, "-k", 3, "-o", out, "--resume", state]
    with monkeypatch.context() as patched:
        full_disk(patched, after=3)
        done = consensa(*given)
    assert done.status == 2
    assert "labels.csv could not be written: No space left on device." in done.err
    assert f"run again with --resume {state}: what was computed is kept there" in done.err
    assert list(out.parent.iterdir()) == []
    assert consensa(*given).status == 0
    assert_frame_equal(READERS[".csv"](out).drop(columns="sample"), wanted)


def test_without_a_state_labels_are_written_elsewhere(
    consensa, parquet, wanted, tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(_write.tempfile, "tempdir", None)
    full_disk(monkeypatch, after=3)
    out = tmp_path / "labels.csv"
    done = consensa("cluster", parquet, "-k", 3, "-o", out, "--memory", "4G")
    assert done.status == 2
    assert "The labels were written to" in done.err
    (elsewhere,) = tmp_path.glob("consensa-*.csv")
    assert_frame_equal(READERS[".csv"](elsewhere).drop(columns="sample"), wanted)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_run_that_is_killed_while_it_writes_goes_on(consensa, parquet, wanted, tmp_path):
    out, state = tmp_path / "labels.csv", tmp_path / "state"
    given = list(map(str, ["cluster", parquet, "-k", 3, "-o", out, "--resume", state]))
    script = textwrap.dedent(
        f"""
        import os, signal
        import pandas as pd
        import consensa as cs
        from consensa.cli import _generators, _in_blocks, run
        from consensa.consensus import _tea
        from consensa.features import stored_features
        _tea._MOST_SAMPLES = 100
        _in_blocks._ROWS = 128
        stored_features._MOST_ROWS, stored_features._MULTIPLE = 64, 1
        small = cs.DiverseKinds(8, max_samples=100, n_jobs=1)
        _generators.base_partitions = lambda *a, **k: small
        write, written = pd.DataFrame.to_csv, []
        def killed(self, *args, **kwargs):
            written.append(1)
            if len(written) == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            return write(self, *args, **kwargs)
        pd.DataFrame.to_csv = killed
        run({given!r})
        """
    )
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert not out.exists()
    done = consensa(*given)
    assert done.status == 0, done.err
    assert_frame_equal(READERS[".csv"](out).drop(columns="sample"), wanted)
    assert not list(tmp_path.glob(".labels*"))  # nothing is left of the killed run
