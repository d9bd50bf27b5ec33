"""Features on Dask: the labels of one machine, whatever the chunks."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import consensa
from consensa import DiverseKinds, GenieTrees, distributed, open_features
from consensa._machine.run_state import StoredNumbers
from consensa.distributed import features as dask_features
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.features import stored_features
from consensa.features.stored_features import StoredFeatures
from consensa.generation._nearest_point import NearestPoint
from consensa.selection.automatic import chosen_number

CHUNKS = {"one": (700,), "ragged": (1, 130, 9, 560), "empty": (0, 350, 0, 0, 350, 0)}


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


def few(**options):
    """The default generator, small; more rows than `max_samples` are not all points."""
    return DiverseKinds(8, **{"max_samples": 150, "n_jobs": 1} | options)


@pytest.fixture(scope="module")
def features():
    rng = np.random.default_rng(0)
    return rng.standard_normal((3, 5))[rng.integers(0, 3, 700)] * 4 + rng.standard_normal((700, 5))


@pytest.fixture(scope="module")
def here(features):
    return consensa.cluster(features, 3, generator=few(), random_state=0)


def there(X, generator=None, **options):
    return distributed.cluster(X, 3, generator=generator or few(), random_state=0, **options)


@pytest.mark.parametrize("chunks", CHUNKS)
def test_labels_are_those_of_one_machine(features, here, chunks):
    found = there(da.from_array(features, chunks=(CHUNKS[chunks], (4, 1))))
    assert isinstance(found.labels, da.Array)
    assert_array_equal(found.labels.compute(), here.labels)
    assert_array_equal(found.confidence.compute(), here.confidence)
    assert_array_equal(found.ensemble.weights, here.ensemble.weights)
    assert_array_equal(found.ensemble.labels.compute(), here.ensemble.codes)
    assert found.ensemble.partition_names == here.ensemble.partition_names
    assert found.details == here.details


def test_so_they_are_if_all_rows_are_points(features):
    generator = few(max_samples=1000)
    here = consensa.cluster(features[:200], 3, generator=generator, random_state=0)
    found = there(da.from_array(features[:200], chunks=(70, 5)), generator)
    assert_array_equal(found.labels.compute(), here.labels)
    assert_array_equal(found.ensemble.weights, here.ensemble.weights)


def test_rows_that_occur_often_count_as_often(features):
    many = np.concatenate([features[:60], features[:60], features[:20]])
    generator = few(max_samples=100)  # all 60 different rows are points
    here = consensa.cluster(many, 3, generator=generator, random_state=0)
    found = there(da.from_array(many, chunks=(33, 5)), generator)
    assert_array_equal(found.labels.compute(), here.labels)


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_types_of_numbers_are_read_as_on_one_machine(features, dtype):
    given = (features * 10).astype(dtype)
    here = consensa.cluster(given, 3, generator=few(), random_state=0)
    assert_array_equal(there(da.from_array(given, chunks=(200, 5))).labels.compute(), here.labels)


def mixed_frame(features, places):
    frame = pd.DataFrame(features, columns=list("abcde"))
    frame["color"] = np.array(["red", "blue", "green"])[places]
    frame["size"] = pd.Categorical(np.where(features[:, 0] > 0, 10, 20))
    frame["level"] = (features[:, 1] > 0).astype(str)
    return frame


@pytest.mark.parametrize("text", [False, True], ids=["numbers", "text"])
def test_frames_with_blocks_of_unknown_size(features, here, text):
    frame = mixed_frame(features, here.labels)
    frame = frame if text else frame[list("abcde")]
    wanted = consensa.cluster(frame, 3, generator=few(), random_state=0)
    blocks = dd.from_pandas(frame, npartitions=4)
    blocks = blocks[blocks["a"] < np.inf]  # of unknown size
    found = there(blocks)
    assert_array_equal(found.labels.compute(), wanted.labels)
    assert_array_equal(found.confidence.compute(), wanted.confidence)
    assert_array_equal(found.features.names, frame.columns)
    assert found.details == wanted.details


@pytest.mark.parametrize("form", ["npy", "parquet"])
def test_files_are_read_by_the_workers(features, here, form, tmp_path):
    if form == "npy":
        path = tmp_path / "features.npy"
        np.save(path, features)
    else:
        path = tmp_path / "features"
        path.mkdir()
        for part in range(3):
            frame = pd.DataFrame(features[part * 300 : part * 300 + 300], columns=list("abcde"))
            frame.to_parquet(path / f"{part}.parquet")
    assert_array_equal(there(open_features(path)).labels.compute(), here.labels)


def test_what_is_in_memory_is_taken_too(features, here):
    assert_array_equal(there(features).labels.compute(), here.labels)


@pytest.mark.parametrize("name", ["LWGP", "TEA"])
def test_estimators_take_any_generator(features, name):
    options = {"generator": GenieTrees(4, n_clusters=5, max_samples=150), "random_state": 0}
    twin = getattr(distributed, name)(3, **options).fit(da.from_array(features, chunks=(300, 5)))
    here = getattr(consensa, name)(3, **options).fit(features)
    assert_array_equal(twin.labels_.compute(), here.labels_)
    assert twin.n_features_in_ == 5
    steps = [compute.step for compute in twin.compute_log_]
    assert steps[:2] == ["sample of rows", "nearest points"]
    assert steps.count("overlap") == 1


def test_a_generator_that_needs_all_rows_gets_them(features):
    options = {"generator": consensa.RandomKMeans(5, n_clusters=6), "random_state": 0}
    twin = distributed.LWGP(3, **options).fit(da.from_array(features, chunks=(300, 5)))
    assert_array_equal(twin.labels_.compute(), consensa.LWGP(3, **options).fit(features).labels_)


def test_what_comes_back_does_not_grow_with_the_samples(features):
    def received(times):
        noise = np.random.default_rng(1).standard_normal((700 * times, 5))
        many = np.tile(features, (times, 1)) + noise
        log = there(da.from_array(many, chunks=(700, 5))).ensemble.compute_log
        return dict(log[:2])

    few_rows, many_rows = received(1), received(4)
    for step, size in few_rows.items():
        assert abs(many_rows[step] - size) < 100  # what Dask counts for lists


def test_a_value_that_is_not_finite_is_named_by_block_and_row(features):
    bad = features.copy()
    bad[431, 2] = np.nan
    with pytest.raises(InvalidInputError, match=r"Block 2 of X, row 431 of all .* in column 2"):
        there(da.from_array(bad, chunks=(200, 5)))
    frame = dd.from_pandas(pd.DataFrame(bad, columns=list("abcde")), npartitions=7, sort=False)
    with pytest.raises(InvalidInputError, match=r"Block 4 of X, row 431 of all .*column 'c'"):
        there(frame)


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (da.zeros(5), "one row per sample"),
        (da.from_array(np.array([["a"], ["b"]])), "array of numbers"),
        (da.zeros((0, 3)), "at least 2 rows"),
    ],
    ids=["vector", "text", "no rows"],
)
def test_what_is_no_matrix_of_features_is_refused(X, said):
    with pytest.raises(InvalidInputError, match=said):
        there(X)


def test_methods_and_numbers_that_dask_does_not_have_are_refused(features):
    X = da.from_array(features, chunks=(300, 5))
    with pytest.raises(InvalidParameterError, match=r"must be one of ECPCSMC.*Got EAC"):
        there(X, method="eac")
    with pytest.raises(InvalidParameterError, match=r"must be an integer with .*RandomKMeans"):
        distributed.cluster(X, "auto", generator=distributed.RandomKMeans())
    with pytest.raises(InvalidParameterError, match="701"):
        distributed.cluster(X, 701)


@pytest.fixture
def no_references(monkeypatch):
    """The number of clusters is chosen quickly, and is not one."""
    monkeypatch.setitem(chosen_number.__kwdefaults__, "n_references", 0)
    monkeypatch.setitem(chosen_number.__kwdefaults__, "n_draws", 3)


@pytest.mark.parametrize(
    ("n_rows", "numbers"), [(40, "auto"), (400, [2, 3, 4])], ids=["all rows", "drawn rows"]
)
@pytest.mark.usefixtures("no_references")
def test_the_number_is_chosen_as_on_one_machine(features, n_rows, numbers, tmp_path, monkeypatch):
    monkeypatch.setattr(StoredFeatures.sampled, "__defaults__", (60,))
    np.save(tmp_path / "x.npy", features[:n_rows])
    options = {"generator": few(), "random_state": 0}
    here = consensa.TEA(numbers, **options).fit(open_features(tmp_path / "x.npy"))
    X = da.from_array(features[:n_rows], chunks=(50, 5))
    twin = distributed.TEA(numbers, **options).fit(X)
    assert twin.n_clusters_ == here.n_clusters_ == 3
    assert_array_equal(twin.selection_.scores, here.selection_.scores)
    assert_array_equal(twin.labels_.compute(), here.labels_)
    assert_array_equal(twin.confidence_.compute(), here.confidence_)


@pytest.mark.usefixtures("no_references")
def test_the_number_is_chosen_from_labels_too(here):
    labels = here.ensemble.codes[:100]
    options = {"generator": "precomputed", "random_state": 0}
    wanted = consensa.TEA([2, 3], **options).fit(labels)
    twin = distributed.TEA([2, 3], **options).fit(da.from_array(labels, chunks=(40, 8)))
    assert isinstance(twin.labels_, da.Array)
    assert_array_equal(twin.labels_.compute(), wanted.labels_)
    assert_array_equal(twin.ensemble_.overlap.toarray(), wanted.ensemble_.overlap.toarray())


# ---- runs that are resumed ---------------------------------------------------------------------


@pytest.fixture
def path(features, tmp_path, monkeypatch):
    """A file of 11 parts, of which a task reads two."""
    monkeypatch.setattr(stored_features, "_MOST_ROWS", 64)
    monkeypatch.setattr(stored_features, "_MULTIPLE", 1)
    monkeypatch.setattr(dask_features, "_LEAST_ROWS", 128)
    np.save(tmp_path / "x.npy", features)
    return tmp_path / "x.npy"


def searched(monkeypatch):
    """Numbers of rows whose points are searched for from now on."""
    search, found = NearestPoint.__call__, []

    def noted(self, rows):
        found.append(len(rows))
        return search(self, rows)

    monkeypatch.setattr(NearestPoint, "__call__", noted)
    return found


def interrupted_after(n_parts, monkeypatch):
    write, written = StoredNumbers.write, []

    def until(self, part, numbers):
        if len(written) == n_parts:
            raise KeyboardInterrupt
        written.append(part)
        write(self, part, numbers)

    monkeypatch.setattr(StoredNumbers, "write", until)


def test_an_interrupted_run_goes_on(path, here, tmp_path, monkeypatch):
    stored = open_features(path, resume=tmp_path / "state")
    with monkeypatch.context() as patched:
        interrupted_after(5, patched)
        with pytest.raises(KeyboardInterrupt):
            there(stored)
    found = searched(monkeypatch)
    resumed = there(stored)
    assert sum(found) == 2 * (700 - 4 * 64)  # in two spaces; half of a block is not enough
    assert_array_equal(resumed.labels.compute(), here.labels)
    assert_array_equal(there(stored).confidence.compute(), here.confidence)
    assert sum(found) == 2 * (700 - 4 * 64)  # nothing more


@pytest.mark.parametrize("first", [consensa, distributed], ids=["here", "there"])
def test_dask_and_one_machine_resume_each_other(path, here, first, tmp_path, monkeypatch):
    stored = open_features(path, resume=tmp_path / "state")
    other = distributed if first is consensa else consensa
    options = {"generator": few(), "random_state": 0}
    with monkeypatch.context() as patched:
        interrupted_after(4, patched)
        with pytest.raises(KeyboardInterrupt):
            first.cluster(stored, 3, **options)
    found = searched(monkeypatch)
    assert_array_equal(np.asarray(other.cluster(stored, 3, **options).labels), here.labels)
    assert 0 < sum(found) <= 2 * (700 - 3 * 64)


def test_what_is_brought_here_outlives_the_cluster(features, here):
    found = there(da.from_array(features, chunks=(300, 5))).ensemble
    brought = found.brought_here()
    found.rows.blocks.clear()  # as when the cluster is closed
    assert_array_equal(brought.labels.compute(), here.ensemble.codes)
    assert_array_equal(brought.overlap.toarray(), here.ensemble.overlap.toarray())
    assert brought.compute_log[-1].received < 10 * len(features)
