"""Features on disk: bad files and bad values, each with one message that names the place."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet

import consensa as cs
from consensa.ensemble.passes import LocalRows
from consensa.exceptions import (
    IdColumnWarning,
    InvalidInputError,
    InvalidParameterError,
    UnstoredChunksWarning,
)
from consensa.features import stored_features
from consensa.features.identifiers import identifier_columns
from consensa.features.stored import open_features

SMALL = cs.DiverseKinds(8, max_samples=60, n_jobs=1)


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch):
    monkeypatch.setattr(stored_features, "_MOST_ROWS", 32)
    monkeypatch.setattr(stored_features, "_MULTIPLE", 1)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3)) + 9 * rng.integers(0, 2, (300, 1))
    return pd.DataFrame(rows, columns=list("abc"))


@pytest.fixture
def folder(tmp_path, frame):
    """Three files of 100 rows."""
    path = tmp_path / "table"
    path.mkdir()
    for number in range(3):
        part = frame[100 * number : 100 * number + 100]
        part.to_parquet(path / f"part.{number}.parquet", row_group_size=50, index=False)
    return path


def rewrite(folder, number, change):
    file = folder / f"part.{number}.parquet"
    change(pd.read_parquet(file)).to_parquet(file, row_group_size=50, index=False)
    return file


def fails(path, *parts):
    with pytest.raises(InvalidInputError) as raised:
        cs.cluster(open_features(path), 2, generator=SMALL, random_state=0)
    for part in parts:
        assert str(part) in str(raised.value)
    return str(raised.value)


def test_all_rows_are_read_in_order(folder, frame):
    stored = open_features(folder)
    assert_array_equal(stored.load().array, frame.to_numpy())
    assert (stored.n_samples, stored.n_columns) == (300, 3)
    assert stored.column_names == ("a", "b", "c")
    assert_array_equal(stored.select([2, 0]).load().array, frame[["c", "a"]].to_numpy())
    assert_array_equal(stored.column(1), frame["b"])


@pytest.mark.parametrize("value", [np.nan, np.inf, None])
def test_a_value_that_is_not_finite_is_named_by_file_row_and_column(folder, value):
    def change(part):
        part = part.astype(object) if value is None else part
        part.loc[73, "b"] = value
        return part.astype({"a": float, "b": float, "c": float})

    file = rewrite(folder, 1, change)
    fails(folder, f"{file}, row 73 (counted from 0), has", "column 'b'", "drop these rows")


def test_values_of_an_array_that_are_not_finite_are_named(tmp_path, frame):
    rows = frame.to_numpy().astype(np.float32)
    rows[271, 1] = np.nan
    np.save(tmp_path / "x.npy", rows)
    fails(tmp_path / "x.npy", "x.npy, row 271 (counted from 0), has no value (NaN) in column 1")


def test_missing_text_is_named(folder):
    rewrite(folder, 0, lambda part: part.assign(t=["u", "v"] * 50))
    rewrite(folder, 1, lambda part: part.assign(t=["u", "v"] * 50))
    file = rewrite(folder, 2, lambda part: part.assign(t=["u", None] * 50))
    fails(folder, f"{file}, row 1 (counted from 0), has no value in column 't'")


def test_a_broken_row_group_is_named(folder):
    file = folder / "part.1.parquet"
    data = bytearray(file.read_bytes())
    data[4:600] = bytes(596)
    file.write_bytes(data)
    fails(folder, file, "rows 100 to 149 of all, cannot be read:")


def test_a_missing_column_is_named(folder):
    file = rewrite(folder, 2, lambda part: part.drop(columns="b"))
    fails(folder, "must have the same columns", f"{file} has a, c", "It has no column 'b'")


def test_a_column_that_changes_its_kind_is_named(folder):
    file = rewrite(folder, 1, lambda part: part.assign(b=["u", "v"] * 50))
    message = fails(folder, f"{file}, column 'b', contains text", "it contains numbers")
    assert "part.0.parquet" in message


def test_a_column_of_dates_is_refused(folder):
    for number in range(3):
        rewrite(folder, number, lambda part: part.assign(b=pd.Timestamp("2020-01-01")))
    fails(folder, "column 'b', must contain numbers or text", "timestamp", "leave it out")


def test_text_among_numbers_is_named(folder, frame, monkeypatch):
    monkeypatch.setattr("consensa.features.table_features.SAMPLED_ROWS", 20)
    for number in range(3):
        rewrite(folder, number, lambda part: part.assign(b=part["b"].astype(str)))
    assert_array_equal(open_features(folder).load().array, frame.to_numpy())
    file = rewrite(folder, 2, lambda part: part.assign(b=part["b"].mask(part.index == 9, "?")))
    assert open_features(folder).encoding is None  # this row is not among those drawn
    fails(folder, f"{file}, row 9 (counted from 0), has the text '?' among numbers")


def test_empty_files_are_fine(folder, frame):
    frame[:0].to_parquet(folder / "part.00.parquet", index=False)
    frame[:0].to_parquet(folder / "part.9.parquet", index=False)
    assert_array_equal(open_features(folder).load().array, frame.to_numpy())


def test_a_file_that_was_cut_is_named(tmp_path, frame):
    path = tmp_path / "x.npy"
    np.save(path, frame.to_numpy())
    stored = open_features(path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(
        InvalidInputError, match=r"x.npy, rows \d+ to \d+, cannot be read: the file"
    ):
        stored.load()
    fails(path, "must be a matrix of numbers written by NumPy")


@pytest.mark.parametrize(
    "array", [np.zeros(4), np.zeros((4, 2), complex), np.array([["a"], ["b"]])]
)
def test_other_arrays_are_refused(tmp_path, array):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(InvalidInputError, match="must be a matrix of numbers"):
        open_features(tmp_path / "x.npy")


def test_rows_of_features_on_disk_are_not_left_out(tmp_path, frame):
    np.save(tmp_path / "x.npy", frame.to_numpy())
    with pytest.raises(InvalidParameterError, match="missing='drop' needs X in memory"):
        cs.cluster(open_features(tmp_path / "x.npy"), 2, missing="drop")


def test_a_column_without_a_value_is_not_filled(tmp_path, frame):
    np.save(tmp_path / "x.npy", frame.assign(b=np.nan).to_numpy())
    with pytest.raises(InvalidInputError, match="column 1 has no value"):
        cs.cluster(open_features(tmp_path / "x.npy"), 2, missing="impute")


def test_chunks_that_are_not_stored_are_told(tmp_path):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "x.zarr"
    array = zarr.open_array(path, mode="w", shape=(90, 2), chunks=(30, 2), dtype="f8")
    array[:60] = 1.0
    with pytest.warns(UnstoredChunksWarning, match="1 of the 3 chunks"):
        open_features(path)


def test_columns_of_row_numbers_are_told(folder, frame):
    rng = np.random.default_rng(0)
    names = rng.permutation(300)
    for number in range(3):
        own = names[100 * number : 100 * number + 100]
        rewrite(folder, number, lambda part, own=own: part.assign(id=own))
    assert identifier_columns(open_features(folder)) == ("id",)
    with pytest.warns(IdColumnWarning, match="Column 'id' looks like row numbers"):
        cs.cluster(open_features(folder), 2, generator=SMALL, random_state=0)


def test_arrays_of_any_layout_are_read(tmp_path, frame):
    rows = (100 * frame.to_numpy()).astype(">i4")
    for name, array in (("c", rows), ("f", np.asfortranarray(rows))):
        np.save(tmp_path / f"{name}.npy", array)
        read = open_features(tmp_path / f"{name}.npy").load().array
        assert_array_equal(read, rows)
        assert read.dtype == np.float64


def test_the_overlaps_of_clusters_are_summed_once(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = np.array([[0.0] * 4, [6.0] * 4])[rng.integers(0, 2, 400)] + rng.normal(size=(400, 4))
    np.save(tmp_path / "features.npy", rows)
    sums = []

    def counted(self):
        sums.append(self)
        return overlap(self)

    overlap = LocalRows.overlap
    monkeypatch.setattr(LocalRows, "overlap", counted)
    generator = cs.DiverseKinds(4, max_samples=60)
    stored = cs.open_features(tmp_path / "features.npy")
    assert cs.cluster(stored, 2, generator=generator, random_state=0).n_clusters == 2
    assert len(sums) == 1


def test_a_damaged_row_group_is_named(tmp_path, frame):
    path = tmp_path / "x.parquet"
    frame.to_parquet(path, row_group_size=10, write_page_checksum=True, compression=None)
    column = parquet.ParquetFile(path).metadata.row_group(2).column(0)
    damaged = bytearray(path.read_bytes())
    damaged[column.data_page_offset + column.total_compressed_size - 8] ^= 0x55
    path.write_bytes(damaged)
    with pytest.raises(InvalidInputError, match=r"rows 20 to 29 of all, cannot be .* Write the"):
        open_features(path).load()


def test_the_number_of_clusters_is_chosen_with_text_columns(tmp_path, frame):
    table = frame.assign(color=np.where(frame["a"] > 4, "red", "blue"))
    table.to_parquet(tmp_path / "x.parquet", row_group_size=90)
    sampled = open_features(tmp_path / "x.parquet").sampled(100)
    assert sampled.array.shape == (100, 5)
    assert list(sampled.encoding.text_columns) == ["color"]
