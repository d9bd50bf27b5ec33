"""Options of ``consensa cluster`` give the same for a table on disk and in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import consensa as cs
from consensa.cli import _in_blocks
from consensa.consensus import _tea

SMALL = cs.DiverseKinds(8, max_samples=100, n_jobs=1)
N = 400


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Few landmarks and small blocks."""
    monkeypatch.setattr("consensa.cli._generators.base_partitions", lambda *a, **k: SMALL)
    monkeypatch.setattr(_tea, "_MOST_SAMPLES", 100)
    monkeypatch.setattr(_in_blocks, "_ROWS", 128)
    monkeypatch.setattr("consensa.features.stored_features._MOST_ROWS", 64)
    monkeypatch.setattr("consensa.features.stored_features._MULTIPLE", 1)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, N)
    rows = 6 * classes[:, None] + rng.normal(size=(N, 4))
    made = pd.DataFrame(rows, columns=list("abcd"))
    made["d"] = (made["d"] > 3).astype(float)
    made["color"] = np.where(rng.random(N) < 0.9, np.array(["red", "blue"])[classes], "green")
    return made


@pytest.fixture
def both(consensa, tmp_path):
    """Run a command on a Parquet file in memory and on disk; what each printed."""

    def run(frame, *options, status=0):
        path = tmp_path / "x.parquet"
        frame.to_parquet(path, row_group_size=90)
        said = []
        for where, more in (("memory", []), ("disk", ["--memory", "4G"])):
            own = [str(option).replace("WHERE", where) for option in options]
            done = consensa("cluster", path, "-k", 2, *own, *more)
            assert done.status == status, done.err
            said.append(done)
        return said

    return run


def read_both(folder, name):
    readers = {".csv": pd.read_csv, ".parquet": pd.read_parquet}
    paths = [folder / name.replace("WHERE", where) for where in ("memory", "disk")]
    return [readers[path.suffix](path) for path in paths]


def without_outliers(tables):
    """In memory outliers are found by distances, on disk by the base partitions."""
    return [table.drop(columns="outlier") for table in tables]


