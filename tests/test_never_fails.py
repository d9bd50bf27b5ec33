"""Degenerate features: `cluster` gives an answer, without an error or a warning of a library."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from scipy import sparse

import consensa as cs
from consensa.exceptions import DoubtWarning, FewerClustersWarning, UndecidedTieWarning

RNG = np.random.default_rng(0)
ANGLE = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
RING = np.stack([np.cos(ANGLE), np.sin(ANGLE)], axis=1)
NORMAL = RNG.normal(size=(24, 3))
LARGEST = np.finfo(np.float64).max


def two_clumps(columns, far):
    points = RNG.normal(size=(24, columns))
    points[12:] += far
    return points


def few_entries(shape, count):
    rng = np.random.default_rng(0)
    dense = np.zeros(shape)
    dense.flat[rng.choice(dense.size, count, replace=False)] = rng.uniform(size=count)
    return sparse.csr_array(dense)


INPUTS = {
    "duplicates only": np.repeat(np.arange(3.0), 5).reshape(-1, 1),
    "40 % duplicates": np.r_[NORMAL[:15], np.tile(NORMAL[-1:], (10, 1))],
    "constant columns": np.c_[NORMAL, np.ones(24), np.full(24, 1e9)],
    "all rows equal": np.ones((10, 3)),
    "collinear": np.arange(25.0)[:, None] * [1, 2, 3],
    "grid": np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2),
    "two samples": np.array([[0.0], [1.0]]),
    "three samples": np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
    "five samples": NORMAL[:5],
    "far clumps": two_clumps(20, 1e8),
    "far clumps in the plane": two_clumps(2, 1e8),
    "clumps as far as digits reach": two_clumps(4, 1e15),
    "an outlier": np.r_[two_clumps(4, 0), [[1e12] * 4]],
    "an outlier in the plane": np.r_[two_clumps(2, 0), [[1e12] * 2]],
    "a huge outlier": np.r_[two_clumps(4, 0), [[1e300] * 4]],
    "a huge outlier in the plane": np.r_[two_clumps(2, 0), [[1e300] * 2]],
    "integers": RNG.integers(0, 4, size=(24, 3)),
    "large integers": RNG.integers(-(2**62), 2**62, size=(24, 3)),
    "booleans": RNG.integers(0, 2, size=(24, 6)).astype(bool),
    "counts": RNG.poisson(RNG.gamma(0.3, 10, size=(24, 30))),
    "one column": NORMAL[:, :1],
    "more columns than rows": RNG.normal(size=(10, 80)),
    "far more columns than rows": RNG.normal(size=(8, 1600)),
    "empty sparse rows": few_entries((24, 20), 19),
    "an empty sparse matrix": sparse.csr_array((6, 4)),
    "1e-300": NORMAL * 1e-300,
    "1e-300 in many columns": RNG.normal(size=(20, 60)) * 1e-300,
    "1e300": NORMAL * 1e300,
    "1e300 in many columns": RNG.normal(size=(20, 60)) * 1e300,
    "1e-300 to 1e300": NORMAL * [1e-300, 1, 1e300],
    "1e-300 to 1e300 in many columns": RNG.normal(size=(20, 60)) * np.logspace(-300, 300, 60),
    "the largest numbers": RNG.choice([-LARGEST, LARGEST], size=(20, 4)),
    "the smallest numbers": RNG.integers(0, 9, size=(20, 2)) * 5e-324,
    "differences of the last digit": 1 + RNG.integers(0, 9, size=(20, 3)) * 2.3e-16,
    "float32": NORMAL.astype(np.float32),
    "the largest of float32": (NORMAL / np.abs(NORMAL).max() * 3.4e38).astype(np.float32),
}
LONG = {
    "ring": RING,
    "rings": np.r_[RING[::2], 3 * RING[::2]],
    "line": np.arange(1000.0).reshape(-1, 1),
}


def clusters_of(X, k):
    """Cluster with every warning an error, but for those that say what Consensa does."""
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    distinct = len(np.unique(dense, axis=0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UndecidedTieWarning)
        warnings.simplefilter("ignore", DoubtWarning)  # most of these data have no clusters
        if k > distinct:
            warnings.simplefilter("ignore", FewerClustersWarning)
        result = cs.cluster(X, k, generator=cs.DiverseKinds(12), random_state=0)
    labels = np.asarray(result.labels)
    assert labels.shape == (len(dense),)
    assert len(set(labels.tolist())) == min(k, distinct)
    _, own, inverse = np.unique(dense, axis=0, return_index=True, return_inverse=True)
    assert_array_equal(labels[own][inverse.ravel()], labels)  # equal rows are together
    return labels


@pytest.mark.parametrize("k", [1, 2, "n - 1", "n"])
@pytest.mark.parametrize("X", INPUTS.values(), ids=INPUTS)
def test_it_finds_as_many_clusters_as_there_are_distinct_rows_or_were_asked_for(X, k):
    n = X.shape[0]
    k = {"n - 1": n - 1, "n": n}.get(k, k)
    if 1 <= k <= n:
        clusters_of(X, k)


@pytest.mark.parametrize("X", LONG.values(), ids=LONG)
def test_long_rings_and_lines_are_cut(X):
    clusters_of(X, 2)


@pytest.mark.parametrize("far", [1e3, 1e8, 1e15])
@pytest.mark.parametrize("columns", [2, 20])
def test_far_clumps_are_the_two_clusters(columns, far):
    labels = clusters_of(two_clumps(columns, far), 2)
    assert_array_equal(labels, np.repeat([0, 1], 12))


few_values = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-300, 1e300, -1e300, 1e8])
any_values = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.data(),
    st.integers(2, 12),
    st.integers(1, 6),
    st.sampled_from([few_values, any_values]),
)
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
def test_any_finite_features_have_clusters(data, n, d, values):
    X = data.draw(arrays(np.float64, (n, d), elements=values))
    k = data.draw(st.integers(1, n))
    clusters_of(X + 0.0, k)  # -0 and 0 are equal
