"""The map of the samples: order-free, with a seed, and honest about distances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA

import consensa as cs
from consensa.exceptions import InvalidParameterError


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 30)
    centers = rng.normal(scale=4, size=(3, 10))
    return centers[truth] + rng.normal(size=(90, 10)), truth


def test_a_map_of_flat_data_is_their_principal_plane():
    X = np.random.RandomState(0).normal(size=(50, 2)) @ np.array([[3, 1.0], [0.0, 1.0]])
    found = cs.sample_map(X)
    assert found.kind == "pca"
    np.testing.assert_allclose(pdist(found.points), pdist(X))  # a rotation
    np.testing.assert_allclose(found.shares, PCA().fit(X).explained_variance_ratio_)
    assert "100% of the variance" in found.note


@pytest.mark.parametrize("kind", ["embedding", "pca"])
def test_the_order_of_the_rows_does_not_move_a_point(blobs, kind):
    X, _ = blobs
    order = np.random.RandomState(1).permutation(len(X))
    here, there = (cs.sample_map(rows, kind=kind).points for rows in (X, X[order]))
    np.testing.assert_array_equal(here[order], there)


def test_the_seed_decides_the_embedding(blobs):
    X, _ = blobs
    one, same, other = (
        cs.sample_map(X, kind="embedding", random_state=seed).points for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.allclose(one, other)


def test_many_dimensions_are_embedded_and_clusters_stay_together(blobs):
    X, truth = blobs
    X = np.c_[X, np.random.RandomState(2).normal(size=(90, 20))]
    found = cs.sample_map(X)
    assert found.kind == "embedding"
    assert found.shares is None
    assert "no meaning" in found.note
    inside = max(pdist(found.points[truth == c]).mean() for c in range(3))
    centers = np.array([found.points[truth == c].mean(axis=0) for c in range(3)])
    assert pdist(centers).min() > 1.5 * inside


def test_equal_samples_text_columns_and_tiny_data_have_a_map():
    frame = pd.DataFrame({"a": [1.0, 1.0, 2.0, 7.0], "b": ["x", "x", "y", "y"]})
    points = cs.sample_map(frame).points
    assert (points[0] == points[1]).all()
    assert np.isfinite(points).all()
    assert cs.sample_map([[1.0], [1.0]]).points.shape == (2, 2)  # not even two distinct ones


def test_another_kind_is_refused():
    with pytest.raises(InvalidParameterError, match="'kind' parameter of sample_map"):
        cs.sample_map([[1.0], [2.0]], kind="tsne")
