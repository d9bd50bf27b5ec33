"""Label matrices that stay on disk."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr
from numpy.testing import assert_array_equal

from consensa import (
    LWGP,
    Ensemble,
    open_labels,
)
from consensa.ensemble import _stored_array
from consensa.exceptions import InvalidInputError, UnstoredChunksWarning


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(_stored_array, "_ROWS", 8)


@pytest.fixture
def labels():
    drawn = np.random.default_rng(0).integers(-1, 9, (50, 4)).astype(np.int16)
    drawn[:, 0] = np.abs(drawn[:, 0])
    return drawn


@pytest.fixture
def save(tmp_path):
    """Write labels in a format; returns the path."""

    def npy(labels):
        np.save(tmp_path / "labels.npy", labels)
        return tmp_path / "labels.npy"

    def zarr_folder(labels):
        array = zarr.create_array(
            tmp_path / "labels.zarr", shape=labels.shape, chunks=(7, 2), dtype=labels.dtype
        )
        array[:] = labels
        return tmp_path / "labels.zarr"

    def parquet(labels):
        folder = tmp_path / "labels"
        folder.mkdir()
        frame = pd.DataFrame(labels, columns=list("abcd")[: labels.shape[1]])
        for part, start in enumerate(range(0, len(frame), 4)):  # 10 comes after 9
            piece = frame.iloc[start : start + 4]
            piece.to_parquet(folder / f"part.{part}.parquet", row_group_size=3)
        return folder

    return {"npy": npy, "zarr": zarr_folder, "parquet": parquet}


formats = pytest.mark.parametrize("form", ["npy", "zarr", "parquet"])


@formats
def test_labels_on_disk_are_the_labels_in_memory(form, save, labels):
    ensemble = Ensemble.from_labels(open_labels(save[form](labels)))
    wanted = Ensemble.from_labels(labels)
    assert_array_equal(ensemble.codes, wanted.codes)
    assert_array_equal(ensemble.cluster_counts, wanted.cluster_counts)
    assert_array_equal(ensemble.cluster_sizes, wanted.cluster_sizes)
    assert_array_equal(ensemble.overlap.toarray(), wanted.overlap.toarray())
    assert ensemble.n_missing == wanted.n_missing > 0
    assert_array_equal(ensemble.labels[3:9], wanted.codes[3:9])
    assert_array_equal(ensemble.labels[[4, 2]], wanted.codes[[4, 2]])


@formats
def test_an_estimator_takes_labels_on_disk_as_they_are(form, save, labels):
    there = LWGP(3, generator="precomputed", random_state=0).fit(open_labels(save[form](labels)))
    here = LWGP(3, generator="precomputed", random_state=0).fit(labels)
    assert_array_equal(there.labels_, here.labels_)


def test_numbered_memory_maps_are_not_copied(save, labels):
    numbered = Ensemble.from_labels(labels).codes.astype(np.int8)
    mapped = np.load(save["npy"](numbered), mmap_mode="r")
    ensemble = Ensemble.from_labels(mapped)
    assert ensemble.labels.dtype == np.int8
    assert np.shares_memory(ensemble.labels, mapped)
    assert np.shares_memory(ensemble.codes, mapped)
    assert_array_equal(ensemble.overlap.toarray(), Ensemble.from_labels(labels).overlap.toarray())


@formats
def test_an_ensemble_on_disk_survives_pickling(form, save, labels):
    ensemble = Ensemble.from_labels(open_labels(save[form](labels)))
    again = pickle.loads(pickle.dumps(ensemble))
    assert_array_equal(again.codes, ensemble.codes)


def test_names_and_nothing_in_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "words": ["x", None, "y", "x"],
            "floats": [2.0, np.nan, 5.0, 2.0],
            "unsigned": pd.array([1, 1, 3, None], dtype="UInt8"),
            "large": [2**40, 5, 2**40, 5],
            "sides": [True, False, False, True],
        }
    )
    frame.to_parquet(tmp_path / "runs.parquet", row_group_size=1)
    ensemble = Ensemble.from_labels(open_labels(tmp_path / "runs.parquet"))
    assert_array_equal(ensemble.codes, Ensemble.from_labels(frame).codes)
    assert ensemble.partition_names == ("words", "floats", "unsigned", "large", "sides")


def test_floats_with_nan_in_a_memory_map(save):
    labels = np.array([[3.0, np.nan], [3.0, 1.0], [0.0, 1.0]])
    mapped = np.load(save["npy"](labels), mmap_mode="r")
    assert_array_equal(Ensemble.from_labels(mapped).codes, [[0, -1], [0, 0], [1, 0]])


@pytest.mark.parametrize(
    ("row", "entry", "message"),
    [
        (20, [0, -7, 0, 0], "partition 1 must not be negative.*Row 20 has -7"),
        (21, [-1, -1, -1, -1], "Row 21 is missing in all 4"),
    ],
)
def test_a_bad_row_is_named_by_its_number_in_the_whole(save, labels, row, entry, message):
    labels[row] = entry
    with pytest.raises(InvalidInputError, match=message):
        Ensemble.from_labels(open_labels(save["npy"](labels)))


def test_features_in_a_memory_map_are_refused_with_the_row(save):
    features = np.zeros((20, 2))
    features[17, 1] = 0.5
    with pytest.raises(InvalidInputError, match=r"Row 17 has 0\.5"):
        Ensemble.from_labels(open_labels(save["npy"](features)))


def test_a_partition_that_labels_nothing_is_refused_by_name(tmp_path):
    pd.DataFrame({"a": [0, 1], "b": [-1, -1]}).to_parquet(tmp_path / "runs.parquet")
    with pytest.raises(InvalidInputError, match="Partition 'b' labels none"):
        Ensemble.from_labels(open_labels(tmp_path / "runs.parquet"))


def test_a_file_without_partitions_is_refused_by_name(save):
    with pytest.raises(InvalidInputError, match=r"one partition \(column\)\. \S*labels\.npy has"):
        Ensemble.from_labels(open_labels(save["npy"](np.zeros((3, 0), int))))


def test_too_few_samples_are_refused(save):
    with pytest.raises(InvalidInputError, match="at least 2 samples"):
        Ensemble.from_labels(open_labels(save["npy"](np.zeros((1, 3), int))))


def test_a_damaged_part_is_reported_by_file_and_rows(save, labels):
    folder = save["parquet"](labels)
    stored = open_labels(folder)
    part = folder / "part.5.parquet"
    content = bytearray(part.read_bytes())
    content[4:60] = b"\xff" * 56  # the pages; the footer stays whole
    part.write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"part\.5\.parquet, rows 20 to 22 of all, cannot"):
        Ensemble.from_labels(stored)


def test_a_damaged_chunk_is_reported_by_array_and_rows(save, labels):
    folder = save["zarr"](labels)
    chunk = folder / "c" / "2" / "0"
    chunk.write_bytes(b"nonsense")
    with pytest.raises(InvalidInputError, match=r"labels\.zarr, rows 14 to 20 cannot be read"):
        Ensemble.from_labels(open_labels(folder))


@pytest.mark.parametrize(
    ("name", "message"),
    [("none.npy", "There is no"), ("text.npy", "written by NumPy"), ("text.parquet", "Parquet")],
)
def test_what_is_not_there_or_something_else_is_refused(tmp_path, name, message):
    (tmp_path / "text.npy").write_text("a,b")
    (tmp_path / "text.parquet").write_text("a,b")
    with pytest.raises(InvalidInputError, match=message):
        open_labels(tmp_path / name)


def test_a_folder_without_parquet_and_parts_with_other_columns_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="is a folder without files"):
        open_labels(tmp_path)
    pd.DataFrame({"a": [0]}).to_parquet(tmp_path / "1.parquet")
    pd.DataFrame({"b": [0]}).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(InvalidInputError, match=r"must have the same columns.*2\.parquet has b"):
        open_labels(tmp_path)


def test_a_cube_is_refused(save):
    with pytest.raises(InvalidInputError, match="must be a matrix"):
        open_labels(save["npy"](np.zeros((2, 2, 2), int)))


@pytest.mark.parametrize("options", [{}, {"zarr_format": 2}, {"shards": (14, 4)}])
def test_chunks_that_are_not_there_are_warned_of(tmp_path, labels, options):
    path = tmp_path / "labels.zarr"
    array = zarr.create_array(path, shape=(50, 4), chunks=(7, 4), dtype="int16", **options)
    array[:] = labels
    open_labels(path)
    lost = next(file for file in sorted(path.rglob("*0")) if file.is_file())
    lost.unlink()
    with pytest.warns(UnstoredChunksWarning, match=r"of the 8 chunks .* are read as 0"):
        open_labels(path)
    with pytest.warns(UnstoredChunksWarning, match=r"of the 8 chunks .* are read as 0"):
        Ensemble.from_labels(zarr.open_array(path, mode="r"))


def test_lost_chunks_that_read_as_missing_labels_need_no_warning(tmp_path, labels):
    path = tmp_path / "labels.zarr"
    array = zarr.create_array(path, shape=(50, 4), chunks=(7, 2), dtype="int16", fill_value=-1)
    array[:] = labels
    (path / "c" / "2" / "0").unlink()
    read = Ensemble.from_labels(open_labels(path))
    assert (read.codes[14:21, :2] == -1).all()


@pytest.mark.posix
@pytest.mark.parametrize("name", ["pipe.npy", "pipe.parquet", "parts/pipe.parquet"])
def test_pipes_are_refused(tmp_path, name):
    (tmp_path / "parts").mkdir()
    os.mkfifo(tmp_path / name)
    with pytest.raises(InvalidInputError, match="must be a regular file"):
        open_labels(tmp_path / name.partition("/")[0])


def test_a_list_in_parquet_is_refused_by_row(tmp_path):
    pd.DataFrame({"p": [[1], [2]], "q": [0, 1]}).to_parquet(tmp_path / "runs.parquet")
    with pytest.raises(InvalidInputError, match=r"partition 'p' must be integers.*type list"):
        Ensemble.from_labels(open_labels(tmp_path / "runs.parquet"))


def test_text_in_parquet_that_is_not_utf8_is_refused(tmp_path):
    buffers = pa.array([b"\xff\xfe", b"a"]).buffers()
    table = pa.table({"p": pa.Array.from_buffers(pa.string(), 2, buffers)})
    pq.write_table(table, tmp_path / "runs.parquet")
    with pytest.raises(InvalidInputError, match=r"rows 0 to 1 of all, cannot be read.*UTF-8"):
        Ensemble.from_labels(open_labels(tmp_path / "runs.parquet"))
