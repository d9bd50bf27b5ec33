"""Base partitions by k-means on random projections."""

from __future__ import annotations

import math

import numpy as np
import pytest

from consensa import RandomProjection, lwea
from consensa.metrics import adjusted_rand_index

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 200))
X[:30] += 1.0


def components_of(ensemble):
    return [model.model.components for model in ensemble.models]


@pytest.mark.parametrize("projection", ["gaussian", "sparse"])
def test_projections_differ_and_have_the_width_asked_for(projection):
    ensemble = RandomProjection(3, n_components=7, projection=projection).generate(X)
    seen = components_of(ensemble)
    assert all(components.shape == (7, 200) for components in seen)
    assert abs(seen[0] - seen[1]).max() > 0


def test_the_usual_width_grows_with_the_logarithm_of_the_samples():
    assert components_of(RandomProjection(1).generate(X))[0].shape[0] == math.ceil(
        4 * math.log(60)
    )
    narrow = RandomProjection(1).generate(X[:, :3])
    assert components_of(narrow)[0].shape == (3, 3)


def test_separate_clusters_survive_the_projection():
    ensemble = RandomProjection(n_clusters=2).generate(X, random_state=0)
    assert adjusted_rand_index(np.repeat([0, 1], 30), lwea(ensemble, 2).labels) > 0.9


def test_more_components_than_columns_are_taken():
    assert components_of(RandomProjection(1, n_components=9).generate(X[:, :4]))[0].shape == (9, 4)
