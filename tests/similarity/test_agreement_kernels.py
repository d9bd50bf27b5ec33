"""The compiled loops count what the sparse products count."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, coassociation, coherent_links
from consensa.similarity import _agreement


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
    for least in (10_000, 1):
        monkeypatch.setattr(_agreement, "_COMPILED_FROM", least)
        answers.append(
            [
                *(coassociation(ensemble, dtype=dtype) for dtype in ("float64", "float32")),
                *(coherent_links(ensemble, min_shared=shared) for shared in (None, 1, 2)),
            ]
        )
    for small, large in zip(*answers, strict=True):
        assert large.dtype == small.dtype
        assert_array_equal(large, small)


def test_from_a_thousand_samples_on_the_loops_are_compiled(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError

    monkeypatch.setattr(_agreement, "agreement_blocks", refuse)
    ensemble = labels_of(1000, 4, 5, 0.1)
    assert coassociation(ensemble).shape == coherent_links(ensemble).shape == (1000, 1000)
    with pytest.raises(AssertionError):
        coassociation(labels_of(999, 4, 5, 0.1))
