"""Annotation tracks above the consensus matrix."""

from __future__ import annotations

import matplotlib.colors
import numpy as np
import pytest

import consensa as cs
from consensa.exceptions import InvalidInputError
from consensa.plotting import AffinityDisplay
from consensa.plotting._clusters import cluster_color

LABELS = np.array([1, 0, 1, 0, 0, 1])


def test_a_track_shows_the_values_in_the_order_of_the_matrix():
    ensemble = cs.Ensemble.from_labels(np.c_[LABELS, LABELS])
    batch = np.array(["x", "y", "x", "z", "y", "x"])
    tracks = {"batch": batch, "age": np.arange(6.0)}
    display = AffinityDisplay.from_ensemble(ensemble, LABELS, tracks=tracks)
    colors = display.tracks_[0].images[0].get_array()[0]
    wanted = {name: matplotlib.colors.to_rgb(cluster_color(i)) for i, name in enumerate("xyz")}
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
