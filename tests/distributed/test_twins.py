"""Twins on Dask: the labels of the one-machine methods, whatever the chunks."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import zarr
from dask.callbacks import Callback
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from strategies import label_matrices

import consensa
from consensa import Ensemble, distributed, open_labels
from consensa.consensus import _tea
from consensa.consensus._empty_clusters import fill_empty_clusters
from consensa.consensus.catalogue import methods_that
from consensa.distributed._ensemble import read_ensemble
from consensa.exceptions import EmptyClustersWarning, FewerClustersWarning, InvalidInputError
from consensa.partition import kmeans as _kmeans

every = pytest.mark.parametrize("name", methods_that("dask"))
CHUNKS = {
    "ragged": (1, 130, 9, 160),
    "empty": (0, 150, 0, 0, 150, 0),
    "one row each": (1,) * 10 + (290,),
}


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(params=["all", "few"])
def starts(request, monkeypatch):
    """Starts from all samples, or from 100 of them."""
    if request.param == "few":
        start_from_100(monkeypatch)


def start_from_100(monkeypatch):
    monkeypatch.setattr(_kmeans, "_SAMPLE", 100)
    monkeypatch.setattr(_kmeans, "_SAMPLE_PER_CLUSTER", 10)
    monkeypatch.setattr(_tea, "_MOST_SAMPLES", 100)


@pytest.fixture(scope="module")
def labels():
    """300 samples, 4 classes, 6 noisy partitions."""
    rng = np.random.default_rng(0)
    fine = 2 * rng.integers(0, 4, (300, 1)) + rng.integers(0, 2, (300, 6))
    return np.where(rng.uniform(size=fine.shape) < 0.15, rng.integers(0, 8, fine.shape), fine)


def missing_from(labels):
    hidden = np.where(np.random.default_rng(1).uniform(size=labels.shape) < 0.2, -1, labels)
    hidden[:, 0] = labels[:, 0]
    return hidden


def both(name, there, here, n_clusters=4, **options):
    """The twin on `there` and the original on `here`, fitted alike."""
    options |= {"generator": "precomputed", "random_state": 5}
    twin = getattr(distributed, name)(n_clusters, **options).fit(there)
    return twin, getattr(consensa, name)(n_clusters, **options).fit(here)


@every
@pytest.mark.parametrize("chunks", CHUNKS)
def test_labels_are_those_of_one_machine(name, chunks, labels, starts):
    twin, original = both(name, da.from_array(labels, chunks=(CHUNKS[chunks], (4, 2))), labels)
    assert isinstance(twin.labels_, da.Array)
    assert_array_equal(twin.labels_.compute(), original.labels_)
    assert_allclose(twin.confidence_.compute(), original.confidence_)


@every
def test_so_they_are_with_missing_labels(name, labels, starts):
    if not getattr(consensa, name).info.missing:
        with pytest.raises(InvalidInputError, match="does not accept missing labels"):
            both(name, da.from_array(missing_from(labels)), labels)
        return
    hidden = missing_from(labels)
    twin, original = both(name, da.from_array(hidden, chunks=(77, 6)), hidden)
    assert_array_equal(twin.labels_.compute(), original.labels_)


@settings(max_examples=15)
@given(labels=label_matrices(), cut=st.integers(0, 12), n_clusters=st.integers(1, 3))
@pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")
def test_any_label_matrix_has_the_same_answer_on_both(labels, cut, n_clusters):
    with dask.config.set(scheduler="synchronous"):
        n, cut = len(labels), min(cut, len(labels))
        there = da.from_array(labels, chunks=((cut, n - cut), -1))
        twin, original = both("LWGP", there, labels, min(n_clusters, n))
        assert_array_equal(twin.labels_.compute(), original.labels_)


@pytest.mark.parametrize("form", ["frame", "parquet", "zarr", "npy", "words"])
def test_frames_and_labels_on_disk_are_taken(form, labels, tmp_path, starts):
    hidden = missing_from(labels)
    frame = pd.DataFrame(hidden, columns=list("abcdef"))
    if form == "words":
        frame = frame.map(lambda label: None if label < 0 else f"cluster {label}")
    if form in ("frame", "words"):
        there = dd.from_pandas(frame, npartitions=4)
    elif form == "parquet":
        for part in range(3):
            frame[part * 100 : part * 100 + 100].to_parquet(tmp_path / f"{part}.parquet")
        there = open_labels(tmp_path)
    elif form == "zarr":
        zarr.save_array(tmp_path / "labels.zarr", hidden)
        there = open_labels(tmp_path / "labels.zarr")
    else:
        np.save(tmp_path / "labels.npy", hidden)
        there = np.load(tmp_path / "labels.npy", mmap_mode="r")
    twin, original = both("LWGP", there, frame)
    assert_array_equal(twin.labels_.compute(), original.labels_)
    assert twin.ensemble_.n_missing == original.ensemble_.n_missing
    if form in ("frame", "words", "parquet"):
        assert twin.ensemble_.partition_names == tuple("abcdef")


class CountComputes(Callback):
    """Counts how often Dask's scheduler runs, whoever asks."""

    count = 0

    def _start(self, dsk):
        self.count += 1


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("LWGP", ["labels", "overlap", "weighted overlap", "sample of rows", "numbering"]),
        ("HBGF", ["labels", "overlap", "sample of rows", "numbering"]),
        ("SEC", ["labels", "overlap", "sample of rows", "numbering"]),
        ("TEA", ["labels", "overlap", "sample of rows", "numbering"]),
        ("ECPCSMC", ["labels", "overlap", "numbering"]),
        ("MCLA", ["labels", "overlap", "numbering"]),
    ],
)
def test_the_cluster_is_asked_as_often_as_stated(name, steps, labels, monkeypatch):
    start_from_100(monkeypatch)
    given = da.from_array(labels, chunks=(50, 6))
    with CountComputes() as counted:
        twin, _ = both(name, given, labels)
    assert [compute.step for compute in twin.compute_log_] == steps
    # Labels are computed twice without being brought here: as they fall, and as they are numbered.
    assert counted.count == len(steps) + 2


