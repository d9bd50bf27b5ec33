"""Annotation tracks above the consensus matrix and the tree."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose

import consensa as cs
from consensa.exceptions import InvalidInputError
from consensa.plotting import AffinityDisplay, DendrogramDisplay
from consensa.plotting._clusters import cluster_color

LABELS = np.array([1, 0, 1, 0, 0, 1])


def test_a_track_shows_the_values_in_the_order_of_the_matrix():
    ensemble = cs.Ensemble.from_labels(np.c_[LABELS, LABELS])
    batch = np.array(["x", "y", "x", "z", "y", "x"])
    tracks = {"batch": batch, "age": np.arange(6.0)}
    display = AffinityDisplay.from_ensemble(ensemble, LABELS, tracks=tracks)
    colors = display.tracks_[0].images[0].get_array()[0]
    wanted = {name: to_rgb(cluster_color(i)) for i, name in enumerate("xyz")}
    shown = [next(name for name, own in wanted.items() if np.allclose(own, c)) for c in colors]
    assert sorted(shown[:3]) == ["y", "y", "z"]  # the samples of cluster 0 come first
    assert shown[3:] == ["x", "x", "x"]
    assert [strip.texts[0].get_text() for strip in display.tracks_] == ["batch", "age"]
    display.figure_.canvas.draw()
    assert AffinityDisplay.from_ensemble(ensemble, LABELS).tracks_ == []


def test_numbers_with_many_values_have_a_scale_of_colors():
    labels = np.zeros(40, int)
    ages = np.linspace(20, 80, 40)
    display = AffinityDisplay(np.eye(40)).plot(tracks={"age": ages})
    colors = display.tracks_[0].images[0].get_array()[0]
    assert len(np.unique(colors, axis=0)) == 40
    assert len(labels) == len(colors)


def test_a_track_of_another_length_is_named():
    with pytest.raises(InvalidInputError, match="'batch' has shape"):
        AffinityDisplay(np.eye(4)).plot(tracks={"batch": ["a", "b"]})


def test_a_track_of_a_tree_shows_what_each_leaf_gathers():
    merges = [[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.9, 4]]
    leaf_of_sample = np.repeat([0, 1, 2, 3], [3, 2, 1, 2])
    labels = np.repeat(["p", "q"], [5, 3])
    batch = ["b", "a", "b", "b", "b", "a", "a", "a"]
    display = DendrogramDisplay(merges, labels, leaf_of_sample=leaf_of_sample, max_leaves=2)
    display.plot(tracks={"batch": batch, "age": np.arange(8.0)})
    assert [strip.texts[0].get_text() for strip in display.tracks_] == ["batch", "age"]
    strip = display.tracks_[0]
    assert strip.get_xlim() == display.ax_.get_xlim()  # each leaf below its part of the strip
    cells = strip.images[0].get_array()[0]
    left, right = np.split(cells, 2)
    b, a = (to_rgb(cluster_color(code)) for code in (0, 1))
    part = 4 * len(left) // 5  # four samples of five
    assert_allclose(left[:part], np.tile(b, (part, 1)))
    assert_allclose(left[part:], np.tile(a, (len(left) - part, 1)))
    assert_allclose(right, np.tile(a, (len(right), 1)))


@pytest.mark.parametrize("way", ["from_result", "from_estimator", "from_ensemble"])
def test_tracks_of_a_tree_in_one_call(way):
    model = cs.EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]])
    given = {
        "from_result": [model.result_],
        "from_estimator": [model],
        "from_ensemble": [model.ensemble_, model.labels_],
    }[way]
    display = getattr(DendrogramDisplay, way)(*given, tracks={"batch": ["a", "b", "a"]})
    assert len(display.tracks_) == 1
    assert getattr(DendrogramDisplay, way)(*given).tracks_ == []
    with pytest.raises(InvalidInputError, match="a value for each of the 3 samples"):
        getattr(DendrogramDisplay, way)(*given, tracks={"batch": ["a", "b"]})
