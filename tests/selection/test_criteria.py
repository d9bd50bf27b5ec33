"""Each criterion by hand, and against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, coassociation
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.metrics import adjusted_rand_index
from consensa.selection import (
    ambiguous_pairs,
    cdf_area,
    consensus_cdf,
    delta_area,
    eigengap,
    explained_dispersion,
    mean_agreement,
    stability,
)

# Four samples: pairs 01 and 23 always together, 02 half of the time, 13 now and then.
MATRIX = np.array([[1, 1, 0.5, 0], [1, 1, 0, 0.2], [0.5, 0, 1, 1], [0, 0.2, 1, 1]])


def test_ambiguous_pairs_by_hand():
    assert ambiguous_pairs(MATRIX) == 2 / 6
    assert ambiguous_pairs(MATRIX, lower=0.2) == 1 / 6  # the ends count as decided
    assert ambiguous_pairs(MATRIX, lower=0.2, upper=0.5) == 0
    assert ambiguous_pairs(np.eye(5)) == 0
    assert ambiguous_pairs([[1.0]]) == 0


def test_ambiguous_pairs_refuses_bounds_in_the_wrong_order():
    with pytest.raises(InvalidParameterError, match=r"'lower' .* at most 'upper', 0\.2"):
        ambiguous_pairs(MATRIX, lower=0.5, upper=0.2)
    with pytest.raises(InvalidParameterError, match="'upper' parameter"):
        ambiguous_pairs(MATRIX, upper=2)


def test_the_cdf_by_hand():
    grid, cdf = consensus_cdf(MATRIX, n_points=11)
    assert_allclose(grid, np.linspace(0, 1, 11))
    assert_allclose(cdf * 6, [2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 6])


def test_the_area_is_the_integral_of_the_cdf():
    matrix = coassociation(Ensemble.from_labels(np.random.RandomState(0).randint(3, size=(30, 8))))
    grid, cdf = consensus_cdf(matrix, n_points=20001)
    assert abs(cdf_area(matrix) - np.trapezoid(cdf, grid)) < 1e-3
    assert cdf_area(MATRIX) == pytest.approx(1 - (1 + 0.5 + 0 + 0 + 0.2 + 1) / 6)


def test_growth_of_the_area_by_hand():
    assert_allclose(delta_area([0.4, 0.6, 0.66]), [0.4, 0.5, 0.1])
    assert_array_equal(delta_area([0.0, 0.0]), [0, 0])
    with pytest.raises(InvalidInputError, match="at least one area"):
        delta_area([])


def test_groups_without_ties_have_their_gap_where_they_are_counted():
    for k in (2, 3, 5):
        matrix = np.kron(np.eye(k), np.ones((4, 4)))
        gaps = eigengap(matrix, range(1, 8))
        assert_allclose(gaps, np.arange(1, 8) == k, atol=1e-12)


def test_the_gap_is_that_of_all_eigenvalues():
    matrix = coassociation(Ensemble.from_labels(np.random.RandomState(0).randint(3, size=(20, 6))))
    scale = np.diag(1 / np.sqrt(matrix.sum(axis=1)))
    values = np.sort(np.linalg.eigvalsh(scale @ matrix @ scale))[::-1]
    assert_allclose(eigengap(matrix, [1, 4, 9]), [values[k - 1] - values[k] for k in (1, 4, 9)],
                    atol=1e-12)  # fmt: skip
    assert eigengap(matrix, 4) == pytest.approx(values[3] - values[4])


@pytest.mark.parametrize("bad", [0, 4, [], [2, 9]])
def test_a_gap_that_is_not_there_is_refused(bad):
    with pytest.raises(InvalidParameterError, match="from 1 to n − 1 = 3"):
        eigengap(MATRIX, bad)


def test_stability_and_agreement_are_means_of_rand_indices(planted):
    labels, truth = planted
    pairs = [adjusted_rand_index(labels[:, a], labels[:, b]) for a in range(8) for b in range(a)]
    assert stability(labels) == pytest.approx(np.mean(pairs))
    expected = np.mean([adjusted_rand_index(column, truth) for column in labels.T])
    assert mean_agreement(labels, truth) == pytest.approx(expected)
    assert stability(np.stack([truth] * 3, axis=1)) == 1
    assert stability(truth[:, None]) == 1  # nothing to disagree with


def test_explained_dispersion_by_hand():
    X = [[0.0], [2.0], [10.0], [12.0]]  # total 104, within 4
    assert explained_dispersion(X, [0, 0, 1, 1]) == pytest.approx(np.log(104 / 4))
    assert explained_dispersion(X, [3, 3, 3, 3]) == pytest.approx(0)
    assert np.isfinite(explained_dispersion(X, [0, 1, 2, 3]))
    assert explained_dispersion(np.ones((4, 2)), [0, 0, 1, 1]) == 0
