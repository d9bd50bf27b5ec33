"""The picture of the consensus tree."""

from __future__ import annotations

import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import dendrogram, linkage

from consensa import EAC, LWGP, PTA, TEA, ConsensusResult, Ensemble, eac, tea
from consensa.exceptions import InvalidInputError
from consensa.metrics import cluster_stability
from consensa.plotting import DendrogramDisplay
from consensa.plotting.axes import COLORS


def random_tree(n, seed=0):
    return linkage(np.random.default_rng(seed).normal(size=(n, 2)), "average")


def noisy(n, k=4, m=6, seed=0):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, k, n)
    return np.where(rng.random((n, m)) < 0.15, rng.integers(0, k, (n, m)), clusters[:, None])


def samples_below(display):
    """Number of samples below each bracket, counted from what is drawn."""
    place = {(float(x), 0.0): size for x, size in enumerate(display.leaf_sizes_)}
    counts, at = [], {}
    for path in display.links_.get_paths():
        total = 0
        for x, y in (path.vertices[0], path.vertices[-1]):
            total += at.get((x, y), place.get((x, 0.0)))
        (left, height), (right, _) = path.vertices[1], path.vertices[2]
        at[(left + right) / 2, height] = total
        counts.append(total)
    return counts


@pytest.mark.parametrize(("n", "shown"), [(2, 2), (10, 40), (10, 4), (300, 40), (50, 2)])
def test_the_brackets_are_the_highest_merges(n, shown):
    merges = random_tree(n)
    display = DendrogramDisplay(merges, max_leaves=shown).plot()
    drawn = merges[-(min(n, shown) - 1) :]
    tops = [path.vertices[1:3, 1] for path in display.links_.get_paths()]
    assert_allclose(tops, np.column_stack([drawn[:, 2], drawn[:, 2]]))
    assert samples_below(display) == drawn[:, 3].tolist()
    assert display.leaf_sizes_.sum() == n


@pytest.mark.parametrize("shown", [5, 12, 30])
def test_leaves_gather_what_scipy_gathers(shown):
    merges = random_tree(60)
    theirs = dendrogram(merges, truncate_mode="lastp", p=shown, no_plot=True)["ivl"]
    sizes = sorted(int(name.strip("()")) if "(" in name else 1 for name in theirs)
    display = DendrogramDisplay(merges, max_leaves=shown).plot()
    assert sorted(display.leaf_sizes_) == sizes
    written = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert sorted(name for name in written if "(" not in name) == sorted(
        name for name in theirs if "(" not in name
    )
    for name, size in zip(written, display.leaf_sizes_, strict=True):
        assert ("(" in name) == (size > 1)


def test_a_branch_of_one_cluster_has_its_color():
    merges = [[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.9, 4]]
    display = DendrogramDisplay(merges, ["x", "x", "y", "y"]).plot()
    colors = [matplotlib.colors.to_hex(color).upper() for color in display.links_.get_colors()]
    assert colors[:2] == list(COLORS[:2])
    assert colors[2] not in COLORS
    assert_array_equal(display.leaf_clusters_, [0, 0, 1, 1])
    assert [text.get_text() for text in display.ax_.texts] == ["x", "y"]


def test_labels_that_the_tree_does_not_follow_are_mixed():
    merges = [[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.9, 4]]
    display = DendrogramDisplay(merges, ["x", "y", "y", "y"], max_leaves=2).plot()
    assert_array_equal(display.leaf_clusters_, [-1, 1])
    assert [text.get_text() for text in display.ax_.texts] == ["several", "y"]


def test_the_drawn_clusters_are_those_of_the_cut():
    result = eac(Ensemble.from_labels(noisy(80)), 4)
    display = DendrogramDisplay.from_result(result, max_leaves=80)
    names = [int(text.get_text()) for text in display.ax_.get_xticklabels()]
    assert_array_equal(result.labels[names], display.leaf_clusters_)
    assert sorted(names) == list(range(80))
    # A cluster of the tree's own cut is one run of leaves.
    assert (np.diff(display.leaf_clusters_) != 0).sum() == 3


@pytest.mark.parametrize("estimator", [EAC, TEA, PTA])
def test_estimators_and_results_are_drawn_alike(estimator):
    labels = noisy(30)
    model = estimator(3, generator="precomputed").fit(labels)
    result = estimator._function(Ensemble.from_labels(labels), 3)
    one, other = DendrogramDisplay.from_estimator(model), DendrogramDisplay.from_result(result)
    assert_array_equal(one.leaf_sizes_, other.leaf_sizes_)
    assert_array_equal(one.leaf_clusters_, other.leaf_clusters_)
    assert one.leaf_sizes_.sum() == 30
    counts = [one.leaf_sizes_[one.leaf_clusters_ == c].sum() for c in range(3)]
    assert_array_equal(counts, np.bincount(model.labels_))


