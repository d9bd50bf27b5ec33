"""The picture of the confidence."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import EAC, ConsensusResult, Ensemble, eac
from consensa.exceptions import InvalidInputError, MissingExtraError
from consensa.metrics import sample_confidence
from consensa.plotting import ConfidenceDisplay
from consensa.plotting.axes import COLORS


def widths(band):
    return band.get_data().values


def test_each_band_is_the_confidence_of_its_cluster_from_the_surest_down():
    rng = np.random.default_rng(0)
    confidence, labels = rng.random(40), np.array(list("bac"))[rng.integers(0, 3, 40)]
    display = ConfidenceDisplay(confidence, labels).plot()
    in_order = list(dict.fromkeys(labels))
    assert display.names_ == in_order
    for band, name, mean in zip(display.bands_, in_order, display.means_, strict=True):
        own = confidence[labels == name]
        assert_allclose(widths(band), np.sort(own)[::-1])
        assert mean == pytest.approx(own.mean())


def test_names_sizes_and_means_are_written_beside_the_bands():
    display = ConfidenceDisplay([1, 0.5, 0.25], ["x", "x", "y"]).plot()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["x (2)", "y (1)"]
    assert [text.get_text() for text in display.ax_.texts] == ["0.75", "0.25", "mean"]
    assert display.ax_.get_title() == "Confidence of 3 samples in 2 clusters: mean 0.58"
    (mean,) = display.ax_.lines
    assert_allclose(mean.get_xdata(), 1.75 / 3)


def test_bands_do_not_overlap_and_their_heights_are_the_sizes():
    display = ConfidenceDisplay(np.ones(10), np.repeat([0, 1], [7, 3])).plot()
    edges = [band.get_data().edges for band in display.bands_]
    assert edges[0][-1] < edges[1][0]
    assert_allclose([np.ptp(e) for e in edges], [0.7, 0.3])


@pytest.mark.parametrize("n", [1001, 100_000])
def test_a_large_cluster_is_drawn_as_the_means_of_runs(n):
    confidence = np.random.default_rng(0).random(n)
    display = ConfidenceDisplay(confidence, np.zeros(n, int), max_steps=100).plot()
    (band,) = display.bands_
    steps = widths(band)
    assert len(steps) == 100
    assert (np.diff(steps) < 0).all()
    runs = np.diff(band.get_data().edges * n)
    assert_allclose(runs, np.round(runs))
    assert steps @ runs == pytest.approx(confidence.sum())


def test_a_small_cluster_is_seen_beside_a_large_one():
    labels = np.repeat([0, 1], [99_995, 5])
    display = ConfidenceDisplay(np.ones(100_000), labels).plot()
    assert np.ptp(display.bands_[1].get_data().edges) == pytest.approx(0.03)
    assert len(widths(display.bands_[1])) == 5


def test_of_many_clusters_the_largest_are_drawn_and_the_others_together():
    sizes = np.arange(1, 51)
    labels = np.repeat(np.arange(50), sizes)
    confidence = np.linspace(0, 1, len(labels))
    display = ConfidenceDisplay(confidence, labels, max_clusters=10).plot()
    assert display.names_ == [str(c) for c in range(41, 50)] + ["41 others"]
    assert display.means_[-1] == pytest.approx(confidence[labels < 41].mean())
    assert_array_equal(
        display.bands_[0].get_facecolor()[:3], plt.matplotlib.colors.to_rgb(COLORS[0])
    )
    assert display.ax_.get_title().startswith("Confidence of 1,275 samples in 50 clusters")


def test_estimators_and_results_are_drawn_alike():
    labels = [[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]]
    model, result = (
        EAC(2, generator="precomputed").fit(labels),
        eac(Ensemble.from_labels(labels), 2),
    )
    one, other = ConfidenceDisplay.from_estimator(model), ConfidenceDisplay.from_result(result)
    expected = sample_confidence(labels, [0, 0, 1, 1])
    for display in (one, other):
        drawn = np.concatenate([widths(band) for band in display.bands_])
        assert_allclose(drawn, [*expected[:2], *np.sort(expected[2:])[::-1]])


@pytest.mark.parametrize("labels", [[[0], [1]], [[0], [0]], [[0, None], [0, 1]]])
def test_two_samples_are_enough(labels):
    display = ConfidenceDisplay.from_estimator(EAC(1, generator="precomputed").fit(labels))
    assert len(display.bands_) == 1
    assert "in 1 cluster:" in display.ax_.get_title()
    display.figure_.canvas.draw()


def test_it_draws_where_it_is_told_to():
    figure, (left, right) = plt.subplots(1, 2)
    display = ConfidenceDisplay([0.5], [0]).plot(right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.patches


def test_what_has_no_confidence_is_refused():
    with pytest.raises(InvalidInputError, match="EAC has no labels_ and ens"):
        ConfidenceDisplay.from_estimator(EAC())
    with pytest.raises(InvalidInputError, match="sample_confidence"):
        ConfidenceDisplay.from_result(
            ConsensusResult(np.array([0, 1]), Ensemble.from_labels([[0], [1]]))
        )


@pytest.mark.parametrize(
    ("confidence", "labels", "said"),
    [
        ([], [], r"at least one\. Got shape \(0,\)"),
        ([0.5, 1.5], [0, 0], r"in \[0, 1\]\. Sample 1 has 1\.5"),
        ([0.5, np.nan], [0, 0], r"Sample 1 has nan"),
        ([0.5, 0.5], [0], r"each of the 2 samples of confidence\. Got 1"),
    ],
)
def test_bad_input_is_refused(confidence, labels, said):
    with pytest.raises(InvalidInputError, match=said):
        ConfidenceDisplay(confidence, labels).plot()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'consensa\[plot\]'"):
        ConfidenceDisplay([1], [0]).plot()
