"""How deep the valleys of density are between parts of the data."""

from __future__ import annotations

import numpy as np

from consensa._array import Array

__all__ = ["valley_depth"]

_NEAREST = 4  # other parts that each is compared with
_LEAST_SHARE = 0.04  # of the points, on either side of a valley
_DEEPEST = 3
_BINS = 96  # of the density on a line
_REACH = 3  # of the kernel, in bandwidths


def valley_depth(points: Array, codes: Array) -> float:
    """Sum of the depths of the three deepest valleys that no way from part to part can avoid.

    The points of two parts are projected on the line between their centers. The depth of the
    valley between them is the largest logarithm of the ratio of the lower of the two maxima of
    the density, left and right of a place between the medians, to the density there. Parts are
    merged, the shallowest valley first, as by single linkage; a merge counts if both sides have
    4 % of the points. Along a ring or a curved sheet, neighboring parts have no valley, and all
    merge early. Unlike the density around points, that on a line can be estimated in any number
    of dimensions.
    """
    members = [np.flatnonzero(codes == c) for c in range(int(codes.max()) + 1)]
    centers = np.array([points[rows].mean(axis=0) for rows in members])
    edges = []
    for one, other in _neighboring(centers):
        line = centers[other] - centers[one]
        edges.append((_depth(points[members[one]] @ line, points[members[other]] @ line),
                      one, other))  # fmt: skip
    found = _merge_depths(sorted(edges), np.array([len(rows) for rows in members]) / len(points))
    return float(sum(sorted(found, reverse=True)[:_DEEPEST]))


def _neighboring(centers: Array) -> list[tuple[int, int]]:
    """Pairs of parts, one of which is among the nearest of the other."""
    distances = np.linalg.norm(centers[:, None] - centers, axis=2)
    near = np.argsort(distances, axis=1, kind="stable")[:, 1 : _NEAREST + 1]
    pairs = {(min(a, int(b)), max(a, int(b))) for a, row in enumerate(near) for b in row}
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def _depth(first: Array, second: Array) -> float:
    """Depth of the valley between the medians of two samples of numbers, the smaller first."""
    places = np.concatenate([first, second])
    low, width = float(places.min()), float(np.ptp(places)) / _BINS
    if width <= 0:
        return 0.0
    bins = np.minimum(((places - low) / width).astype(np.int64), _BINS - 1)
    quartiles = np.percentile(places, (25, 75))
    spread = min(places.std(), np.ptp(quartiles) / 1.34)
    bandwidth = max(0.9 * spread * len(places) ** -0.2, width / 2)  # the rule of Silverman
    reach = int(np.ceil(_REACH * bandwidth / width))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * width / bandwidth) ** 2)
    heights = np.convolve(np.bincount(bins, minlength=_BINS), kernel / kernel.sum())
    density = heights[reach : reach + _BINS] + 0.5 / len(places)
    left, right = np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1]
    medians = sorted((np.median(first), np.median(second)))
    start, end = ((np.array(medians) - low) / width).astype(np.int64)
    between = slice(start, max(end, start + 1))
    return float(np.log(np.minimum(left, right)[between] / density[between]).max())


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
