"""The pictures of the study: sweeps, base partitions, matrices, objective."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from consensa import SolverTrace
from consensa.exceptions import InvalidInputError
from consensa.plotting import (
    BaseComparisonDisplay,
    MatricesDisplay,
    ObjectiveDisplay,
    SweepDisplay,
)
from consensa.plotting._sweep import over_repetitions
from consensa.plotting.axes import new_figure, save_figure


def trace_of(objective):
    objective = np.asarray(objective, dtype=float)
    zeros = np.zeros(len(objective))
    return SolverTrace(zeros, np.zeros((len(objective), 3)), zeros, objective, zeros, True, 1e-8)


def test_means_and_deviations_leave_out_what_is_missing():
    scores = np.array([[1.0, 3.0, np.nan], [2.0, np.nan, np.nan], [np.nan] * 3])
    means, deviations = over_repetitions(scores)
    np.testing.assert_allclose(means, [2.0, 2.0, np.nan])
    np.testing.assert_allclose(deviations, [np.std([1, 3], ddof=1), np.nan, np.nan])


def test_a_sweep_draws_the_means_of_each_series():
    rng = np.random.default_rng(0)
    scores = {("A", "stored"): rng.random((3, 4)), ("A", "shuffled"): rng.random((3, 4))}
    display = SweepDisplay([1, 2, 3], scores, parameter="penalty", score="NMI").plot()
    for name, values in scores.items():
        np.testing.assert_allclose(display.lines_[name].get_ydata(), values.mean(axis=1))
    one, other = display.lines_.values()
    assert one.get_color() == other.get_color()
    assert one.get_linestyle() != other.get_linestyle()
    assert (np.abs(one.get_xdata() - [1, 2, 3]) < 0.05).all()
    assert (one.get_xdata() < other.get_xdata()).all()  # error bars beside each other
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["A, stored", "A, shuffled"]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("penalty", "NMI")


def test_series_of_two_names_have_two_colors():
    display = SweepDisplay([1], {"A": [[0.1]], "B": [[0.2]]}).plot(log=True, legend=False)
    one, other = display.lines_.values()
    assert one.get_color() != other.get_color()
    assert one.get_marker() != other.get_marker()
    assert display.ax_.get_legend() is None
    assert display.ax_.get_xscale() == "log"


def test_a_sweep_of_another_length_is_refused():
    with pytest.raises(InvalidInputError, match=r"row for each of the 2 values.*\(3, 1\)"):
        SweepDisplay([1, 2], {"A": [[1], [2], [3]]}).plot()


def test_boxes_are_of_the_base_and_points_of_the_consensus():
    base = {"iris": [0.1, 0.2, 0.6], "wine": [0.4, 0.4]}
    consensus = {"EAC": {"iris": [0.6, 0.8]}, "LTA": {"iris": [0.5], "wine": [0.9, 0.7]}}
    display = BaseComparisonDisplay(base, consensus, score="NMI").plot()
    assert len(display.boxes_["boxes"]) == 2
    assert display.boxes_["medians"][0].get_ydata()[0] == 0.2
    np.testing.assert_allclose(display.points_["EAC"].get_ydata(), [0.7])
    np.testing.assert_allclose(display.points_["LTA"].get_ydata(), [0.5, 0.8])
    x = display.points_["LTA"].get_xdata()
    assert 0.13 < x[0] < 1 < x[1]  # each to the right of its box
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["iris", "wine"]


def test_one_method_in_two_settings_has_one_color():
    scores = {"iris": [0.5]}
    consensus = {("A", "stored"): scores, ("A", "shuffled"): scores, ("B", "stored"): scores}
    one, other, third = BaseComparisonDisplay(scores, consensus).plot().points_.values()
    assert one.get_color() == other.get_color() != third.get_color()
    assert one.get_markerfacecolor() != other.get_markerfacecolor()


def test_a_set_without_base_partitions_is_refused():
    for base in ({}, {"iris": []}):
        with pytest.raises(InvalidInputError, match="at least one partition"):
            BaseComparisonDisplay(base, {}).plot()


def test_matrices_share_one_color_bar():
    rng = np.random.default_rng(0)
    matrices = {f"m{i}": rng.random((6, 6)) * (i + 1) / 5 for i in range(5)}
    figure = Figure()
    display = MatricesDisplay(matrices).plot(figure, columns=3)
    assert display.figure_ is figure
    assert {image.get_clim() for image in display.images_} == {(0, 1)}
    for image, matrix in zip(display.images_, matrices.values(), strict=True):
        np.testing.assert_allclose(image.get_array(), matrix)
    bars = [ax for ax in figure.axes if ax.get_label() == "<colorbar>"]
    assert len(bars) == 1
    assert len(figure.axes) == 6 + 1
    assert [ax.get_title() for ax in display.axes_] == list(matrices)


def test_large_matrices_are_drawn_as_means_of_blocks():
    matrix = np.kron(np.eye(3), np.ones((4, 4)))
    display = MatricesDisplay({"m": matrix}, max_cells=3).plot()
    np.testing.assert_allclose(display.images_[0].get_array(), np.eye(3))


@pytest.mark.parametrize("matrices", [{}, {"m": np.zeros((2, 3))}])
def test_what_is_no_affinity_is_refused(matrices):
    with pytest.raises(InvalidInputError, match="matrices must"):
        MatricesDisplay(matrices).plot()


def test_the_objective_of_each_run_is_a_line():
    display = ObjectiveDisplay({"stored": trace_of([3, 2]), "shuffled": trace_of([5])}).plot()
    for line, values in zip(display.lines_, ([3, 2], [5]), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), values)
        np.testing.assert_array_equal(line.get_xdata(), np.arange(len(values)) + 1)
    assert ObjectiveDisplay(trace_of([1])).plot().ax_.get_legend() is None
    with pytest.raises(InvalidInputError, match="at least one run"):
        ObjectiveDisplay({}).plot()


def test_the_same_figure_gives_the_same_files(tmp_path):
    def save(stem):
        figure = new_figure((3, 2))
        SweepDisplay([1, 2], {"A": [[1, 2], [3, 4]]}).plot(figure.subplots())
        paths = save_figure(figure, tmp_path / stem)
        assert [path.name for path in paths] == [f"{stem}.png", f"{stem}.svg"]
        return [path.read_bytes() for path in paths]

    assert save("one.v1") == save("two.v1")
    assert not list(tmp_path.glob(".*"))
