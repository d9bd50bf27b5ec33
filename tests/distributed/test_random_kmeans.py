"""k-means on Dask: the partitions of one machine."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import consensa
from consensa import distributed
from consensa.exceptions import InvalidInputError


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def features():
    rng = np.random.default_rng(0)
    return rng.standard_normal((3, 4))[rng.integers(0, 3, 200)] * 4 + rng.standard_normal((200, 4))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("max_samples", [None, 60, 200])
def test_partitions_are_those_of_one_machine(features, max_samples, dtype):
    options = {"n_partitions": 4, "n_clusters": (2, 7), "max_samples": max_samples}
    given = features.astype(dtype)
    here = consensa.RandomKMeans(**options).generate(given, random_state=1)
    chunks = ((3, 0, 150, 47), (3, 1))
    there = distributed.RandomKMeans(**options).generate(
        da.from_array(given, chunks=chunks), random_state=1
    )
    assert_array_equal(there.labels.compute(), here.codes)


def test_an_estimator_makes_its_own_partitions(features):
    generator = distributed.RandomKMeans(5, n_clusters=6, max_samples=100)
    twin = distributed.LWGP(3, generator=generator, random_state=0)
    twin.fit(da.from_array(features, chunks=(80, 4)))
    original = consensa.LWGP(
        3, generator=consensa.RandomKMeans(5, n_clusters=6, max_samples=100), random_state=0
    ).fit(features)
    assert_array_equal(twin.labels_.compute(), original.labels_)
    assert twin.n_features_in_ == 4


def test_features_that_are_not_finite_are_named_by_their_row(features):
    bad = features.copy()
    bad[123, 2] = np.nan
    with pytest.raises(InvalidInputError, match="Row 123 contains NaN"):
        distributed.RandomKMeans(2, max_samples=50).generate(da.from_array(bad, chunks=(60, 4)))


def test_unknown_chunks_are_refused_with_the_remedy(features):
    frame = dask.dataframe.from_array(features, chunksize=50)
    with pytest.raises(InvalidInputError, match="lengths=True"):
        distributed.RandomKMeans(2).generate(frame.to_dask_array())
