"""Every reader gives the same labels: text, frames, NumPy, Parquet, Zarr, Dask."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import zarr

from consensa import EAC, Ensemble, open_labels
from consensa.distributed._ensemble import read_ensemble
from consensa.ensemble.missing import has_signed_names, is_missing_text
from consensa.exceptions import InvalidInputError, UnknownLabelsWarning
from consensa.tables.reading import read_table
from consensa.tables.table import Request

BIG = 2**53
# A partition and its codes; a second one that is complete goes beside it.
PARTITIONS = {
    "-1 among names": (["T", "-1", "B", "-1", "T"], [0, -1, 1, -1, 0]),
    "-1.0 among names": (["T", "-1.0", "B", "-1", "T"], [0, -1, 1, -1, 0]),
    "-1 among other negative numbers": (["-2", "-1", "x", "-1", "-2"], [0, 1, 2, 1, 0]),
    "-1 after +1": (["x", "-1", "+1", "-1", "x"], [0, 1, 2, 1, 0]),
    "-1 among names with a dash": (["-", "-1", "-1x", "-1", "-"], [0, -1, 1, -1, 0]),
    "large numbers": ([BIG + 1, BIG, None, BIG + 1, BIG], [0, 1, -1, 0, 1]),
    "larger numbers": ([2**63 + 1, 2**63, None, 2**63 + 1, 7], [0, 1, -1, 0, 2]),
}
partitions = pytest.mark.parametrize(
    ("column", "wanted"), PARTITIONS.values(), ids=PARTITIONS.keys()
)
texts = pytest.mark.parametrize(
    ("column", "wanted"),
    [value for value in PARTITIONS.values() if isinstance(value[0][0], str)],
    ids=[name for name, value in PARTITIONS.items() if isinstance(value[0][0], str)],
)


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


def pandas_frame(column):
    whole = [value for value in column if value is not None]
    numbers = "UInt64" if max(map(str, whole)) and not isinstance(whole[0], str) else object
    return pd.DataFrame({"p": pd.array(column, dtype=numbers), "q": 0})


def codes(labels):
    ensemble = labels if isinstance(labels, Ensemble) else Ensemble.from_labels(labels)
    return np.asarray(ensemble.labels)[:, 0].tolist()


@partitions
def test_in_memory(column, wanted):
    frame = pandas_frame(column)
    assert codes(frame) == wanted
    assert codes([[value, 0] for value in column]) == wanted
    assert codes(pl.DataFrame({"p": column, "q": [0] * 5}, strict=False)) == wanted
    assert codes(frame.astype({"p": "category"})) == wanted


@texts
def test_in_string_arrays_of_numpy(column, wanted):
    for kind in ("U", "S", np.dtypes.StringDType()):
        assert codes(np.array([[value, "0"] for value in column]).astype(kind)) == wanted


@partitions
def test_in_text_files(column, wanted, tmp_path):
    pandas_frame(column).to_csv(tmp_path / "labels.csv", index=False)
    request = Request.of(None, None, labels=True, truth=None, row_id=None)
    table = read_table(tmp_path / "labels.csv", request)
    assert codes(table.frame) == wanted
    # And by the code that a report shows.
    assert codes(eval(table.code, {"pd": pd})) == wanted


@partitions
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_in_parquet(column, wanted, rows, tmp_path):
    path = tmp_path / "labels.parquet"
    # Written by another program, so that pandas is told nothing.
    pandas_frame(column).pipe(pl.from_pandas).write_parquet(path, row_group_size=rows)
    table = read_table(path, Request.of(None, None, labels=True, truth=None, row_id=None))
    assert codes(table.frame) == wanted
    assert codes(eval(table.code, {"pd": pd})) == wanted
    assert codes(open_labels(path)) == codes(open_labels(tmp_path)) == wanted
    assert codes(read_ensemble(open_labels(path))) == wanted


@texts
def test_in_zarr(column, wanted, tmp_path):
    matrix = np.array([[value, "0"] for value in column], np.dtypes.StringDType())
    array = zarr.create_array(
        tmp_path / "labels.zarr", shape=(5, 2), chunks=(2, 2), dtype="string", fill_value="-1"
    )
    array[:] = matrix
    assert codes(open_labels(tmp_path / "labels.zarr")) == wanted


@texts
def test_in_npz(column, wanted, tmp_path):
    np.savez(tmp_path / "labels.npz", labels=np.array([[value, "0"] for value in column], "S"))
    request = Request.of(None, None, labels=True, truth=None, row_id=None)
    assert codes(read_table(tmp_path / "labels.npz", request).frame) == wanted


@partitions
def test_on_dask(column, wanted):
    frame = pandas_frame(column)
    assert codes(read_ensemble(frame)) == wanted
    assert codes(read_ensemble(dd.from_pandas(frame, chunksize=2, sort=False))) == wanted
    assert codes(read_ensemble([[value, 0] for value in column])) == wanted
    assert codes(read_ensemble(pl.from_pandas(frame))) == wanted
    matrix = frame.to_numpy(dtype=object)
    assert codes(read_ensemble(da.from_array(matrix, chunks=(2, 2)))) == wanted


@pytest.mark.parametrize("dtype", [int, float, np.uint8])
def test_masked_labels_are_missing(dtype):
    masked = np.ma.masked_array([[7, 0], [3, 0], [7, 0]], [[0, 0], [1, 0], [0, 0]], dtype=dtype)
    assert codes(masked) == [0, -1, 0]
    assert codes(list(masked)) == [0, -1, 0]
    assert codes(read_ensemble(masked)) == [0, -1, 0]
    assert codes(read_ensemble(da.from_array(masked, chunks=(2, 2)))) == [0, -1, 0]


def test_unsigned_and_signed_parts_of_one_column_are_not_joined_as_floats(tmp_path):
    for number, (kind, values) in enumerate([("i8", [BIG, 3]), ("u8", [BIG + 1, BIG])]):
        frame = pd.DataFrame({"p": np.array(values, kind), "q": 0})
        frame.to_parquet(tmp_path / f"{number}.parquet")
    stored = open_labels(tmp_path)
    assert codes(stored) == [0, 1, 2, 0]
    assert stored.column(0).tolist() == [BIG, 3, BIG + 1, BIG]


@pytest.mark.parametrize("first", [BIG, 2**63])
def test_large_unsigned_numbers_in_a_memory_map_stay_apart(tmp_path, first):
    np.save(tmp_path / "labels.npy", np.array([[first, 1], [first + 1, 1]], np.uint64))
    assert codes(open_labels(tmp_path / "labels.npy")) == [0, 1]


@pytest.mark.parametrize("label", ["-1", " -1 ", "-1.0", b"-1"])
def test_the_text_minus_one_is_missing(label):
    assert is_missing_text(label)
    assert not has_signed_names([label])


@pytest.mark.parametrize("label", ["-1.5", "-10", "−1", "x-1", "", -1, None])
def test_other_text_is_not(label):
    assert not is_missing_text(label)


@pytest.mark.parametrize("label", ["-2", "+1", " -0.5", "+1e3", "-.5", b"-2", "-1.5"])
def test_numbers_with_a_sign_are_signed_names(label):
    assert has_signed_names(["x", label])


@pytest.mark.parametrize("label", ["-", "-x", "2", "1-2", -2, None, "-inf", "2026-01-02"])
def test_names_without_a_number_are_not_signed(label):
    assert not has_signed_names(["x", label])


def test_new_rows_are_read_by_the_rule_of_the_fit():
    fitted = EAC(2, generator="precomputed").fit([["-2", "a"], ["-1", "b"], ["-2", "a"]])
    # Alone, the text -1 would be missing; the fit knows that it is a name.
    assert fitted.predict_labels([["-1", "b"]]).tolist() == [fitted.labels_[1]]
    fitted = EAC(2, generator="precomputed").fit([["x", "a"], ["y", "b"], ["x", "a"]])
    assert fitted.predict_labels([["-1", "b"]]).tolist() == [fitted.labels_[1]]
    with pytest.warns(UnknownLabelsWarning):
        fitted.predict_labels([["-2", "b"], ["-1", "b"]])


def test_a_partition_of_the_text_minus_one_labels_nothing():
    with pytest.raises(InvalidInputError, match="Partition 0 labels none"):
        Ensemble.from_labels([["-1", "a"], ["-1", "b"]])
