"""One cluster or more: what stands out from references, and what does not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons

from consensa.generation.landscape import Landscape
from consensa.selection import one_cluster_test
from consensa.selection._bottleneck import bottleneck
from consensa.selection._references import Copula, Ring, Shells, Tube
from consensa.selection._valley_depth import _depth, valley_depth


def ring(n, rng):
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(angle), np.sin(angle)] + rng.normal(scale=0.05, size=(n, 2)), angle


def test_clusters_in_many_dimensions_stand_out():
    # Distances are nearly equal there, and the density around points shows nothing.
    rng = np.random.RandomState(0)
    centers = 5 * np.eye(4, 40)
    X = centers[rng.randint(4, size=120)] + rng.normal(size=(120, 40))
    found = one_cluster_test(X, n_references=39, random_state=0)
    assert not found.is_one
    assert set(found.p_values) == {"copula", "axes"}


def test_a_ring_is_long_and_is_compared_with_a_ring():
    found = one_cluster_test(ring(150, np.random.RandomState(0))[0], random_state=0)
    assert found.is_one
    assert found.p_values["ring"] > 0.05


def test_the_valley_between_two_blobs_cannot_be_avoided_and_a_ring_has_none():
    rng = np.random.RandomState(0)
    side = np.arange(200) % 2
    blobs = rng.normal(size=(200, 2)) + np.outer(side, [7, 0])
    quarters = 2 * side + (blobs[:, 1] > 0)
    assert valley_depth(blobs, quarters) > 1
    points, angle = ring(600, rng)
    assert valley_depth(points, (angle / (2 * np.pi) * 12).astype(int)) < 0.6


def stripes(n, rng):
    own = rng.randint(4, size=n)
    return np.c_[rng.uniform(0, 6, n), own + rng.normal(scale=0.12, size=n)], own


def depth_by_definition(first, second, n_bins=96, reach=3):
    places = np.concatenate([first, second])
    low, width = places.min(), np.ptp(places) / n_bins
    counts = np.histogram(places, n_bins)[0]
    spread = min(places.std(), np.subtract(*np.quantile(places, [0.75, 0.25])) / 1.34)
    bandwidth = max(0.9 * spread * len(places) ** -0.2, width / 2)
    ends = int(np.ceil(reach * bandwidth / width))
    kernel = np.exp(-0.5 * (np.arange(-ends, ends + 1) * width / bandwidth) ** 2)
    heights = np.convolve(counts, kernel / kernel.sum())[ends : ends + n_bins]
    density = heights + 0.5 / len(places)
    start, end = sorted(int((np.median(one) - low) / width) for one in (first, second))
    return max(
        np.log(min(density[: at + 1].max(), density[at:].max()) / density[at])
        for at in range(start, max(end, start + 1))
    )


@pytest.mark.parametrize("apart", [0, 1, 3, 9])
@pytest.mark.parametrize("size", [3, 40])
def test_the_depth_of_a_valley_is_that_of_its_definition(apart, size):
    rng = np.random.default_rng(size)
    first, second = rng.normal(size=size), rng.normal(apart, 2, size=size + 5)
    expected = depth_by_definition(first, second)
    np.testing.assert_allclose(_depth(first, second), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(_depth(second, first), expected, rtol=1e-10, atol=1e-12)
    assert _depth(np.ones(4), np.ones(3)) == 0


def test_the_valley_between_stripes_is_not_hidden_by_their_length():
    # The line between the centers of two pieces runs along the stripes, not across them.
    points, own = stripes(400, np.random.RandomState(0))
    halves = (points[:, 0] > np.where(own % 2, 2, 4)).astype(int)
    assert valley_depth(points, 2 * own + halves) > 2
    assert valley_depth(points, (points[:, 0] * 8 / 6).astype(int)) < 0.5


def test_few_samples_of_many_columns_have_no_valley_of_chance():
    rng = np.random.RandomState(0)
    noise = rng.normal(size=(60, 50))
    assert valley_depth(noise, np.arange(60) % 2) < 0.3


def test_clusters_that_overlap_stand_out():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(300, 2)) + np.outer(np.arange(300) % 2, [3.4, 0])
    assert not one_cluster_test(X, n_references=39, random_state=0).is_one


def test_samples_far_out_in_all_columns_are_compared_with_shells():
    rng = np.random.RandomState(1)
    X = rng.normal(size=(100, 30)) / np.sqrt(rng.chisquare(3, (100, 1)) / 3)
    found = one_cluster_test(X, random_state=0)
    assert found.is_one
    assert "shells" in found.p_values


def test_shells_keep_the_distances_from_the_center_with_one_mode():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(200, 3)) * [3, 1, 1] / np.sqrt(rng.chisquare(3, (200, 1)) / 3)
    shares = (0.1, 0.5, 0.9)
    drawn = Shells(Landscape.of(X, 5)).draw(rng)
    for own, column in zip(drawn.T, X.T, strict=True):
        assert np.quantile(own, shares) == pytest.approx(np.quantile(column, shares), abs=0.6)
    sphere = rng.normal(size=(200, 3))
    sphere *= (np.where(np.arange(200) % 2, 1, 9) / np.linalg.norm(sphere, axis=1))[:, None]
    radii = np.linalg.norm(Shells(Landscape.of(sphere, 5)).draw(rng), axis=1)
    assert ((radii > 3) & (radii < 7)).mean() > 0.2


def test_shells_of_few_samples_have_no_long_axes_of_chance():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(60, 40))
    spread = Shells(Landscape.of(X, 5)).spread
    assert spread.max() < 1.3 * spread.min()


def test_a_valley_beside_few_points_does_not_count():
    rng = np.random.RandomState(0)
    few = np.r_[rng.normal(size=97), 50 + rng.normal(size=3)][:, None]
    many = np.r_[rng.normal(size=90), 50 + rng.normal(size=10)][:, None]
    assert valley_depth(few, (few[:, 0] > 25).astype(int)) == 0
    assert valley_depth(many, (many[:, 0] > 25).astype(int)) > 1
    assert valley_depth(np.zeros((20, 2)), np.arange(20) % 2) == 0


def test_references_of_few_rows_have_no_correlations_of_chance():
    rng = np.random.RandomState(0)
    noise = rng.normal(size=(40, 100))
    assert Copula(noise, "none").shrinkage > 0.9
    one_factor = np.outer(rng.normal(size=40), np.ones(20)) + 0.3 * noise[:, :20]
    assert Copula(one_factor, "none").shrinkage < 0.05
    drawn = np.corrcoef(Copula(one_factor, "none").draw(rng).T)
    assert np.median(drawn) == pytest.approx(np.median(np.corrcoef(one_factor.T)), abs=0.1)


@pytest.mark.parametrize(("kind", "has_ends"), [(Tube, True), (Ring, False)])
def test_long_references_are_as_thin_as_the_data(kind, has_ends):
    rng = np.random.RandomState(0)
    strip = Landscape.of(np.c_[rng.uniform(0, 60, 300), rng.normal(size=300)], 12)
    drawn = Landscape.of(kind(strip, rng).draw(rng), 12)
    assert drawn.dimension == pytest.approx(strip.dimension, abs=0.2)
    angle = np.sort(np.arctan2(*drawn.points.T))
    widest_gap = np.diff(np.r_[angle, angle[0] + 2 * np.pi]).max()
    assert (widest_gap > 1) == has_ends


@pytest.mark.parametrize("kind", [Tube, Ring])
def test_long_references_in_space_are_longer_than_the_data(kind):
    rng = np.random.RandomState(0)
    rod = Landscape.of(np.c_[rng.uniform(0, 12, 300), rng.normal(scale=0.5, size=(300, 3))], 12)
    drawn = Landscape.of(kind(rod, rng).draw(rng), 12)
    assert 1.1 * rod.steps_across() < drawn.steps_across() < 2.0 * rod.steps_across()


def test_moons_stand_out_from_tube_and_ring():
    X = make_moons(200, noise=0.05, random_state=0)[0]
    found = one_cluster_test(X, random_state=0)
    assert {"tube", "ring"} <= set(found.p_values)
    assert not found.is_one


def test_bottleneck_by_hand():
    # Ten points a unit apart, a gap of 9, and ten more: the fifth neighbor is 3 to 5 away.
    line = np.r_[np.arange(10.0), 18 + np.arange(10.0)][:, None]
    inside = np.median(np.log([5, 4, 3, 3, 3, 3, 3, 3, 4, 5]))
    assert bottleneck(Landscape.of(line, 5)) == pytest.approx(np.log(9) - inside)
    few = np.r_[np.arange(30.0), 50 + np.arange(2.0)][:, None]  # 2 of 32 are too few
    assert bottleneck(Landscape.of(few, 5)) < 0.6
