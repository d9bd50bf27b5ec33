"""The picture of the consensus matrix."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import EAC, ConsensusResult, Ensemble, eac
from consensa.exceptions import InvalidInputError, MissingExtraError
from consensa.plotting import AffinityDisplay
from consensa.plotting._affinity import block_means, by_cluster


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_samples_are_drawn_cluster_by_cluster():
    labels = np.array([1, 0, 1, 0, 2])
    matrix = np.equal.outer(labels, labels).astype(float)
    drawn = AffinityDisplay(matrix, labels).plot().image_.get_array()
    ordered = np.array([0, 0, 1, 1, 2])
    assert_array_equal(drawn, np.equal.outer(ordered, ordered))


def test_the_heart_of_a_cluster_comes_before_its_fringe():
    matrix = np.array([[1, 0.2, 0.3], [0.2, 1, 0.9], [0.3, 0.9, 1]])
    assert_array_equal(by_cluster(matrix, np.zeros(3, int)), [2, 1, 0])


def test_without_labels_the_samples_stay_where_they_are():
    matrix = np.arange(9.0).reshape(3, 3)
    display = AffinityDisplay(matrix).plot()
    assert_array_equal(display.image_.get_array(), matrix)
    assert display.ax_.get_xlabel() == "sample"


@pytest.mark.parametrize(("n", "cells"), [(7, 3), (10, 5), (5, 5), (9, 4), (4, 1)])
def test_block_means_are_the_means_of_blocks(n, cells):
    rng = np.random.RandomState(0)
    matrix, order = rng.uniform(size=(n, n)), rng.permutation(n)
    width = -(-n // cells)
    ordered = matrix[np.ix_(order, order)]
    starts = range(0, n, width)
    expected = [[ordered[i : i + width, j : j + width].mean() for j in starts] for i in starts]
    assert_allclose(block_means(matrix, order, cells), expected)


def test_a_large_matrix_is_summarised():
    display = AffinityDisplay(np.ones((2500, 2500), np.float32), np.repeat([0, 1], 1250)).plot()
    assert display.image_.get_array().shape == (834, 834)
    assert_allclose(display.ax_.get_xlim(), [0, 2500])


def test_clusters_carry_their_names_where_there_is_room():
    labels = ["big"] * 99 + ["small"]
    display = AffinityDisplay(np.eye(100), labels).plot()
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["big"]
    assert display.ax_.get_title() == "Consensus matrix: 100 samples, 2 clusters"


def test_it_draws_where_it_is_told_to_and_keeps_what_it_drew():
    figure, (left, right) = plt.subplots(1, 2)
    display = AffinityDisplay(np.eye(3)).plot(right, cmap="cividis", colorbar=False)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert display.colorbar_ is None
    assert display.image_.get_cmap().name == "cividis"
    assert not left.images
    again = AffinityDisplay(np.eye(3)).plot()
    assert again.colorbar_.ax.get_ylabel() == "affinity"


def test_estimators_and_results_are_drawn_alike():
    labels = [[0, 0], [1, 1], [0, 0], [1, 0]]
    model = EAC(2, generator="precomputed").fit(labels)
    result = eac(Ensemble.from_labels(labels), 2)
    one, other = AffinityDisplay.from_estimator(model), AffinityDisplay.from_result(result)
    assert_array_equal(one.image_.get_array(), other.image_.get_array())


def test_what_has_no_matrix_is_refused():
    ensemble = Ensemble.from_labels([[0], [1]])
    with pytest.raises(InvalidInputError, match="EAC has no affinity_matrix_: call fit first"):
        AffinityDisplay.from_estimator(EAC())
    with pytest.raises(InvalidInputError, match="no affinity"):
        AffinityDisplay.from_result(ConsensusResult(np.array([0, 1]), ensemble))


@pytest.mark.parametrize(
    ("matrix", "labels", "said"),
    [
        (np.ones((2, 3)), None, r"square, n × n. Got shape \(2, 3\)"),
        (np.ones(4), None, "square"),
        (np.eye(3), [0, 1], "each of the 3 rows of matrix. Got 2"),
    ],
)
def test_bad_input_is_refused(matrix, labels, said):
    with pytest.raises(InvalidInputError, match=said):
        AffinityDisplay(matrix, labels).plot()


def test_the_matrix_is_left_as_it_was():
    matrix = np.eye(4)
    matrix.flags.writeable = False
    AffinityDisplay(matrix, [1, 0, 1, 0]).plot()
    assert_array_equal(matrix, np.eye(4))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'consensa\[plot\]'"):
        AffinityDisplay(np.eye(2)).plot()