@every
def test_what_comes_back_does_not_grow_with_the_samples(name, labels, monkeypatch):
    start_from_100(monkeypatch)

    def received(times):
        many = np.tile(labels, (times, 1))
        twin, _ = both(name, da.from_array(many, chunks=(300, 6)), many)
        return {step: size for step, size in twin.compute_log_ if step != "labels"}

    c = 48
    few = received(1)
    assert received(5) == few
    assert few["overlap"] == c * c * 8
    assert few["numbering"] <= (c + 2) * 4 * 8 + 500  # and what Dask counts for two arrays
    # Clusters, hash, count and first number of each, and what Dask counts for four arrays.
    assert few.get("sample of rows", 0) <= 100 * (6 * 4 + 3 * 8) + 1000


def test_more_clusters_than_rows_differ_are_the_rows_that_differ():
    labels = np.array([[0, 0], [0, 0], [1, 1], [1, 0], [0, 0]])
    with pytest.warns(FewerClustersWarning, match="returns 3"):
        twin, original = both("LWGP", da.from_array(labels, chunks=(2, 2)), labels, 5)
    assert_array_equal(twin.labels_.compute(), original.labels_)


@pytest.mark.parametrize("name", ["ECPCSMC", "MCLA"])
@pytest.mark.usefixtures("starts")
def test_empty_clusters_are_filled_alike(name, labels):
    few = labels[:, :2]  # 16 base clusters, some 60 distinct rows
    with pytest.warns(EmptyClustersWarning, match="instead of 40"):
        twin, original = both(name, da.from_array(few, chunks=(70, 2)), few, 40)
    assert_array_equal(twin.labels_.compute(), original.labels_)
    assert original.labels_.max() == 39


