"""The display of profiles: what each of its three pictures shows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import consensa as cs
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.plotting import ClusterProfileDisplay
from consensa.plotting._clusters import cluster_paint


@pytest.fixture
def profiles():
    rng = np.random.RandomState(0)
    labels = np.repeat([0, 1, 2], 10)
    X = pd.DataFrame(rng.normal(size=(30, 4)), columns=["a", "b", "c$x$", "d"])
    X["a"] += 5 * (labels == 0)
    X["c$x$"] -= 3 * (labels == 2)
    X["color"] = np.where(labels == 1, "red", "blue")
    return cs.cluster_profiles(X, labels)


@pytest.mark.parametrize("kind", ["heatmap", "dots"])
def test_a_grid_has_the_effects_of_the_table(profiles, kind):
    display = ClusterProfileDisplay(profiles, n_top=2).plot(kind=kind)
    effects = profiles.set_index(["feature", "cluster"]).effect
    place = display.features_.index("a")
    np.testing.assert_allclose(display.effects_[place], effects["a"].loc[[0, 1, 2]])
    assert "color = red" in display.features_
    assert len(display.features_) <= 6
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["0", "1", "2"]


def test_numbers_are_written_into_a_heat_map(profiles):
    display = ClusterProfileDisplay(profiles).plot()
    written = {text.get_text() for text in display.ax_.texts}
    assert f"{display.effects_.max():+.1f}" in written


def test_the_area_of_a_dot_is_the_size_of_its_effect(profiles):
    display = ClusterProfileDisplay(profiles).plot(kind="dots")
    (dots,) = display.ax_.collections
    clipped = np.minimum(np.abs(display.effects_.ravel()), 2)
    np.testing.assert_allclose(dots.get_sizes(), clipped * dots.get_sizes().max() / clipped.max())


def test_small_multiples_have_a_panel_a_cluster_in_the_color_of_the_cluster(profiles):
    display = ClusterProfileDisplay(profiles, n_top=3).plot(kind="panels")
    assert [panel.get_title() for panel in display.panels_] == [
        "cluster 0", "cluster 1", "cluster 2",
    ]  # fmt: skip
    own = profiles[profiles.cluster == 2].head(3)
    bars = display.panels_[2].patches
    np.testing.assert_allclose([bar.get_width() for bar in bars], own.effect)
    lines = [line.get_xdata() for line in display.panels_[2].lines[:3]]
    np.testing.assert_allclose(lines, own[["low", "high"]])
    for number, panel in enumerate(display.panels_):
        import matplotlib.colors

        wanted = matplotlib.colors.to_rgba(cluster_paint(number)["facecolor"])
        assert panel.patches[0].get_facecolor() == wanted


@pytest.mark.parametrize("kind", ["heatmap", "dots", "panels"])
def test_infinite_effects_and_one_cluster_can_be_drawn(kind):
    perfect = [[1.0], [1.0], [2.0], [2.0]]
    for labels in ([0, 0, 1, 1], [0, 0, 0, 0]):
        display = ClusterProfileDisplay.from_result(perfect, labels, kind=kind)
        display.figure_.canvas.draw()
        assert display.features_ == ["0"]


def test_other_tables_and_pictures_are_refused_in_words(profiles):
    with pytest.raises(InvalidInputError, match="Missing columns: low"):
        ClusterProfileDisplay(profiles.drop(columns="low")).plot()
    with pytest.raises(InvalidParameterError, match="'heatmap', 'dots', 'panels'"):
        ClusterProfileDisplay(profiles).plot(kind="pie")
