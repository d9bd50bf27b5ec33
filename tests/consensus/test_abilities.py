"""What `MethodInfo` says of a method is what the method does."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import consensa
from consensa import (
    CDEC,
    CDKM,
    GPMGLA,
    KCC,
    EMConsensus,
    Ensemble,
    cdec,
    cdkm,
    distributed,
    emconsensus,
    gpmgla,
    kcc,
    open_labels,
)
from consensa.consensus.catalogue import find_methods, methods_that
from consensa.consensus.needs import LABELS, bytes_of, sizes_of
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
        NotEnoughMemoryError, match=r"\(all labels\).* by blocks of rows: CDEC, CDKM"
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
        assert size(100, 2) == 100
        assert size(10**9, 10) == size(10**8, 10) < 10**6
        assert size(20_001, 20_001) == 20_001


def test_a_method_that_draws_a_sample_but_reads_all_labels_declares_them_all(monkeypatch):
    assert GPMGLA.info.sample_size is not None
    assert not GPMGLA.info.by_rows
    ensemble = Ensemble.from_labels(np.random.default_rng(0).integers(0, 2, (30_000, 3)))
    sample = 4 * 20_000 * 2 * 8 + 8 * 6**2 * 8
    required = sample + 5 * 30_000 * 3 * 8
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: required - 1)
    with pytest.raises(NotEnoughMemoryError, match="4 of s × K, 5 of n × m"):
        gpmgla(ensemble, 2, random_state=0)


@pytest.mark.parametrize("method", [KCC, CDKM, CDEC, EMConsensus, GPMGLA])
def test_clusters_of_a_sample_need_no_more_memory_for_more_samples(method):
    assert "n" not in "".join(arrays.shape for arrays in method.info.arrays)
    assert method.info.sample_size(10**7, 100) == 20_000


@pytest.mark.parametrize("method", [kcc, cdkm, cdec, emconsensus, gpmgla])
@pytest.mark.parametrize(("n", "m", "k", "n_clusters"), [(1000, 6, 50, 150), (5000, 8, 10, 40)])
def test_the_arrays_of_several_starts_are_those_that_are_declared(
    method, n, m, k, n_clusters, monkeypatch
):
    rng = np.random.default_rng(0)
    noise = rng.uniform(size=(n, m)) < 0.3
    labels = np.where(noise, rng.integers(0, k, (n, m)), np.arange(n)[:, None] % k)
    monkeypatch.setattr("consensa._machine.compile._steps", 2**60)  # compiled from the first step
    method(Ensemble.from_labels(labels), n_clusters, n_init=1, random_state=0)
    tracemalloc.start()
    ensemble = Ensemble.from_labels(labels)  # overlaps are kept: a new one has none
    method(ensemble, n_clusters, n_init=10, random_state=0)
    _, used = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    declared = bytes_of([*method.info.arrays, LABELS], sizes_of(ensemble, n_clusters, n))
    assert declared / 4 < used < declared + 2**18


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
