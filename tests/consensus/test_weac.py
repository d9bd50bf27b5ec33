"""WEAC: what is particular to it."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

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
