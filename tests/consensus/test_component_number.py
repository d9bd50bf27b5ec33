"""Components that are more than the clusters, merged: the same as average linkage of samples."""

import numpy as np
import pytest

from consensa import Ensemble, coassociation
from consensa.consensus._component_number import merged_components
from consensa.exceptions import ConvergenceWarning
from consensa.metrics import adjusted_rand_index
from consensa.partition import cut_by_linkage


@pytest.mark.parametrize("seed", range(5))
def test_components_of_unequal_sizes_are_merged_as_their_samples_would_be(seed):
    rng = np.random.RandomState(seed)
    component = np.repeat(np.arange(7), [1, 2, 3, 5, 8, 13, 21])
    labels = np.where(
        rng.uniform(size=(53, 9)) < 0.6, rng.randint(4, size=(53, 9)), component[:, None] % 4
    )
    ensemble = Ensemble.from_labels(labels)
    with pytest.warns(ConvergenceWarning, match="ABC found 7 components instead of 3"):
        merged = merged_components("ABC", component, ensemble.membership(), np.ones(53), 3)
    affinity = np.asarray(coassociation(ensemble))
    affinity[component[:, None] == component] = 1  # the samples of a component merge first
    expected = cut_by_linkage(affinity, 3, method="average")
    assert adjusted_rand_index(expected, merged) == 1
