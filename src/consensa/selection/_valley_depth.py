"""How deep the valleys of density are between parts of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.compile import compiled

__all__ = ["valley_depth"]

_NEAREST = 4  # other parts that each is compared with
_LEAST_SHARE = 0.04  # of the points, on either side of a valley
_DEEPEST = 3
_BINS = 96  # of the density on a line
_REACH = 3  # of the kernel, in bandwidths
_EVEN = 20  # points spread evenly in all directions that are added to those of two parts


def valley_depth(points: Array, codes: Array) -> float:
    """Sum of the depths of the three deepest valleys that no way from part to part can avoid.

    The points of two parts are projected on the line that separates them best, by Fisher's
    discriminant. The depth of the valley between them is the largest logarithm of the ratio of the
    lower of the two maxima of the density, left and right of a place between the medians, to the
    density there. Parts are merged, the shallowest valley first, as by single linkage; a merge
    counts if both sides have 4 % of the points. Along a ring or a curved sheet, neighboring parts
    have no valley, and all merge early. Unlike the density around points, that on a line can be
    estimated in any number of dimensions.
    """
    parts = [points[codes == c] for c in range(int(codes.max()) + 1)]
    centers = np.array([part.mean(axis=0) for part in parts])
    around = [part - center for part, center in zip(parts, centers, strict=True)]
    edges = []
    for one, other in _neighboring(centers):
        within = np.concatenate([around[one], around[other]])
        line = _separating(centers[other] - centers[one], within)
        edges.append((_depth(parts[one] @ line, parts[other] @ line), one, other))
    found = _merge_depths(sorted(edges), np.array([len(part) for part in parts]) / len(points))
    return float(sum(sorted(found, reverse=True)[:_DEEPEST]))


def _neighboring(centers: Array) -> list[tuple[int, int]]:
    """Pairs of parts, one of which is among the nearest of the other."""
    distances = np.linalg.norm(centers[:, None] - centers, axis=2)
    near = np.argsort(distances, axis=1, kind="stable")[:, 1 : _NEAREST + 1]
    pairs = {(min(a, int(b)), max(a, int(b))) for a, row in enumerate(near) for b in row}
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def _separating(apart: Array, within: Array) -> Array:
    """Fisher's direction for two centers that are `apart`, with the points less their centers."""
    n, d = within.shape
    # With few points and many columns, some direction separates everything by chance: the added
    # points lead back to the line between the centers.
    added = _EVEN * float(np.square(within).sum()) / n
    if added <= 0:
        return apart
    if n < d:  # the same by the products of points, which are fewer
        products = within @ within.T
        products.flat[:: n + 1] += added
        return np.asarray(apart - within.T @ np.linalg.solve(products, within @ apart))
    scatter = within.T @ within
    scatter.flat[:: d + 1] += added
    return np.asarray(np.linalg.solve(scatter, apart))


@compiled()
def _depth(first: Any, second: Any) -> float:
    """Depth of the valley between the medians of two samples of numbers."""
    first, second = np.sort(first), np.sort(second)
    places = np.sort(np.concatenate((first, second)))
    low, width = places[0], (places[-1] - places[0]) / _BINS
    if width <= 0:
        return 0.0
    counts = np.zeros(_BINS)
    for place in places:
        counts[min(int((place - low) / width), _BINS - 1)] += 1
    spread = min(places.std(), (_quantile(places, 0.75) - _quantile(places, 0.25)) / 1.34)
    bandwidth = max(0.9 * spread * len(places) ** -0.2, width / 2)  # the rule of Silverman
    reach = int(np.ceil(_REACH * bandwidth / width))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * width / bandwidth) ** 2)
    heights = np.convolve(counts, kernel / kernel.sum())
    density = heights[reach : reach + _BINS] + 0.5 / len(places)
    medians = (_quantile(first, 0.5), _quantile(second, 0.5))
    start = int((min(medians) - low) / width)
    end = max(int((max(medians) - low) / width), start + 1)
    deepest = 0.0
    left = density[:start].max() if start > 0 else 0.0
    for place in range(start, min(end, _BINS)):
        left = max(left, density[place])
        right = density[place:].max()
        deepest = max(deepest, np.log(min(left, right) / density[place]))
    return deepest


@compiled()
def _quantile(ordered: Any, share: float) -> float:
    """The quantile of sorted numbers."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _merge_depths(edges: list[tuple[float, int, int]], shares: Array) -> list[float]:
    """Depths at which parts with enough points on either side are merged."""
    group, share = np.arange(len(shares)), shares.copy()
    found = []
    for depth, one, other in edges:
        a, b = group[one], group[other]
        if a == b:
            continue
        if min(share[a], share[b]) >= _LEAST_SHARE:
            found.append(depth)
        group[group == b] = a
        share[a] += share[b]
    return found
