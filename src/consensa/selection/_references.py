"""Reference data without clusters that resemble the data otherwise.

Five kinds; the data must stand out from each that is used:

- **copula**: each column has its own distribution, but with one mode; the rank correlations
  between columns are kept by a Gaussian copula, as far as chance does not explain them. A column
  with few distinct values, as of counts, keeps its values exactly.
- **axes**: along each principal axis the samples have their own distribution, but with one mode;
  the axes are independent, and rotated back.
- **tube**: uniform along a curve, three quarters of a circle, and normal around it in the local
  dimension of the data. In the plane it is as thin as the data, by its local dimension, but not
  longer, in steps of a walk over nearest neighbors from end to end; in more dimensions so thin
  that it takes 1.4 times as many steps. The first two do not imitate curves and curved sheets. It
  is used if the data are longer, in such steps, than their references.
- **ring**: the same around a circle, with 1.6 times as many steps between opposite places.
- **shells**: the samples have their own distances from the center, in units of the spread in each
  direction, but with one mode; the directions are drawn anew. The first two do not imitate samples
  that are far out in many columns at once. It is used if the distances differ more than in their
  references.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import norm, rankdata

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.generation.landscape import Landscape, points_of

__all__ = [
    "References",
    "Ring",
    "Shells",
    "Tube",
    "permuted_partitions",
    "references_of",
    "spread_of_radii",
    "unimodal",
]

_MODES = 25  # places of the mode that are tried
_FEW_VALUES = 10
_MOST_DIMENSIONS = 10
_HALVINGS = 7
_THINNEST, _WIDEST = 1e-3, 0.3  # widths, relative to the length
_PLANE = 2
_FLATTER = 0.1  # dimensions that a tube may have less than the data
_ROUNDS = 20  # of the equation for the variances of shells


class References(Protocol):
    """Draws reference data: points in their space."""

    def draw(self, rng: np.random.RandomState) -> Array:
        """Points of a reference data set."""


class Unimodal(NamedTuple):
    """A distribution with one mode, by its values and the probabilities up to them."""

    values: Array
    cumulative: Array

    def at(self, probabilities: Array) -> Array:
        """Quantiles."""
        return np.interp(probabilities, self.cumulative, self.values)


def unimodal(column: Array) -> Unimodal | None:
    """The distribution with one mode that is closest to that of a column.

    The density between neighboring values is replaced by the closest one that increases up to a
    mode and decreases after it (isotonic regression), for the best of 25 places of the mode. None
    if the column has few distinct values.
    """
    values, counts = np.unique(column, return_counts=True)
    if len(values) < max(_FEW_VALUES, len(column) / 10):
        return None
    widths = np.diff(values)
    mass = (counts[:-1] + counts[1:]) / 2
    mass[0] += counts[0] / 2
    mass[-1] += counts[-1] / 2
    mass = mass / mass.sum()
    density, own = mass / widths, np.cumsum(mass)
    best, closest = own, np.inf
    for place in np.unique(np.linspace(0, len(widths) - 1, _MODES).astype(int)):
        rising = isotonic_regression(density[: place + 1], weights=widths[: place + 1]).x
        falling = isotonic_regression(density[place:], weights=widths[place:], increasing=False).x
        top = max(rising[-1], falling[0])
        parts = np.concatenate([rising[:-1], [top], falling[1:]]) * widths
        cumulative = np.cumsum(parts) / parts.sum()
        distance = np.abs(cumulative - own).max()
        if distance < closest:
            best, closest = cumulative, distance
    return Unimodal(values, np.concatenate([[0.0], best]))


class Copula:
    """Columns with one mode each, and the rank correlations of the data."""

    def __init__(self, rows: Array, scaling: str) -> None:
        self.scaling = scaling
        self.sorted = np.sort(rows, axis=0)
        self.columns = [unimodal(column) for column in rows.T]
        ranks = (rankdata(rows, axis=0) - 0.5) / len(rows)
        scores = norm.ppf(ranks)
        scores = scores - scores.mean(axis=0)
        spread = scores.std(axis=0)
        self.scores = scores / np.where(spread > 0, spread, 1)
        self.shrinkage = _shrinkage(self.scores)

    def draw(self, rng: np.random.RandomState) -> Array:
        n = len(self.scores)
        # Mixing the rows keeps the correlations, also with more columns than rows.
        mixed = rng.normal(size=(n, n)) @ self.scores / np.sqrt(n)
        own = rng.normal(size=self.scores.shape)
        normal = np.sqrt(1 - self.shrinkage) * mixed + np.sqrt(self.shrinkage) * own
        drawn = np.empty_like(normal)
        for j, column in enumerate(self.columns):
            if column is None:
                drawn[:, j] = self.sorted[np.argsort(np.argsort(normal[:, j])), j]
            else:
                drawn[:, j] = column.at(norm.cdf(normal[:, j]))
        return points_of(drawn, self.scaling)


def _shrinkage(scores: Array) -> float:
    """Share of the squared correlations of standardized columns that chance explains.

    Correlations of few rows are noisy, and references drawn from them would have more structure
    than the data. They are shrunk towards zero by this share (Schäfer and Strimmer, 2005).
    """
    n, n_columns = scores.shape
    pairs = n_columns * (n_columns - 1)
    squares = float(np.square(scores @ scores.T / n).sum()) - n_columns
    return float(np.clip((pairs - squares) / ((n - 1) * max(squares, 1e-12)), 0, 1))


class Axes:
    """Independent principal axes, with one mode each."""

    def __init__(self, points: Array) -> None:
        self.center = points.mean(axis=0)
        centered = points - self.center
        self.axes = np.linalg.svd(centered, full_matrices=False)[2]
        self.scores = centered @ self.axes.T
        self.along = [unimodal(column) for column in self.scores.T]

    def draw(self, rng: np.random.RandomState) -> Array:
        n = len(self.scores)
        drawn = np.empty_like(self.scores)
        for j, own in enumerate(self.along):
            drawn[:, j] = (
                rng.permutation(self.scores[:, j]) if own is None else own.at(rng.uniform(size=n))
            )
        return np.unique(drawn @ self.axes + self.center, axis=0)


class Tube:
    """Uniform along a part of a circle, and normal around it."""

    longer = 1.4  # relative to the data
    turn = 0.75 * 2 * np.pi  # from end to end

    def __init__(self, landscape: Landscape, rng: np.random.RandomState) -> None:
        self.n_points = landscape.n_points
        self.n_neighbors = landscape.neighbors.shape[1]
        self.n_columns = min(_MOST_DIMENSIONS, max(2, round(landscape.dimension + 0.2)))
        steps = landscape.steps_across()
        if self.n_columns > _PLANE:
            self.width = self._widest(
                lambda drawn: drawn.steps_across() > self.longer * steps, rng
            )
            return
        # In the plane, the local dimension shows how thin the data are.
        by_steps = self._widest(lambda drawn: drawn.steps_across() > steps, rng)
        dimension = landscape.dimension - _FLATTER
        by_dimension = self._widest(lambda drawn: drawn.dimension < dimension, rng)
        self.width = max(by_steps, by_dimension)

    def _widest(self, is_thin: Callable[[Landscape], bool], rng: np.random.RandomState) -> float:
        """The largest width that is thin."""
        low, high = np.log(_THINNEST), np.log(_WIDEST)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            self.width = float(np.exp(middle))
            thin = is_thin(Landscape.of(self.draw(rng), self.n_neighbors))
            low, high = (middle, high) if thin else (low, middle)
        return float(np.exp(low))

    def draw(self, rng: np.random.RandomState) -> Array:
        angle = self.turn * rng.uniform(size=self.n_points)
        points = self.width * rng.normal(size=(self.n_points, self.n_columns))
        radius = 1 / self.turn + points[:, 1]
        points[:, 0], points[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
        return points


class Ring(Tube):
    """Uniform along a circle, and normal around it."""

    longer = 1.6
    turn = 2 * np.pi


class Shells:
    """Distances from the center with one mode, in units of the spread in each direction."""

    def __init__(self, landscape: Landscape) -> None:
        self.center = landscape.points.mean(axis=0)
        centered = landscape.points - self.center
        lengths = np.linalg.norm(centered, axis=1, keepdims=True)
        directions = centered / np.maximum(lengths, np.finfo(float).tiny)
        self.axes = np.linalg.svd(directions, full_matrices=False)[2]
        self.spread = np.sqrt(_variances(np.square(directions @ self.axes.T)))
        self.radii = np.linalg.norm(centered @ self.axes.T / self.spread, axis=1)
        self.along = unimodal(self.radii)  # a core in a hollow sphere is not kept

    def draw(self, rng: np.random.RandomState) -> Array:
        n, own = len(self.radii), self.along
        radii = rng.permutation(self.radii) if own is None else own.at(rng.uniform(size=n))
        drawn = rng.normal(size=(n, len(self.spread)))
        drawn *= (radii / np.linalg.norm(drawn, axis=1))[:, None]
        return np.unique(drawn * self.spread @ self.axes + self.center, axis=0)


def _variances(squares: Array) -> Array:
    """Relative variances along the axes, from the squared scores of samples of any length.

    They solve the equation of Tyler's covariance (1987), and are shrunk towards their mean by the
    share of their differences that chance explains (Ledoit and Wolf, 2004).
    """
    squares = squares + 1e-12
    variances = squares.mean(axis=0)
    for _ in range(_ROUNDS):
        variances = (squares / (squares / variances).sum(axis=1)[:, None]).mean(axis=0)
        variances /= variances.sum()
    mean = variances.mean()
    chance = (1 - np.square(variances).sum()) / len(squares)
    share = min(1.0, chance / max(np.square(variances - mean).sum(), 1e-12))
    return np.asarray((1 - share) * variances + share * mean)


def spread_of_radii(landscape: Landscape) -> float:
    """Standard deviation of the distances from the center, relative to their mean."""
    radii = np.linalg.norm(landscape.points - landscape.points.mean(axis=0), axis=1)
    return float(radii.std() / radii.mean())


def references_of(rows: Array, points: Array, scaling: str) -> dict[str, References]:
    """The kinds of reference data that are always used, for features and their points."""
    return {"copula": Copula(rows, scaling), "axes": Axes(points)}


def permuted_partitions(ensemble: Ensemble, rng: np.random.RandomState) -> Ensemble:
    """Shuffle each partition separately over the samples that it labels.

    The clusters keep their sizes, and the partitions become independent.
    """
    codes = ensemble.codes.copy()
    for column in codes.T:
        labeled = is_labeled(column)
        column[labeled] = rng.permutation(column[labeled])
    return Ensemble.from_labels(codes)
