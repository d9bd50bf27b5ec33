"""The picture of the clusters across numbers of clusters."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, eac, select_n_clusters
from consensa.description.following import follow_clusters
from consensa.exceptions import InvalidInputError
from consensa.plotting import TrackingDisplay
from consensa.plotting._clusters import cluster_paint


def drawn_cells(display, n_columns):
    """What stands at the middle of each column, read back from the bars."""
    found = np.full(display.cells_.shape, -1)
    paints = {}
    for number in range(28):
        paint = cluster_paint(number)
        paints[plt.matplotlib.colors.to_rgb(paint["facecolor"]), paint["hatch"]] = number
    for bars in display.ax_.collections:
        number = paints[tuple(bars.get_facecolor()[0][:3]), bars.get_hatch() or ""]
        for path in bars.get_paths():
            (left, top), (right, bottom) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            row = round((top + bottom) / 2)
            middles = (np.arange(n_columns) + 0.5) * display.ax_.get_xlim()[1] / n_columns
            found[row, (middles > left) & (middles < right)] = number
    return found


def test_a_cluster_keeps_its_number_whatever_it_is_called():
    rng = np.random.default_rng(0)
    fine = rng.integers(0, 4, 60)
    coarse, renamed = fine // 2, np.array([3, 0, 2, 1])[fine]
    tracked = follow_clusters(np.column_stack([coarse, renamed, renamed[:] * 0 + coarse]))
    before = tracked[:, 0]
    kept = [np.mean(tracked[fine == c, 1] == before[fine == c]) for c in range(4)]
    assert sorted(kept) == [0, 0, 1, 1]  # one half of each keeps the color, the other is new
    assert set(tracked[:, 1]) == {0, 1, 2, 3}
    assert set(tracked[:, 2]) <= {0, 1, 2, 3}


def test_most_samples_keep_their_number():
    # By the largest share alone both new clusters would take the first color.
    labels = np.array([[0, 0]] * 6 + [[0, 1]] * 5 + [[1, 1]] * 4)
    assert_array_equal(follow_clusters(labels)[:, 1], [0] * 6 + [1] * 9)


def test_a_number_that_shares_no_sample_is_not_given_on():
    labels = np.array([[0, 0], [0, 0], [1, -1], [-1, 1]])
    assert_array_equal(follow_clusters(labels), [[0, 0], [0, 0], [1, -1], [-1, 2]])


def test_renaming_the_clusters_changes_nothing_but_the_first_numbers():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 5, (80, 4))
    renamed = np.column_stack([rng.permutation(5)[column] for column in labels.T])
    assert_array_equal(follow_clusters(labels), follow_clusters(renamed))


def test_what_is_drawn_is_what_was_tracked():
    rng = np.random.default_rng(2)
    labels = np.column_stack([rng.integers(0, k, 30) for k in (2, 5, 9)])
    labels[3, 1] = -1
    display = TrackingDisplay(labels, [2, 5, 9]).plot()
    assert_array_equal(display.cells_, display.tracked_[display.order_].T)
    assert_array_equal(drawn_cells(display, 30), display.cells_)
    assert_array_equal(np.sort(display.order_), np.arange(30))


def test_clusters_in_clusters_are_one_block_each():
    fine = np.random.default_rng(0).integers(0, 8, 200)
    display = TrackingDisplay(np.column_stack([fine // 4, fine // 2, fine]), [2, 4, 8]).plot()
    for cells, k in zip(display.cells_, (2, 4, 8), strict=True):
        assert (np.diff(cells) != 0).sum() == k - 1


def test_rows_are_in_order_of_the_number_of_clusters():
    display = TrackingDisplay([[0, 0], [1, 0], [2, 1]], [3, 2]).plot()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["2", "3"]
    assert_array_equal(display.tracked_, [[0, 0], [0, 2], [1, 1]])


def test_a_hundred_thousand_samples_share_columns():
    n = 100_000
    fine = np.random.default_rng(0).integers(0, 6, n)
    display = TrackingDisplay(np.column_stack([fine // 3, fine]), [2, 6], max_columns=500).plot()
    assert display.cells_.shape == (2, 500)
    assert_array_equal(drawn_cells(display, 500), display.cells_)
    ends = np.linspace(0, n, 501).astype(int)
    ordered = display.tracked_[display.order_]
    for column in (0, 249, 250, 499):
        inside = ordered[ends[column] : ends[column + 1]]
        expected = [np.bincount(values).argmax() for values in inside.T]
        assert_array_equal(display.cells_[:, column], expected)


def test_a_selection_is_drawn_from_its_labels():
    labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
    found = select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
    display = TrackingDisplay.from_selection(found)
    chosen = found.scores["n_clusters"].tolist().index(found.n_clusters)
    assert_array_equal(display.tracked_, follow_clusters(found.labels, chosen))
    assert_array_equal(display.tracked_[:, chosen], found.labels[:, chosen])
    assert display.ax_.get_title() == "Clusters of 6 samples"


def test_a_tree_is_cut_into_each_number():
    result = eac(Ensemble.from_labels([[0, 0], [0, 0], [0, 1], [1, 2], [1, 2], [1, 3]]), 2)
    figure, (left, right) = plt.subplots(1, 2)
    display = TrackingDisplay.from_result(result, range(1, 5), ax=right)
    cuts = np.column_stack([result.cut(k) for k in range(1, 5)])
    assert_array_equal(display.tracked_, follow_clusters(cuts, 1))
    assert_array_equal(display.tracked_[:, 1], result.labels)
    assert display.figure_ is figure
    assert not left.collections


@pytest.mark.parametrize(("labels", "numbers"), [([[0], [0]], [1]), ([[0, 0], [0, 1]], [1, 2])])
def test_two_samples_are_enough(labels, numbers):
    TrackingDisplay(labels, numbers).plot().figure_.canvas.draw()


@pytest.mark.parametrize(
    ("labels", "numbers", "said"),
    [
        ([[0, 1]], [2], r"each of the 1 numbers of clusters\. Got shape \(1, 2\)"),
        ([0, 1], [2], "each of the 1 numbers"),
        ([["a"], ["b"]], [2], "whole numbers from 0"),
        ([[0], [-2]], [2], r"or -1 for a sample without a cluster\. Got dtype int64 and -2"),
    ],
)
def test_bad_input_is_refused(labels, numbers, said):
    with pytest.raises(InvalidInputError, match=said):
        TrackingDisplay(labels, numbers).plot()


def test_clusters_are_numbered_from_0_as_everywhere():
    display = TrackingDisplay([[0, 2], [0, 2], [1, 0], [1, 1]], [2, 3]).plot()
    assert {text.get_text() for text in display.ax_.texts} == {"0", "1", "2"}


def test_the_clusters_of_one_number_keep_the_numbers_of_the_result():
    labels = np.array([[0, 0, 0], [0, 1, 1], [0, 0, 2], [1, 2, 3]])
    display = TrackingDisplay(labels, [2, 3, 4], numbers_of=3).plot()
    assert_array_equal(display.tracked_, [[0, 0, 0], [0, 1, 1], [0, 0, 3], [2, 2, 2]])
    with pytest.raises(InvalidInputError, match=r"one of the numbers of clusters \[2, 3, 4\]"):
        TrackingDisplay(labels, [2, 3, 4], numbers_of=5).plot()
