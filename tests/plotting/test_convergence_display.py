"""The picture of what the solver did."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import EAC, ConsensusResult, Ensemble, SolverTrace, coassociation, coherent_links
from consensa.exceptions import InvalidInputError, MissingExtraError
from consensa.plotting import ConvergenceDisplay
from consensa.tensor import refine


def trace_of(gaps, *, converged=True, tol=1e-3):
    gaps = np.asarray(gaps, dtype=float)
    zeros = np.zeros(len(gaps))
    return SolverTrace(gaps.max(axis=1), gaps, zeros, zeros, zeros, converged, tol)


def test_each_gap_is_a_line_over_the_iterations():
    gaps = [[1.0, 0.5, 0.2], [0.1, 0.05, 0.02]]
    display = ConvergenceDisplay(trace_of(gaps)).plot()
    for line, gap in zip(display.lines_, np.transpose(gaps), strict=True):
        assert_array_equal(line.get_xdata(), [1, 2])
        assert_array_equal(line.get_ydata(), gap)
    assert display.ax_.get_yscale() == "log"
    assert display.ax_.get_title() == "Converged after 2 iterations"


def test_the_tolerance_of_the_trace_is_drawn_unless_another_is_given():
    for display, expected in (
        (ConvergenceDisplay(trace_of([[1, 1]], tol=0.25)), "tolerance 0.25"),
        (ConvergenceDisplay(trace_of([[1, 1]], tol=0.25), tol=0.5), "tolerance 0.5"),
    ):
        assert [text.get_text() for text in display.plot().ax_.texts] == [expected]
    assert not ConvergenceDisplay(trace_of([[1, 1]], tol=None)).plot().ax_.texts


def test_a_solver_that_ran_out_is_said_to_have():
    display = ConvergenceDisplay(trace_of([[1, 1]], converged=False)).plot()
    assert display.ax_.get_title() == "Not converged after 1 iterations"


def test_a_gap_of_zero_is_left_out():
    display = ConvergenceDisplay(trace_of([[1.0], [0.0]])).plot()
    assert_array_equal(display.lines_[0].get_ydata(), [1.0, np.nan])
    display.figure_.canvas.draw()


def test_names_are_those_of_the_refinement_or_given():
    def names(display):
        return [text.get_text() for text in display.plot().ax_.get_legend().get_texts()]

    assert names(ConvergenceDisplay(trace_of([[1, 1, 1]])))[0] == "links and their copy"
    assert names(ConvergenceDisplay(trace_of([[1, 1]]))) == ["gap 1", "gap 2"]
    assert names(ConvergenceDisplay(trace_of([[1, 1]]), names=["u", "v"])) == ["u", "v"]
    with pytest.raises(InvalidInputError, match=r"names must name the 2 gaps\. Got 1"):
        ConvergenceDisplay(trace_of([[1, 1]]), names=["u"]).plot()


def test_the_trace_of_the_solver_holds_the_tolerance_it_met(planted):
    ensemble = Ensemble.from_labels(planted[0])
    trace = refine(coassociation(ensemble), coherent_links(ensemble), penalty=2.0).trace
    assert trace.tol == 1e-8
    assert trace.residual[-1] < trace.tol


def test_it_draws_where_it_is_told_to():
    figure, (left, right) = plt.subplots(1, 2)
    display = ConvergenceDisplay(trace_of([[1, 1, 1]])).plot(left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert not right.lines


def test_what_does_not_iterate_is_refused():
    ensemble = Ensemble.from_labels([[0], [1]])
    with pytest.raises(InvalidInputError, match="EAC has no trace_"):
        ConvergenceDisplay.from_estimator(EAC(2, generator="precomputed").fit(ensemble))
    with pytest.raises(InvalidInputError, match="no trace"):
        ConvergenceDisplay.from_result(ConsensusResult(np.array([0, 1]), ensemble))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'consensa\[plot\]'"):
        ConvergenceDisplay(trace_of([[1, 1]])).plot()