@pytest.mark.parametrize("whole", [True, False], ids=["here", "in chunks"])
def test_labels_here_or_in_chunks_are_filled_alike(whole, labels, monkeypatch):
    start_from_100(monkeypatch)
    some = missing_from(labels)
    answer = (some[:, 0] > 3).astype(np.int64)
    filled = fill_empty_clusters(Ensemble.from_labels(some), answer, 9)
    assert_array_equal(np.unique(filled), np.arange(9))
    there = read_ensemble(da.from_array(some, chunks=(70, 6)))
    given_labels = answer if whole else da.from_array(answer, chunks=70)
    assert_array_equal(fill_empty_clusters(there, given_labels, 9).compute(), filled)


def test_bad_labels_are_refused_with_the_row():
    labels = np.zeros((10, 2), int)
    labels[7] = -1
    with pytest.raises(InvalidInputError, match="Row 7 is missing in all 2"):
        both("LWGP", da.from_array(labels, chunks=(3, 2)), labels, 1)
    labels[7] = -5
    with pytest.raises(InvalidInputError, match="Row 7 has -5"):
        both("LWGP", da.from_array(labels, chunks=(3, 2)), labels, 1)


def test_a_vector_is_refused():
    with pytest.raises(InvalidInputError, match="must be a matrix"):
        distributed.LWGP(2, generator="precomputed").fit(da.zeros(5, int))


def test_methods_that_need_all_labels_say_so(labels):
    ensemble = distributed.LWGP(4, generator="precomputed").fit(da.from_array(labels)).ensemble_
    with pytest.raises(InvalidInputError, match=r"Use one of ECPCSMC, HBGF"):
        consensa.eac(ensemble, 2)


def test_a_result_on_a_cluster_is_printed_without_computing_it(labels):
    twin = distributed.LWGP(4, generator="precomputed").fit(da.from_array(labels))
    log = twin.compute_log_
    lines = repr(twin.result_).splitlines()
    assert lines == [
        "LWGP: 300 samples, with labels on a Dask cluster",
        "From 6 base partitions",
    ]
    assert twin.compute_log_ == log


def test_new_rows_are_predicted_or_refused_in_words(labels):
    twin = distributed.LWGP(4, generator="precomputed").fit(da.from_array(labels))
    with pytest.raises(InvalidInputError, match="needs all labels in memory"):
        twin.predict(labels[:3])


def test_every_pass_is_that_of_one_machine(labels):
    hidden = missing_from(labels)
    there = read_ensemble(da.from_array(hidden, chunks=((7, 200, 93), 6)))
    here = Ensemble.from_labels(hidden)
    numbers = np.random.default_rng(2).permutation(300)[:40]
    assert_array_equal(there.rows.take(numbers), here.rows.take(numbers))
    assert_array_equal(there.rows.sizes(), here.rows.sizes())
    keys = np.random.default_rng(4).integers(0, 2**63, here.n_clusters, dtype=np.uint64)
    for limit in (40, 1000):
        drawn, wanted = there.rows.sample(keys, limit), here.rows.sample(keys, limit)
        assert drawn.complete == wanted.complete == (limit == 1000)
        for ours, theirs in zip(drawn[:4], wanted[:4], strict=True):
            assert_array_equal(ours, theirs)
    assert_array_equal(there.rows.distinct(1000), here.rows.distinct(1000))
    assert len(there.rows.distinct(7)) == 7
    weights = np.random.default_rng(3).uniform(0.1, 1, here.n_clusters)
    assert_array_equal(
        there.rows.balanced_overlap(weights).toarray(),
        here.rows.balanced_overlap(weights).toarray(),
    )
    consensus = hidden[:, 0]
    as_array = da.from_array(consensus, chunks=((7, 200, 93),))
    assert_array_equal(there.rows.meetings(as_array, 9), here.rows.meetings(consensus, 9))
    assert_array_equal(there.labels.compute(), here.codes)
