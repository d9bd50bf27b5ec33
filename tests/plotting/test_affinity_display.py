"""The picture of the consensus matrix."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import EAC, LWGP, ConsensusResult, Ensemble, coassociation, eac
from consensa.ensemble.appearance import number_by_appearance
from consensa.exceptions import InvalidInputError, MissingExtraError
from consensa.metrics import cluster_stability, sample_confidence
from consensa.plotting import AffinityDisplay
from consensa.plotting._affinity import by_cluster, own_affinity
from consensa.plotting.blocks import block_means


def random_ensemble(n, hidden):
    """Noisy copies of random clusters, of which a share of the labels is hidden."""
    rng = np.random.default_rng(0)
    clusters = number_by_appearance(rng.integers(0, 3, n))
    labels = np.where(rng.random((n, 5)) < 0.2, rng.integers(0, 4, (n, 5)), clusters[:, None])
    labels[:, 1:][rng.random((n, 4)) < hidden] = -1
    return labels, clusters


def test_samples_are_drawn_cluster_by_cluster():
    labels = np.array([1, 0, 1, 0, 2])
    matrix = np.equal.outer(labels, labels).astype(float)
    drawn = AffinityDisplay(matrix, labels).plot().image_.get_array()
    ordered = np.array([0, 0, 1, 1, 2])
    assert_array_equal(drawn, np.equal.outer(ordered, ordered))


def test_the_heart_of_a_cluster_comes_before_its_fringe():
    matrix = np.array([[1, 0.2, 0.3], [0.2, 1, 0.9], [0.3, 0.9, 1]])
    own = own_affinity(matrix, np.zeros(3, int))
    assert_allclose(own, matrix.mean(axis=1))
    assert_array_equal(by_cluster(own, np.zeros(3, int)), [2, 1, 0])


@pytest.mark.parametrize(
    ("within", "brightest", "more"), [(0.9, 1, "neither"), (0.1, 0.38, "max")]
)
def test_a_bright_diagonal_does_not_darken_the_clusters(within, brightest, more):
    labels = np.repeat([0, 1], 10)
    matrix = within * np.equal.outer(labels, labels)
    np.fill_diagonal(matrix, 1)
    display = AffinityDisplay(matrix, labels).plot()
    assert_allclose(display.image_.get_clim(), [0, brightest])
    assert display.colorbar_.extend == more


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


def test_a_large_matrix_is_summarized():
    display = AffinityDisplay(np.ones((2500, 2500), np.float32), np.repeat([0, 1], 1250)).plot()
    assert display.image_.get_array().shape == (834, 834)
    assert_allclose(display.ax_.get_xlim(), [0, 2500])


def test_clusters_carry_their_names_where_there_is_room():
    labels = ["big"] * 97 + ["a", "b", "c"]
    display = AffinityDisplay(np.eye(100), labels).plot()
    names = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert names == ["big", "b"] or names == ["big", "a"]
    assert display.ax_.get_title() == "Consensus matrix: 100 samples, 4 clusters"


@pytest.mark.parametrize("n_clusters", [5, 40, 150])
def test_names_do_not_touch(n_clusters):
    labels = np.repeat(np.arange(n_clusters) + 10_000, 3)
    display = AffinityDisplay(np.eye(len(labels)), labels).plot()
    display.figure_.canvas.draw()
    for axis, side in ((display.ax_.xaxis, "x"), (display.ax_.yaxis, "y")):
        boxes = [text.get_window_extent() for text in axis.get_ticklabels()]
        assert len(boxes) >= 5
        ends = np.sort(
            [sorted((getattr(b, side + "0"), getattr(b, side + "1"))) for b in boxes], 0
        )
        assert (ends[1:, 0] >= ends[:-1, 1]).all()


def test_numbered_clusters_are_drawn_in_order_of_their_numbers():
    display = AffinityDisplay(np.eye(3), [20, 3, 20]).plot()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["3", "20"]


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


def test_what_is_not_fitted_is_refused():
    with pytest.raises(
        InvalidInputError, match="EAC has no labels_ and ensemble_: call fit first"
    ):
        AffinityDisplay.from_estimator(EAC())


def test_without_an_affinity_the_coassociation_is_drawn():
    labels = [[0, 0], [1, 1], [0, 0], [1, 0]]
    model = LWGP(2, generator="precomputed", random_state=0).fit(labels)
    result = ConsensusResult(model.labels_, model.ensemble_)
    for display in (AffinityDisplay.from_estimator(model), AffinityDisplay.from_result(result)):
        assert_array_equal(
            np.sort(display.image_.get_array().ravel()), np.sort(coassociation(labels).ravel())
        )
        assert display.colorbar_.ax.get_ylabel() == "co-association"


@pytest.mark.parametrize("hidden", [0, 0.3])
def test_an_ensemble_is_drawn_as_its_coassociation(hidden):
    labels, clusters = random_ensemble(10, hidden)
    display = AffinityDisplay.from_ensemble(labels, clusters)
    order = np.lexsort((-sample_confidence(labels, clusters).round(6), clusters))
    assert_allclose(display.image_.get_array(), coassociation(labels)[np.ix_(order, order)])
    assert display.image_.get_clim() == (0, 1)


@pytest.mark.parametrize(("n", "cells"), [(10, 5), (23, 7), (40, 40)])
def test_cells_of_an_ensemble_are_means_over_the_pairs_they_stand_for(n, cells):
    labels, clusters = random_ensemble(n, 0)
    display = AffinityDisplay(Ensemble.from_labels(labels), clusters, max_cells=cells).plot()
    order = np.lexsort((-sample_confidence(labels, clusters).round(6), clusters))
    matrix = coassociation(labels)[np.ix_(order, order)]
    others = ~np.eye(n, dtype=bool)
    width = -(-n // cells)
    drawn = display.image_.get_array()
    assert drawn.shape == (-(-n // width),) * 2
    for (a, b), value in np.ndenumerate(drawn):
        block = np.ix_(range(a * width, min(n, (a + 1) * width)),
                       range(b * width, min(n, (b + 1) * width)))  # fmt: skip
        pairs = matrix[block][others[block]]
        assert value == pytest.approx(pairs.mean() if pairs.size else 1)


def test_a_hundred_thousand_samples_are_drawn_without_their_matrix():
    labels, clusters = random_ensemble(100_000, 0)
    display = AffinityDisplay.from_ensemble(labels, clusters)
    drawn = display.image_.get_array()
    assert drawn.shape == (400, 400)
    assert_allclose(display.ax_.get_xlim(), [0, 100_000])
    sizes = np.bincount(clusters)
    inside = slice(1, sizes[0] // 250 - 1)  # cells of the first cluster alone
    whole = cluster_stability(labels, clusters).cohesion[0]
    assert drawn[inside, inside].mean() == pytest.approx(whole, abs=0.02)


@pytest.mark.parametrize("labels", [[[0], [1]], [[0], [0]], [[0, None], [0, 1]], [[0, 1], [0, 1]]])
def test_two_samples_are_enough(labels):
    display = AffinityDisplay.from_estimator(EAC(1, generator="precomputed").fit(labels))
    assert display.ax_.get_title() == "Consensus matrix: 2 samples, 1 cluster"
    AffinityDisplay.from_ensemble(labels).figure_.canvas.draw()


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
