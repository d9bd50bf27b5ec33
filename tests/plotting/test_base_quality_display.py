"""The picture of the quality of the base partitions."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from consensa import EAC
from consensa.exceptions import InvalidInputError
from consensa.plotting import BaseQualityDisplay


def test_points_are_the_agreement_of_each_partition_the_best_first():
    rng = np.random.default_rng(0)
    labels, clusters, truth = (
        rng.integers(0, 3, (40, 5)),
        rng.integers(0, 3, 40),
        rng.integers(0, 2, 40),
    )
    labels[:, 3] = clusters
    display = BaseQualityDisplay.from_ensemble(labels, clusters, truth)
    with_consensus = np.array([adjusted_rand_score(clusters, column) for column in labels.T])
    with_truth = np.array([adjusted_rand_score(truth, column) for column in labels.T])
    order = np.argsort(-with_consensus)
    assert order[0] == 3
    assert_array_equal(display.order_, order)
    assert_allclose(display.points_.get_xdata(), with_consensus[order])
    assert_allclose(display.truth_points_.get_xdata(), with_truth[order])
    assert_array_equal(display.points_.get_ydata(), range(5))
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == [f"{j} (k = 3)" for j in order]
    line = next(line for line in display.ax_.lines if "consensus with" in line.get_label())
    assert line.get_xdata()[0] == pytest.approx(adjusted_rand_score(truth, clusters))
    assert display.ax_.get_xlim()[0] < min(with_truth.min(), with_consensus.min())


def test_without_truth_there_is_one_row_of_points_and_no_legend():
    frame = pd.DataFrame({"one": [0, 0, 1, 2], "two": [0, 0, 1, 1]})
    model = EAC(2, generator="precomputed").fit(frame)
    display = BaseQualityDisplay.from_estimator(model)
    assert display.truth_points_ is None
    assert display.ax_.get_legend() is None
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert sorted(names) == ["one (k = 3)", "two (k = 2)"]


def test_many_partitions_are_points_without_names():
    display = BaseQualityDisplay(np.linspace(0, 1, 1000)).plot()
    assert len(display.points_.get_xdata()) == 1000
    assert display.ax_.get_ylabel() == "partitions, the most agreeing first"
    assert not display.ax_.collections
    assert display.ax_.get_title() == "Agreement of 1,000 base partitions"


def test_a_hundred_thousand_samples_are_drawn():
    labels = np.random.default_rng(0).integers(0, 4, (100_000, 3))
    display = BaseQualityDisplay.from_ensemble(labels, labels[:, 1])
    assert display.order_[0] == 1
    assert display.points_.get_xdata()[0] == 1


@pytest.mark.parametrize("labels", [[[0], [1]], [[0, 0], [0, 0]], [[0, None], [0, 1]]])
def test_one_partition_equal_ones_and_missing_labels_are_drawn(labels):
    display = BaseQualityDisplay.from_estimator(EAC(1, generator="precomputed").fit(labels))
    display.figure_.canvas.draw()
    assert len(display.points_.get_xdata()) == len(labels[0])


def test_it_draws_where_it_is_told_to():
    figure, (left, right) = plt.subplots(1, 2)
    display = BaseQualityDisplay([0.5, 0.2]).plot(right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.lines


def test_bad_input_is_refused():
    with pytest.raises(InvalidInputError, match=r"at least one partition\. Got shape \(0,\)"):
        BaseQualityDisplay([]).plot()
    with pytest.raises(InvalidInputError, match=r"the 2 partitions\. Got shape \(1,\)"):
        BaseQualityDisplay([0.5, 0.2], with_truth=[0.5]).plot()
    with pytest.raises(InvalidInputError, match="BaseQualityDisplay needs a fitted"):
        BaseQualityDisplay.from_estimator(EAC())
