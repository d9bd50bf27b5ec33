"""The four pictures of a selection: criteria, references, distributions, growth of the area."""

from __future__ import annotations

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consensa import select_n_clusters
from consensa.exceptions import InvalidInputError
from consensa.plotting import (
    ConsensusCDFDisplay,
    DeltaAreaDisplay,
    NullReferenceDisplay,
    SelectionDisplay,
)

DISPLAYS = [ConsensusCDFDisplay, DeltaAreaDisplay, NullReferenceDisplay, SelectionDisplay]


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(3), 10)[:, None] + 3 * (rng.random((30, 6)) < 0.2)
    return select_n_clusters(labels, [2, 3, 4], generator="precomputed", random_state=0)


def test_the_lines_are_the_scores(found):
    display = SelectionDisplay.from_selection(found)
    for name, line in display.lines_.items():
        expected = 1 - found.scores["pac"] if name == "pac" else found.scores[name]
        assert_array_equal(line.get_ydata(), expected)
        assert_array_equal(line.get_xdata(), [2, 3, 4])
    mean = np.mean([display.lines_[n].get_ydata() for n in list(display.lines_)[1:]], axis=0)
    assert_allclose(display.lines_["evidence"].get_ydata(), mean)
    assert display.ax_.get_title().endswith(f": {found.n_clusters} recommended")
    assert len({line.get_color() for line in display.lines_.values()}) == 5
    assert display.ax_.get_ylim()[0] <= min(found.scores["agreement"].min(), 0)


def test_the_references_are_a_band_with_their_median(found):
    display = NullReferenceDisplay.from_selection(found)
    assert_array_equal(display.line_.get_ydata(), found.observed)
    assert_allclose(display.reference_line_.get_ydata(), np.median(found.references, axis=0))
    corners = display.band_.get_paths()[0].vertices
    for place, k in enumerate([2, 3, 4]):
        heights = corners[corners[:, 0] == k, 1]
        assert heights.min() == found.references[:, place].min()
        assert heights.max() == found.references[:, place].max()
    assert f"p = {found.p_value:.2f}" in display.ax_.get_title()


def test_the_distributions_are_steps_and_the_chosen_one_is_bold(found):
    display = ConsensusCDFDisplay.from_selection(found)
    for line, k, values in zip(display.lines_, [2, 3, 4], found.cdf, strict=True):
        assert_array_equal(line.get_xdata(), found.grid)
        assert_array_equal(line.get_ydata(), values)
        assert line.get_drawstyle() == "steps-post"
        assert (line.get_linewidth() == 3) == (k == found.n_clusters)
    styles = {(line.get_linestyle(), line.get_linewidth()) for line in display.lines_}
    assert len(styles) == 3
    chosen = ConsensusCDFDisplay(found.grid, found.cdf, [2, 3, 4], chosen=1).plot()
    assert {line.get_linewidth() for line in chosen.lines_} == {1.4}


def test_the_growth_is_a_line_with_a_hollow_beginning(found):
    display = DeltaAreaDisplay.from_selection(found)
    assert_array_equal(display.line_.get_ydata(), found.scores["delta_area"])
    hollow = display.ax_.lines[-2]
    assert hollow.get_markerfacecolor() == "white"
    assert_array_equal(hollow.get_xdata(), [2])
    assert_array_equal(display.ax_.lines[-1].get_xdata(), [found.n_clusters] * 2)


@pytest.mark.parametrize("display", DISPLAYS)
def test_one_candidate_is_enough(display, found):
    one = replace(
        found,
        scores=found.scores[:1],
        cdf=found.cdf[:1],
        tested=found.tested[:1],
        observed=found.observed[:1],
        references=found.references[:, :1],
        n_clusters=1,  # noise: the recommended number is no candidate
    )
    drawn = display.from_selection(one)
    drawn.figure_.canvas.draw()


@pytest.mark.parametrize("display", DISPLAYS)
def test_it_draws_where_it_is_told_to(display, found):
    figure, (left, right) = plt.subplots(1, 2)
    drawn = display.from_selection(found, ax=right)
    assert drawn.ax_ is right
    assert drawn.figure_ is figure
    assert not left.lines
    assert right.get_title()
    assert right.get_xlabel()
    assert right.get_ylabel()


def test_only_whole_numbers_of_clusters_have_a_tick():
    growth = np.linspace(0.5, 0, 30)
    display = DeltaAreaDisplay(np.arange(2, 32), growth).plot()
    ticks = display.ax_.get_xticks()
    assert set(ticks) <= set(range(2, 32))
    assert 5 <= len(ticks) <= 12


def test_a_selection_without_references_is_refused(found):
    without = replace(found, observed=None, references=np.empty((0, 3)))
    with pytest.raises(InvalidInputError, match="n_references=0"):
        NullReferenceDisplay.from_selection(without)


@pytest.mark.parametrize(
    ("display", "said"),
    [
        (SelectionDisplay([1, 2]), "those of a SelectionResult"),
        (DeltaAreaDisplay([2, 3], [0.1]), r"each of the 2 numbers of clusters\. Got shape \(1,\)"),
        (ConsensusCDFDisplay([0, 1], [[0, 1, 1]], [2]), r"2 values of grid\. Got shape \(1, 3\)"),
        (NullReferenceDisplay([2], [1.0], [[1.0, 2.0]]), r"Got shapes \(1,\) and \(1, 2\)"),
    ],
)
def test_bad_input_is_refused(display, said):
    with pytest.raises(InvalidInputError, match=said):
        display.plot()
