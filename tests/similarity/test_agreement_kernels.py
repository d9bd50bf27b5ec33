"""The compiled loops count what the sparse products count."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, coassociation, coherent_links
from consensa._machine import compile as _compile


def labels_of(n_samples, n_partitions, n_clusters, missing):
    rng = np.random.RandomState(0)
    labels = rng.randint(n_clusters, size=(n_samples, n_partitions))
    labels[1::2, 1:] = labels[::2, 1:][: n_samples // 2]  # half of the pairs nearly always meet
    labels[rng.uniform(size=labels.shape) < missing] = -1
    labels[:, 0] = np.arange(n_samples) // 2 % n_clusters
    return Ensemble.from_labels(labels)


@pytest.mark.parametrize("missing", [0, 0.4, 0.9])
@pytest.mark.parametrize(
    ("n_partitions", "n_clusters"),
    [(1, 2), (10, 3), (300, 2), (3, 128), (3, 129), (3, 200)],
)
def test_large_problems_give_the_numbers_of_small_ones(
    n_partitions, n_clusters, missing, monkeypatch
):
    ensemble = labels_of(401, n_partitions, n_clusters, missing)
    answers = []
    for loading in (float("inf"), -1):
        monkeypatch.setattr(_compile, "_LOADING", loading)
        answers.append(
            [
                *(coassociation(ensemble, dtype=dtype) for dtype in ("float64", "float32")),
                *(coherent_links(ensemble, min_shared=shared) for shared in (None, 1, 2)),
            ]
        )
    for small, large in zip(*answers, strict=True):
        assert large.dtype == small.dtype
        assert_array_equal(large, small)
