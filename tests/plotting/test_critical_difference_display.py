"""The picture of the mean ranks."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import pytest

from consensa.exceptions import InvalidInputError, MissingExtraError
from consensa.plotting import CriticalDifferenceDisplay

RANKS = {"d": 4.0, "a": 1.0, "c": 2.5, "b": 1.5}


@pytest.mark.parametrize(
    ("width", "groups"),
    [
        (0.4, []),
        (0.5, [("a", "b")]),
        (1.0, [("a", "b"), ("b", "c")]),
        (1.5, [("a", "b", "c"), ("c", "d")]),  # b to d is 2.5 apart, and b to c is in the first
        (3.0, [("a", "b", "c", "d")]),
    ],
)
def test_methods_within_the_critical_difference_are_joined(width, groups):
    assert CriticalDifferenceDisplay(RANKS, width).plot().groups_ == groups


def test_every_method_hangs_at_its_rank_and_the_best_is_on_the_left():
    display = CriticalDifferenceDisplay(RANKS, 0.5, title="Ranks").plot()
    hung = {line.get_xdata()[0] for line in display.ax_.lines if len(line.get_xdata()) == 3}
    assert hung == set(RANKS.values())
    said = {text.get_text(): text for text in display.ax_.texts}
    assert said["a  1.00"].get_position()[0] < said["4.00  d"].get_position()[0]
    assert "critical difference 0.50" in said
    assert display.ax_.get_title() == "Ranks"


def test_it_draws_where_it_is_told_to():
    figure, ax = plt.subplots()
    display = CriticalDifferenceDisplay(RANKS, 1.0).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is figure


def test_one_method_alone_is_refused():
    with pytest.raises(InvalidInputError, match=r"at least 2 methods\. Got 1"):
        CriticalDifferenceDisplay({"a": 1.0}, 1.0).plot()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'consensa\[plot\]'"):
        CriticalDifferenceDisplay(RANKS, 1.0).plot()
