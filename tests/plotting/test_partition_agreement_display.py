"""The picture of the agreement between partitions."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import EAC, Ensemble
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.metrics import partition_agreement, partition_similarity
from consensa.plotting import PartitionAgreementDisplay


def noisy(n, m, seed=0):
    """Partitions that agree less and less with the clusters, and not in their order."""
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 3, n)
    noise = rng.permutation(np.linspace(0.05, 0.8, m))
    return np.where(
        rng.random((n, m)) < noise, rng.integers(0, 3, (n, m)), clusters[:, None]
    ), clusters


def test_the_matrix_is_the_similarity_in_the_order_of_the_consensus():
    labels, clusters = noisy(50, 6)
    display = PartitionAgreementDisplay.from_ensemble(labels, clusters)
    with_consensus = partition_agreement(labels, clusters).agreement
    order = np.argsort(-with_consensus)
    assert_array_equal(display.order_, order)
    drawn = display.image_.get_array()
    assert_allclose(drawn[0], [1, *with_consensus[order]])
    assert_allclose(drawn[:, 0], drawn[0])
    assert_allclose(drawn[1:, 1:], partition_similarity(labels)[np.ix_(order, order)])
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == ["consensus", *map(str, order)]
    assert display.ax_.get_title() == "Agreement of 6 partitions and the consensus"


def test_numbers_stand_in_the_cells_of_a_small_matrix():
    display = PartitionAgreementDisplay([[1, 0.25], [0.25, 1]]).plot()
    assert [text.get_text() for text in display.ax_.texts] == ["1.00", "0.25", "0.25", "1.00"]
    assert not PartitionAgreementDisplay(np.eye(13)).plot().ax_.texts


def test_without_a_consensus_the_mean_agreement_orders():
    labels, _ = noisy(60, 5)
    display = PartitionAgreementDisplay.from_ensemble(labels, score="nmi")
    matrix = partition_similarity(labels, score="nmi")
    order = np.argsort(-(matrix.sum(axis=1) - 1))
    assert_allclose(display.image_.get_array(), matrix[np.ix_(order, order)])
    assert display.colorbar_.ax.get_ylabel() == "normalized mutual information"


def test_columns_of_a_frame_name_the_partitions_and_long_names_are_cut():
    frame = pd.DataFrame({"a": [0, 0, 1], "a very long name of a partition": [0, 1, 1]})
    display = PartitionAgreementDisplay.from_ensemble(frame)
    names = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert names == ["a", "a very long name of…"]


def test_of_many_partitions_some_are_drawn_from_the_best_to_the_worst():
    labels, clusters = noisy(40, 100)
    display = PartitionAgreementDisplay.from_ensemble(labels, clusters, max_partitions=10)
    agreement = np.sort(partition_agreement(labels, clusters).agreement)[::-1]
    assert_allclose(display.image_.get_array()[0, 1:], agreement[::11])
    assert display.ax_.get_title() == "Agreement of 10 of 100 partitions and the consensus"


def test_a_hundred_thousand_samples_are_drawn():
    labels, clusters = noisy(100_000, 5)
    display = PartitionAgreementDisplay.from_ensemble(labels, clusters)
    assert display.image_.get_array().shape == (6, 6)


def test_partitions_without_common_samples_are_left_blank():
    labels = [[0, None], [1, None], [None, 0], [None, 1]]
    display = PartitionAgreementDisplay.from_ensemble(labels, [0, 0, 1, 1])
    drawn = display.image_.get_array()
    assert_array_equal(np.ma.getmaskarray(drawn), [[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    display.figure_.canvas.draw()


@pytest.mark.parametrize("labels", [[[0], [1]], [[0, 0], [0, 0]]])
def test_one_partition_or_equal_ones_are_enough(labels):
    display = PartitionAgreementDisplay.from_estimator(EAC(1, generator="precomputed").fit(labels))
    assert display.image_.get_array().shape == (len(labels[0]) + 1,) * 2
    display.figure_.canvas.draw()


def test_it_draws_where_it_is_told_to():
    figure, (left, right) = plt.subplots(1, 2)
    display = PartitionAgreementDisplay(np.eye(2)).plot(right, cmap="cividis", colorbar=False)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert display.colorbar_ is None
    assert not left.images


@pytest.mark.parametrize(
    ("display", "said"),
    [
        (PartitionAgreementDisplay([[1, 0]]), r"square, m × m\. Got shape \(1, 2\)"),
        (
            PartitionAgreementDisplay(np.eye(2), [1]),
            r"each of the 2 partitions\. Got shape \(1,\)",
        ),
        (PartitionAgreementDisplay(np.eye(2), names=["a"]), r"name the 2 partitions\. Got 1"),
    ],
)
def test_bad_input_is_refused(display, said):
    with pytest.raises(InvalidInputError, match=said):
        display.plot()


def test_what_cannot_be_compared_is_refused():
    ensemble = Ensemble.from_labels([[0], [1]])
    with pytest.raises(InvalidParameterError, match="'ari' or 'nmi'"):
        PartitionAgreementDisplay.from_ensemble(ensemble, score="f1")
    with pytest.raises(InvalidInputError, match=r"2 samples of the ensemble\. Got 3"):
        PartitionAgreementDisplay.from_ensemble(ensemble, [0, 1, 2])
    with pytest.raises(InvalidInputError, match="PartitionAgreementDisplay needs a fitted"):
        PartitionAgreementDisplay.from_estimator(EAC())