def test_without_a_tree_the_clusters_are_joined_by_their_mean_coassociation():
    labels = noisy(60, k=3)
    model = LWGP(3, generator="precomputed", random_state=0).fit(labels)
    display = DendrogramDisplay.from_estimator(model)
    found = cluster_stability(labels, model.labels_)
    affinity, sizes = found.affinity, found.sizes
    a, b = max(((0, 1), (0, 2), (1, 2)), key=lambda pair: affinity[pair])
    c = 3 - a - b
    rest = (sizes[a] * affinity[a, c] + sizes[b] * affinity[b, c]) / (sizes[a] + sizes[b])
    tops = [path.vertices[1, 1] for path in display.links_.get_paths()]
    assert_allclose(tops, [1 - affinity[a, b], 1 - rest])
    assert_array_equal(display.leaf_sizes_, sizes[display.leaf_clusters_])
    triangles = [patch.get_xy()[:, 1].max() for patch in display.ax_.patches]
    assert_allclose(sorted(triangles), np.sort(1 - found.cohesion))
    result = ConsensusResult(model.labels_, model.ensemble_)
    assert_array_equal(DendrogramDisplay.from_result(result).leaf_sizes_, display.leaf_sizes_)


def test_a_loose_leaf_does_not_end_above_its_branch():
    display = DendrogramDisplay([[0, 1, 0.3, 2]], leaf_heights=[0.9, 0.1]).plot()
    tips = [patch.get_xy()[:, 1].max() for patch in display.ax_.patches]
    assert_allclose(tips, [0.3, 0.1])


def test_a_hundred_thousand_samples_are_gathered():
    labels = noisy(100_000, m=4)
    result = tea(Ensemble.from_labels(labels), 4)
    display = DendrogramDisplay.from_result(result, max_leaves=30)
    assert len(display.leaf_sizes_) == 30
    assert display.leaf_sizes_.sum() == 100_000
    assert display.ax_.get_title() == "Consensus tree of 100,000 samples, the top 30 branches"
    clusters = DendrogramDisplay.from_ensemble(labels, result.labels)
    assert_array_equal(clusters.leaf_sizes_, np.bincount(result.labels)[clusters.leaf_clusters_])


def test_a_chain_as_long_as_the_samples_is_drawn():
    n = 5000
    merges = [
        [0 if step == 0 else n + step - 1, step + 1, step / n, step + 2] for step in range(n - 1)
    ]
    display = DendrogramDisplay(merges).plot()
    assert sorted(display.leaf_sizes_) == [1] * 39 + [n - 39]


def test_samples_carry_their_names():
    frame = pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 2]}, index=["ann", "bob", "cy"])
    display = DendrogramDisplay.from_estimator(EAC(2, generator="precomputed").fit(frame))
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["ann", "bob", "cy"]


@pytest.mark.parametrize("method", [EAC, TEA])
@pytest.mark.parametrize(
    "labels", [[[0], [1]], [[0], [0]], [[0, None], [0, 1]], [[0, 0]] * 5, [[i] for i in range(50)]]
)
def test_degenerate_trees_are_drawn(method, labels):
    model = method(1, generator="precomputed").fit(labels)
    display = DendrogramDisplay.from_estimator(model)
    display.figure_.canvas.draw()
    assert display.leaf_sizes_.sum() == len(labels)
    assert set(display.leaf_clusters_) == {0}
    DendrogramDisplay.from_ensemble(labels, [0] * len(labels)).figure_.canvas.draw()


def test_it_draws_where_it_is_told_to():
    figure, (left, right) = plt.subplots(1, 2)
    display = DendrogramDisplay([[0, 1, 0.5, 2]]).plot(right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.collections


@pytest.mark.parametrize(
    ("display", "said"),
    [
        (DendrogramDisplay([[0, 1, 0.5]]), r"four columns.*Got shape \(1, 3\)"),
        (DendrogramDisplay([[0, 1, 0.5, 2]], leaf_of_sample=[0, 0]), r"the 2 leaves.*Got 1"),
        (DendrogramDisplay([[0, 1, 0.5, 2]], [0]), r"each of the 2 samples of the tree\. Got 1"),
        (DendrogramDisplay([[0, 1, 0.5, 2]], max_leaves=1), r"at least 2\. Got 1"),
    ],
)
def test_bad_input_is_refused(display, said):
    with pytest.raises(InvalidInputError, match=said):
        display.plot()


def test_what_is_not_fitted_is_refused():
    with pytest.raises(InvalidInputError, match="DendrogramDisplay needs a fitted"):
        DendrogramDisplay.from_estimator(EAC())
