"""Agreement of each pair of partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from strategies import two_partitions

from consensa import Ensemble
from consensa.exceptions import InvalidParameterError
from consensa.metrics import partition_similarity
from consensa.metrics.rand import pairwise_rand, rand_with

THEIRS = {"ari": adjusted_rand_score, "nmi": normalized_mutual_info_score}


@pytest.mark.parametrize("score", THEIRS)
@pytest.mark.parametrize("n_clusters", [4, 60])  # tables by place, and by sorting
def test_each_entry_is_what_scikit_learn_says_of_the_samples_that_both_label(score, n_clusters):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, n_clusters, (70, 5))
    labels[:, 4] = labels[:, 3] // 2
    labels[:, 1:][rng.random((70, 4)) < 0.2] = -1
    found = partition_similarity(labels, score=score)
    for a in range(5):
        for b in range(5):
            both = (labels[:, a] >= 0) & (labels[:, b] >= 0)
            assert found[a, b] == pytest.approx(THEIRS[score](labels[both, a], labels[both, b]))


def test_names_of_clusters_and_the_order_of_samples_do_not_matter():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, (40, 4))
    renamed = np.column_stack([rng.permutation(3)[column] for column in labels.T])
    expected = partition_similarity(labels)
    assert_allclose(partition_similarity(renamed[rng.permutation(40)]), expected)


def test_partitions_that_share_no_two_samples_have_no_agreement():
    found = partition_similarity([[0, None], [0, 1], [None, 0], [None, 1]])
    assert_array_equal(found, [[1, np.nan], [np.nan, 1]])


@pytest.mark.parametrize("labels", [[[0], [1]], [[0, 0], [0, 0]], [[0, 0], [1, 1]]])
@pytest.mark.parametrize("score", THEIRS)
def test_equal_partitions_agree_wholly(labels, score):
    assert_array_equal(partition_similarity(labels, score=score), 1)


def test_another_score_is_refused():
    with pytest.raises(InvalidParameterError, match="'ari' or 'nmi'"):
        partition_similarity(Ensemble.from_labels([[0], [1]]), score="acc")


@given(two_partitions())
def test_the_index_of_tables_is_that_of_scikit_learn(partitions):
    one, other = (np.unique(part, return_inverse=True)[1] for part in partitions)
    assume(len(one) > 1)
    ensemble = Ensemble.from_labels(np.stack([one, other], axis=1))
    wanted = adjusted_rand_score(one, other)
    assert pairwise_rand(ensemble)[0, 1] == pytest.approx(wanted, abs=1e-12)
    assert rand_with(ensemble, one) == pytest.approx([1, wanted], abs=1e-12)


def test_information_over_the_larger_entropy_is_that_of_each_pair_alone():
    rng = np.random.RandomState(0)
    labels = rng.randint(-1, 4, size=(40, 6))
    labels[:, 5] = 0
    found = partition_similarity(labels, score="nmi_max")
    for a in range(6):
        for b in range(a):
            both = (labels[:, a] >= 0) & (labels[:, b] >= 0)
            expected = normalized_mutual_info_score(
                labels[both, a], labels[both, b], average_method="max"
            )
            assert found[a, b] == found[b, a] == pytest.approx(expected, abs=1e-12)
