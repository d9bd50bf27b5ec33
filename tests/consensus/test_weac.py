"""WEAC: what is particular to it."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import mutual_info_score

from consensa import WEAC, Ensemble, eac, weac
from consensa.consensus._crowd_agreement import crowd_agreement


def test_weights_and_matrix_are_those_of_the_authors_program(reference_small, reference_links):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    agreement = crowd_agreement(ensemble)
    assert_allclose(agreement, reference_links["weac_ncai"], rtol=0, atol=1e-12)
    result = weac(ensemble, 4)
    assert_allclose(result.affinity, reference_links["weac_affinity"], rtol=0, atol=1e-12)
    assert_allclose(result.details["partition_weights"], agreement**2)


def test_exponent_0_is_evidence_accumulation(planted):
    ensemble = Ensemble.from_labels(planted[0])
    plain = weac(ensemble, 3, exponent=0)
    assert_array_equal(plain.affinity, eac(ensemble, 3).affinity)


def test_a_partition_that_agrees_with_no_other_has_a_small_weight():
    good = [0, 0, 0, 1, 1, 1]
    labels = np.stack([good, good, good, [0, 1, 0, 1, 0, 1]], axis=1)
    weights = WEAC(2, generator="precomputed").fit(labels).partition_weights_
    assert_allclose(weights[:3], 1)
    assert weights[3] < 0.05


def test_partitions_without_agreement_or_without_common_samples_count_alike():
    assert_array_equal(crowd_agreement(Ensemble.from_labels([[0], [1]])), [1])
    apart = Ensemble.from_labels([[0, -1], [1, -1], [-1, 0], [-1, 1]])
    assert_array_equal(crowd_agreement(apart), [1, 1])


def random_beside_good(n_labeled, *, same_samples):
    """Six partitions that know half of the truth, and twelve of random labels for some samples."""
    rng = np.random.RandomState(0)
    truth = rng.randint(4, size=200)
    good = [
        np.where(rng.uniform(size=200) < 0.5, rng.randint(8, size=200),
                 2 * truth + rng.randint(2, size=200))
        for _ in range(6)
    ]  # fmt: skip
    noise = rng.randint(8, size=(12, 200))
    order = rng.permutation(200)
    for partition in noise:
        partition[order[n_labeled:]] = -1
        order = order if same_samples else rng.permutation(200)
    return Ensemble.from_labels(np.stack([*good, *noise], axis=1))


# Few samples are hardly shared by partitions that label others: these have small weights anyway.
@pytest.mark.parametrize(
    ("n_labeled", "same_samples"), [(2, True), (10, True), (50, False), (100, False)]
)
def test_random_labels_of_few_samples_have_small_weights(n_labeled, same_samples):
    agreement = crowd_agreement(random_beside_good(n_labeled, same_samples=same_samples))
    assert agreement[6:].max() < agreement[:6].min()


def agreement_by_definition(labels):
    """Sums over the other partitions, one pair after the other, on the samples of both.

    A pair of which one partition has a single cluster there, or which shares no sample, counts 0.
    """
    m = labels.shape[1]
    total = np.zeros(m)
    for a, b in itertools.permutations(range(m), 2):
        one, other = labels[(labels[:, [a, b]] >= 0).all(axis=1)][:, [a, b]].T
        if min(len(np.unique(one)), len(np.unique(other))) > 1:
            larger = max(mutual_info_score(one, one), mutual_info_score(other, other))
            total[a] += mutual_info_score(one, other) / larger * len(one) / len(labels)
    return total / total.max()


def test_agreement_is_that_of_the_definition_also_if_some_partitions_share_no_sample():
    rng = np.random.RandomState(0)
    labels = np.repeat([0, 1, 2], 20)[:, None] + rng.randint(2, size=(60, 5))
    labels[rng.uniform(size=labels.shape) < 0.3] = -1
    labels[:30, 0] = labels[30:, 1] = -1
    labels[:, 4] = np.abs(labels[:, 4])  # each sample has a label
    found = crowd_agreement(Ensemble.from_labels(labels))
    assert_allclose(found, agreement_by_definition(labels), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_partitions_of_one_cluster_on_common_samples_do_not_agree(seed):
    rng = np.random.RandomState(seed)
    good = np.where(rng.uniform(size=(40, 4)) < 0.2, 1, np.repeat([0, 1], 20)[:, None])
    labels = np.column_stack([good, np.full((40, 3), -1)])
    labels[:12, 4:6] = 0  # of both a single cluster where both label
    labels[20, 4] = labels[21, 5] = 1
    labels[:30, 6] = rng.randint(2, size=30)  # two clusters where the fifth has one
    found = crowd_agreement(Ensemble.from_labels(labels))
    assert_allclose(found, agreement_by_definition(labels), atol=1e-12)
    assert found[:4].min() > found[4:].max()


def test_partitions_of_one_cluster_agree_with_none():
    labels = np.array([[0] * 6, [0] * 6, [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]).T
    assert_allclose(crowd_agreement(Ensemble.from_labels(labels)), [0, 0, 1, 1])


def test_rounding_is_no_agreement():
    independent = np.array(list(itertools.product(range(3), range(5), range(7))))
    assert_array_equal(crowd_agreement(Ensemble.from_labels(independent)), [1, 1, 1])
