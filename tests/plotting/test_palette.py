"""The colors that the displays share, as people with other eyes see them."""

from __future__ import annotations

import re
from itertools import combinations

import matplotlib.colors
import numpy as np
import pytest

import consensa as cs
from consensa.plotting import ConfidenceDisplay, SampleMapDisplay
from consensa.plotting._clusters import HATCHES, cluster_paint
from consensa.plotting.axes import COLORS
from consensa.report import write_report

# Linear maps of RGB light to what is seen without one kind of cone (Machado, Oliveira and
# Fernandes 2009, severity 1).
SEEN = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
LEAST = 15  # CIELAB; a difference of 2.3 is just seen side by side


def lab(color, cones):
    """CIELAB of a color seen with these cones."""
    rgb = np.array(matplotlib.colors.to_rgb(color))
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.array(SEEN[cones]) @ light, 0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("cones", SEEN)
def test_any_two_colors_are_told_apart(cones):
    seen = {color: lab(color, cones) for color in COLORS}
    for one, other in combinations(COLORS, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > LEAST, (one, other)


@pytest.mark.parametrize("cones", SEEN)
def test_the_measure_sees_a_red_and_a_green_as_the_green_blind_do(cones):
    confused = np.linalg.norm(lab("#c03a2b", cones) - lab("#5d6f1e", cones)) < LEAST
    assert confused == (cones == "deuteranopia")


def test_as_many_clusters_as_colors_times_hatches_are_painted_apart():
    most = len(COLORS) * len(HATCHES)
    paints = {(p["facecolor"], p["hatch"]) for p in map(cluster_paint, range(most))}
    assert len(paints) == most
    assert cluster_paint(most)["hatch"] == cluster_paint(0)["hatch"] == ""


def test_the_next_turn_begins_with_another_color():
    assert cluster_paint(len(COLORS))["facecolor"] != COLORS[0]


def test_the_first_clusters_have_a_plain_color_each():
    assert [cluster_paint(c)["facecolor"] for c in range(len(COLORS))] == list(COLORS)


def test_a_cluster_has_one_color_in_every_picture_and_on_the_page(tmp_path):
    labels = np.arange(60) % 20
    bands = ConfidenceDisplay(np.ones(60), labels).plot().bands_
    dots = SampleMapDisplay(np.zeros((60, 2)), labels).plot().dots_
    write_report(cs.combine(np.c_[labels, labels], 20), tmp_path / "page.html")
    on_page = re.findall(
        r'<span class="k(\d)" style="--v:3"', (tmp_path / "page.html").read_text()
    )
    assert len(on_page) == 20
    for number in range(20):
        wanted = matplotlib.colors.to_rgb(cluster_paint(number)["facecolor"])
        assert bands[number].get_facecolor()[:3] == wanted
        assert tuple(dots[number].get_facecolors()[0][:3]) == wanted
        assert matplotlib.colors.to_rgb(COLORS[int(on_page[number])]) == wanted