@pytest.mark.parametrize("named", [False, True, "patient"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_append_adds_the_results_to_the_columns_of_the_file(both, frame, tmp_path, ending, named):
    frame["count"] = pd.array([None, *range(1, N)], dtype="Int64")
    frame["cluster"] = "mine"
    frame["when"] = pd.date_range("2026-01-31 12:30", periods=N)  # not a feature, and not used
    frame["kind"] = pd.Categorical(np.where(np.arange(N) < 200, "x", "y"))
    if named:
        title = named if isinstance(named, str) else None
        frame.index = pd.Index([f"r{row}" for row in range(N)], name=title)
    given = ["--append", "--columns", "a", "--columns", "color"]
    both(frame, *given, "-o", tmp_path / f"WHERE{ending}")
    memory, disk = without_outliers(read_both(tmp_path, f"WHERE{ending}"))
    assert_frame_equal(disk, memory, check_dtype=ending == ".csv")
    assert len(disk.columns) == 13 + bool(named)
    assert ("patient" in disk) == (named == "patient")
    assert disk.columns.tolist()[-4:] == ["cluster_2", "confidence", "rival", "rival_share"]


def test_append_reads_an_array(consensa, frame, tmp_path):
    np.save(tmp_path / "x.npy", frame[list("abc")].to_numpy())
    for where, more in (("memory", []), ("disk", ["--memory", "4G"])):
        out = tmp_path / f"{where}.csv"
        given = ["-k", 2, "--append", "-o", out, "--drop", "2"]
        assert consensa("cluster", tmp_path / "x.npy", *given, *more).status == 0
    memory, disk = without_outliers(read_both(tmp_path, "WHERE.csv"))
    assert_frame_equal(disk, memory)
    assert disk.columns.tolist()[:3] == ["0", "1", "2"]


@pytest.mark.parametrize("columns", ["abcd", None])
def test_profiles_are_those_of_the_table_in_memory(both, frame, tmp_path, columns):
    table = frame if columns is None else frame[list(columns)]
    both(table, "--profiles", tmp_path / "WHERE.csv", "-o", tmp_path / "labels.csv")
    memory, disk = read_both(tmp_path, "WHERE.csv")
    assert_frame_equal(disk, memory)
    assert len(disk) == 2 * (4 if columns else 7)


def test_a_saved_model_predicts_as_that_of_the_table_in_memory(consensa, both, frame, tmp_path):
    both(frame, "--save", tmp_path / "WHERE.npz", "-o", tmp_path / "labels.csv")
    memory, disk = (cs.load_model(tmp_path / f"{where}.npz") for where in ("memory", "disk"))
    assert disk.columns.names == memory.columns.names
    assert disk.columns.fills == memory.columns.fills
    rng = np.random.default_rng(1)
    new = frame.iloc[:200].copy()
    new[["a", "b"]] += rng.normal(size=(200, 2))
    new.loc[5, "color"] = None
    found = [model.sample_table(new) for model in (memory, disk)]
    assert_frame_equal(*without_outliers(found))
    assert f"of {N} samples" in repr(disk)
    new.to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / "new_labels.csv"
    assert consensa("predict", tmp_path / "disk.npz", tmp_path / "new.csv", "-o", out).status == 0
    assert pd.read_csv(out)["cluster"].tolist() == found[0]["cluster"].tolist()


def test_few_rows_are_judged_as_in_memory(both, frame, tmp_path):
    frame.loc[3, ["a", "b", "c"]] = 60.0
    table = frame.iloc[:90]
    both(table, "-o", tmp_path / "WHERE.csv", "--save", tmp_path / "WHERE.npz")
    memory, disk = read_both(tmp_path, "WHERE.csv")
    assert_frame_equal(disk, memory)
    assert disk["outlier"][3]
    models = (cs.load_model(tmp_path / f"{where}.npz") for where in ("memory", "disk"))
    assert_frame_equal(*(model.sample_table(frame) for model in models))


def test_missing_values_are_filled_as_in_memory(both, frame, tmp_path):
    rng = np.random.default_rng(2)
    frame["truth"] = pd.array(rng.random(N) < 0.4, dtype="boolean")
    frame["empty"] = [1.0, *[None] * (N - 1)]
    for name, share in (("a", 0.3), ("color", 0.2), ("truth", 0.1)):
        frame.loc[rng.random(N) < share, name] = None
    given = ["--missing", "impute", "-o", tmp_path / "WHERE.csv"]
    said = both(frame, *given)
    memory, disk = without_outliers(read_both(tmp_path, "WHERE.csv"))
    assert_frame_equal(disk, memory)
    for begin, end in (
        ("More than half is missing", "."),
        ("missing values were filled", "'truth'"),
    ):
        sentence = said[0].err[said[0].err.index(begin) :]
        assert sentence[: sentence.index(end)] in said[1].err


def test_missing_values_are_filled_in_python_too(frame, tmp_path):
    frame.loc[::7, "b"] = np.nan
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=90)
    wanted = cs.cluster(frame, 2, generator=SMALL, missing="impute", random_state=0)
    stored = cs.open_features(tmp_path / "x.parquet")
    found = cs.cluster(stored, 2, generator=SMALL, missing="impute", random_state=0)
    assert found.labels.tolist() == wanted.labels.tolist()
    assert found.details["missing values"] == wanted.details["missing values"]


def test_a_row_that_is_mostly_missing_is_named(consensa, frame, tmp_path):
    frame.loc[123, ["a", "b", "c"]] = np.nan
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=90)
    given = ["-k", 2, "--missing", "impute", "--memory", "4G"]
    done = consensa("cluster", tmp_path / "x.parquet", *given)
    assert done.status == 2
    assert "x.parquet, row 123 (counted from 0), has no value in more than half" in done.err


def test_missing_values_are_an_error_if_nothing_is_asked_for(consensa, frame, tmp_path):
    frame.loc[123, "b"] = np.nan
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=90)
    done = consensa("cluster", tmp_path / "x.parquet", "-k", 2, "--memory", "4G")
    assert done.status == 2
    assert "x.parquet, row 123 (counted from 0), has no value in column 'b'." in done.err
    assert "--missing impute, fills it" in done.err


@pytest.mark.parametrize("text", [False, True])
def test_ids_are_left_out_as_in_memory(both, frame, tmp_path, text):
    rng = np.random.default_rng(3)
    frame = frame if text else frame[list("abcd")].copy()
    frame.insert(0, "nr", rng.permutation(N) + 7)
    frame["wide"] = rng.permutation(3 * N)[:N]
    if text:
        frame["name"] = [f"s{row}" for row in range(N)]
    said = both(frame, "-o", tmp_path / "WHERE.csv")
    memory, disk = without_outliers(read_both(tmp_path, "WHERE.csv"))
    assert_frame_equal(disk, memory)
    warning = said[0].err[said[0].err.index("Columns that look like row numbers") :]
    warning = warning[: warning.index(" to use them")]
    assert "--keep nr" in warning
    assert ("--keep name" in warning) == text
    assert "wide" not in warning
    assert warning in said[1].err
    said = both(frame, "-o", tmp_path / "WHERE.csv", "--keep", "nr", "--keep", "name")
    memory, disk = without_outliers(read_both(tmp_path, "WHERE.csv"))
    assert_frame_equal(disk, memory)
    for done in said:
        assert "are left out: nr" not in done.err
