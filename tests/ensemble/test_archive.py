"""Ensembles in files: written whole, and read again or refused."""

from __future__ import annotations

import pickle

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from strategies import label_matrices

from consensa import Ensemble
from consensa.exceptions import InvalidInputError

FIVE = np.array([[4, 0, 9], [4, 0, -1], [4, 2, 8], [1, 2, 8], [1, 1, 8]])


@given(labels=label_matrices())
def test_saving_and_loading_gives_the_same_labels(labels, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "ensemble.npz"
    ensemble = Ensemble.from_labels(labels)
    ensemble.save(path)
    loaded = Ensemble.load(path)
    np.testing.assert_array_equal(loaded.labels, ensemble.labels)
    assert loaded.partition_names is None
    assert loaded.sample_names is None
    assert not loaded.labels.flags.writeable


@pytest.mark.parametrize(
    "index",
    [
        pd.Index(["é", "b", "c"]),
        pd.Index(["é", "b", "c"], dtype=object),
        pd.Index([30, 10, 20]),
        pd.DatetimeIndex(["2026-11-15", "2026-11-16", "2026-11-17"]),
        pd.CategoricalIndex(["u", "v", "u"]),
    ],
    ids=lambda index: str(index.dtype),
)
def test_saving_keeps_the_names_of_partitions_and_samples(index, tmp_path):
    frame = pd.DataFrame({"a": [0, 0, 1], "ß": [0, None, 1]}, index=index)
    ensemble = Ensemble.from_labels(frame)
    ensemble.save(tmp_path / "ensemble.npz")
    loaded = Ensemble.load(tmp_path / "ensemble.npz")
    assert loaded.partition_names == ("a", "ß")
    assert list(loaded.sample_names) == list(np.asarray(index))
    np.testing.assert_array_equal(loaded.labels, ensemble.labels)


def test_an_ensemble_of_another_library_is_saved_from_the_host(tmp_path):
    Ensemble.from_labels(strict.asarray([[5, 1], [2, 1]])).save(tmp_path / "ensemble.npz")
    assert Ensemble.load(tmp_path / "ensemble.npz").labels.tolist() == [[0, 0], [1, 0]]


def test_the_old_file_stays_whole_when_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "ensemble.npz"
    Ensemble.from_labels(FIVE).save(path)
    before = path.read_bytes()

    def full_disk(file, **arrays):
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full_disk)
    with pytest.raises(OSError, match="No space left"):
        Ensemble.from_labels(FIVE[:3]).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["ensemble.npz"]


def _npz(path, **arrays):
    with path.open("wb") as file:
        np.savez(file, **arrays)


class Bomb:
    """Says so when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was loaded",)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_text("a,b\n0,1\n"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"PK\x03\x04 not a zip"),
        lambda path: path.write_bytes(pickle.dumps(Bomb())),
        lambda path: np.save(path.open("wb"), FIVE),
        lambda path: _npz(path, other=FIVE),
        lambda path: _npz(path, labels=np.array([[Bomb()], [Bomb()]], dtype=object)),
        lambda path: _npz(path, labels=np.arange(4)),
        lambda path: _npz(path, labels=FIVE / 2),
        lambda path: _npz(path, labels=FIVE, partition_names=np.array(["a"])),
        lambda path: _npz(path, labels=FIVE, sample_names=np.array(["a"])),
    ],
    ids=[
        "text",
        "empty",
        "no zip",
        "pickle",
        "npy",
        "no labels",
        "objects",
        "one row",
        "features",
        "too few partition names",
        "too few sample names",
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_file_that_is_something_else_is_refused_by_name(write, tmp_path):
    path = tmp_path / "ensemble.npz"
    write(path)
    with pytest.raises(InvalidInputError, match=r"ensemble\.npz must be a file written by"):
        Ensemble.load(path)


def test_a_damaged_file_is_refused_or_read_right_and_never_anything_else(tmp_path):
    path = tmp_path / "ensemble.npz"
    ensemble = Ensemble.from_labels(FIVE)
    ensemble.save(path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        try:
            loaded = Ensemble.load(path)
        except InvalidInputError:
            continue
        np.testing.assert_array_equal(loaded.labels, ensemble.labels)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(InvalidInputError, match="must be a file written by"):
            Ensemble.load(path)


def test_a_missing_file_is_an_ordinary_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Ensemble.load(tmp_path / "none.npz")
