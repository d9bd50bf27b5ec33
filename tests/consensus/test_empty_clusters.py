"""Empty clusters get the distinct rows that fit worst."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, ecpcsmc
from consensa.consensus._empty_clusters import fill_empty_clusters
from consensa.exceptions import EmptyClustersWarning, InvalidInputError


def noisy(n, seed=0, missing=0.2):
    """Labels of n samples in 6 partitions with missing labels, and some 30 distinct rows."""
    rng = np.random.RandomState(seed)
    rows = rng.randint(0, 4, (30, 6))
    rows[rng.uniform(size=rows.shape) < missing] = -1
    rows[(rows < 0).all(axis=1), 0] = 0
    labels = rows[rng.randint(0, 30, n)]
    labels[:4] = np.arange(4)[:, None]
    return labels


def mean_coassociation_by_loop(labels, answer, i):
    """Of the others in the cluster of i: how often together, where a partition labels both."""
    together = pairs = 0
    for j in range(len(labels)):
        if j != i and answer[j] == answer[i]:
            both = (labels[i] >= 0) & (labels[j] >= 0)
            pairs += both.sum()
            together += (both & (labels[i] == labels[j])).sum()
    return together / max(pairs, 1)


def test_the_row_that_fits_worst_is_split_off():
    # Sample 3 agrees with samples 0 to 2 in one partition of three, they with each other in all.
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1]])
    filled = fill_empty_clusters(Ensemble.from_labels(labels), np.array([0, 0, 0, 0, 2]), 3)
    assert_array_equal(filled, [0, 0, 0, 1, 2])


def test_a_cluster_keeps_its_best_row_and_equal_rows_stay_together():
    labels = np.array([[0, 0], [0, 1], [0, 1], [1, 2], [1, 2]])
    filled = fill_empty_clusters(Ensemble.from_labels(labels), np.array([0, 0, 0, 1, 1]), 3)
    assert_array_equal(filled, [2, 0, 0, 1, 1])


def test_the_rows_split_off_have_the_smallest_mean_coassociation_by_its_definition():
    labels = noisy(40)
    answer = (labels[:, 0] > 0).astype(np.int64)
    filled = fill_empty_clusters(Ensemble.from_labels(labels), answer, 12)
    assert_array_equal(np.unique(filled), np.arange(12))
    fit = np.array([mean_coassociation_by_loop(labels, answer, i) for i in range(40)])
    best = np.array([fit[answer == cluster].max() for cluster in (0, 1)])
    stayed = filled < 2
    assert_array_equal(filled[stayed], answer[stayed])
    assert fit[~stayed].max() <= fit[stayed & (fit < best[answer])].min()


def test_neither_rows_nor_partitions_nor_names_decide_which_rows_are_split_off():
    rng = np.random.RandomState(0)
    labels = noisy(200, missing=0)
    rows, columns = rng.permutation(200), rng.permutation(6)
    other = np.stack([rng.permutation(4)[column] for column in labels.T], axis=1)
    other = other[rows][:, columns]
    with pytest.warns(EmptyClustersWarning, match="ecpcsmc found"):
        here = ecpcsmc(Ensemble.from_labels(labels), 25, random_state=0).labels
    with pytest.warns(EmptyClustersWarning, match="ecpcsmc found"):
        there = ecpcsmc(Ensemble.from_labels(other), 25, random_state=0).labels
    assert len(np.unique(np.column_stack([here[rows], there]), axis=0)) == 25


def test_a_row_without_any_label_is_refused():
    with pytest.raises(InvalidInputError, match="Row 1 is missing in all"):
        Ensemble.from_labels([[0, 0], [-1, -1], [1, 1]])
