"""What `MethodInfo` says of a method is what the method does."""

from __future__ import annotations

import numpy as np
import pytest

import consensa
from consensa import Ensemble, distributed, open_labels
from consensa.consensus.catalogue import find_methods, methods_that
from consensa.exceptions import InvalidInputError, InvalidParameterError, NotEnoughMemoryError

ALL = find_methods()
every = pytest.mark.parametrize("method", ALL.values(), ids=list(ALL))
pytestmark = pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")


@pytest.fixture
def stored(tmp_path):
    """40 samples in 5 partitions, on disk; their labels are not numbered from 0."""
    rng = np.random.default_rng(0)
    labels = np.arange(40)[:, None] % 3 + rng.integers(0, 2, (40, 5)) + 7
    np.save(tmp_path / "labels.npy", labels)
    return open_labels(tmp_path / "labels.npy")


@every
def test_labels_stay_on_disk_where_a_method_works_by_blocks_of_rows(method, stored, monkeypatch):
    monkeypatch.setattr("consensa.consensus._ptgp._MOST_SAMPLES", 20)
    monkeypatch.setattr("consensa.consensus._ptgp._REPRESENTATIVES", 30)
    model = method(3, generator="precomputed", random_state=0).fit(stored)
    assert ("codes" in vars(model.ensemble_)) is not method.info.by_rows


@pytest.mark.parametrize("name", sorted(ALL.keys() - methods_that("by_rows").keys()))
def test_labels_on_disk_that_must_be_held_and_do_not_fit_are_refused(name, stored, monkeypatch):
    model = ALL[name](3, generator="precomputed", random_state=0)
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 40 * 5 * 4 - 1)
    with pytest.raises(
        NotEnoughMemoryError, match=r"\(all labels\).* by blocks of rows: ECPCSMC, HBGF"
    ):
        model.fit(stored)


@every
def test_a_method_that_says_dask_has_a_twin_and_no_other_has(method):
    twin = getattr(distributed, method.__name__, None)
    assert (twin is not None) is method.info.dask
    assert twin is None or (issubclass(twin, method) and method.__name__ in distributed.__all__)
    assert method.info.by_rows or not method.info.dask


@every
def test_a_method_that_says_gpu_takes_a_device_and_no_other_does(method):
    assert ("device" in method._declared) is method.info.gpu
    if method.info.gpu:
        labels = [[0, 0], [0, 0], [1, 1], [1, 1]]
        here = method(2, device="cpu", generator="precomputed").fit(labels)
        assert len(here.labels_) == 4
        with pytest.raises(InvalidParameterError, match="'device' parameter of"):
            method(2, device="tpu", generator="precomputed").fit(labels)


@every
def test_the_memory_in_words_is_the_number_of_square_arrays(method):
    words, arrays = method.info.memory, method.info.square_arrays
    assert words.startswith(f"{arrays:g} n²") if arrays else "n²" not in words
    each = method.info.square_arrays_per_partition
    assert (f"+ {each:g} m n²" in words) is (each > 0)


@every
def test_a_sample_is_never_more_than_all(method):
    size = method.info.sample_size
    if size is not None:
        assert method.info.by_rows
        assert size(100, 2) == 100
        assert size(10**9, 10) == size(10**8, 10) < 10**6
        assert size(20_001, 20_001) == 20_001


@every
def test_missing_labels_are_refused_where_a_method_does_not_take_them(method):
    labels = Ensemble.from_labels([[0, 0, 0], [0, -1, 0], [1, 1, 1], [1, 1, -1]])
    model = method(2, generator="precomputed", random_state=0)
    if method.info.missing:
        assert len(model.fit(labels).labels_) == 4
        return
    with pytest.raises(
        InvalidInputError, match=f"Use one of {next(iter(methods_that('missing')))}"
    ):
        model.fit(labels)


def test_methods_are_found_by_what_they_can_do():
    assert set(methods_that("gpu")) == {"GTLEC", "LTA"}
    assert methods_that("dask")["TEA"] is consensa.TEA
    assert "PTGP" not in methods_that("dask")
