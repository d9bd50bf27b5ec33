"""Base partitions by k-means on random columns."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import RandomSubspace
from consensa.exceptions import InvalidParameterError

X = np.random.default_rng(0).normal(size=(64, 10))


def columns_of(ensemble):
    return [model.model.columns for model in ensemble.models]


@pytest.mark.parametrize(("n_features", "kept"), [(0.5, 5), (0.41, 5), (1.0, 10), (3, 3), (1, 1)])
def test_each_partition_sees_its_own_columns(n_features, kept):
    seen = columns_of(RandomSubspace(8, n_features=n_features).generate(X, random_state=0))
    assert all(len(set(columns)) == kept for columns in seen)
    if kept < 10:
        assert len({tuple(columns) for columns in seen}) > 1


def test_columns_that_were_not_drawn_do_not_matter():
    ensemble = RandomSubspace(1, n_features=4).generate(X, random_state=0)
    others = np.setdiff1d(np.arange(10), columns_of(ensemble)[0])
    changed = X.copy()
    changed[:, others] = 1e3 * np.random.default_rng(1).normal(size=(64, 6))
    again = RandomSubspace(1, n_features=4).generate(changed, random_state=0)
    assert_array_equal(again.labels, ensemble.labels)


def test_more_columns_than_there_are_is_refused():
    with pytest.raises(InvalidParameterError, match=r"at most the number of columns, 10\. Got 11"):
        RandomSubspace(n_features=11).generate(X)
