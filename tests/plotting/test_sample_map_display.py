"""The display of the map: colors are clusters, opacity is confidence."""

from __future__ import annotations

import matplotlib.colors
import numpy as np
import pytest

import consensa as cs
from consensa.exceptions import InvalidInputError
from consensa.plotting import SampleMapDisplay
from consensa.plotting._clusters import cluster_paint

POINTS = np.random.RandomState(0).normal(size=(60, 2))


def test_each_cluster_has_its_color_and_each_sample_its_opacity():
    labels = np.arange(60) % 9
    confidence = np.linspace(0, 1, 60)
    display = SampleMapDisplay(POINTS, labels, confidence).plot()
    for number, dots in enumerate(display.dots_):
        np.testing.assert_array_equal(dots.get_offsets(), POINTS[labels == number])
        colors = dots.get_facecolors()
        wanted = matplotlib.colors.to_rgb(cluster_paint(number)["facecolor"])
        np.testing.assert_allclose(colors[:, :3], [wanted] * len(colors))
        np.testing.assert_allclose(colors[:, 3], 0.15 + 0.85 * confidence[labels == number])
    first, eighth = (display.dots_[k].get_paths()[0].vertices for k in (0, 8))
    assert first.shape != eighth.shape or not np.allclose(first, eighth)  # another marker


def test_the_legend_names_clusters_and_their_sizes():
    display = SampleMapDisplay(POINTS, ["b"] * 20 + ["a"] * 40).plot()
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["b (20)", "a (40)"]
    assert "faint" not in display.ax_.get_title()
    assert SampleMapDisplay(POINTS, range(60)).plot().ax_.get_legend() is None


def test_a_result_is_drawn_with_its_confidence_and_honest_axes():
    rng = np.random.RandomState(0)
    X = np.r_[rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 9]
    model = cs.EAC(2, generator=cs.RandomKMeans(5), random_state=0).fit(X)
    for given in (model, model.result_):
        display = SampleMapDisplay.from_result(X, given)
        assert display.ax_.get_xlabel().startswith("principal component 1")
        assert "faint" in display.ax_.get_title()
        assert "variance" in display.note_
        display.figure_.canvas.draw()
    embedded = SampleMapDisplay.from_result(X, model, kind="embedding")
    assert list(embedded.ax_.get_xticks()) == []  # its coordinates have no unit


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[1, 2, 3]], [0]), "shape \\(n_samples, 2\\)"),
        (([[1, 2]], [0, 1]), "one label for each of the 1 points"),
        (([[1, 2]], [0], [1.5]), "in \\[0, 1\\]"),
    ],
)
def test_what_cannot_be_drawn_is_named(arguments, said):
    with pytest.raises(InvalidInputError, match=said):
        SampleMapDisplay(*arguments).plot()
