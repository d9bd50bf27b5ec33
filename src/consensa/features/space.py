r"""The space in which distances are measured: from features to points.

Features are scaled, centered, and reduced to their leading principal components if there are many
columns. With ``"auto"``, the scaling is chosen from the values alone:

- No value is negative and at least 30 % are zero: the columns have the same unit, such as pixels,
  indicators or expression, and are not divided. Counts (integers with a long tail) are first
  divided by the total of their row and replaced by their logarithm, :math:`\log(1 + x)`.
- There are at most three columns, whose ranges differ by a factor of at most 10: they are taken to
  be coordinates and are not divided.
- Otherwise each column is divided by its range, after outliers are clipped.

Constant columns are left out first: they change no distance, and must not change the scaling
either. They do change angles, and are kept for ``metric="cosine"``.

The length of a row is often a nuisance (the darkness of a scan, the size of a flower), and often
the signal. So `metrics_for` gives two metrics for two halves of an ensemble: Euclidean distances
and angles. Columns that are coordinates (at most three), or encoded text, have the former alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.plain_objects import storable
from consensa._machine.threads import one_thread
from consensa.features._outliers import column_ends, usual_ends
from consensa.features._principal_components import principal_components
from consensa.features.scaling import SCALINGS, Scaling

__all__ = [
    "AUTO",
    "METRICS",
    "PRECOMPUTED",
    "SCALED_BEFORE",
    "SPACE_SCALINGS",
    "Space",
    "describe_spaces",
    "learn_space",
    "metrics_for",
]

AUTO = "auto"
SPACE_SCALINGS = (AUTO, "counts", "log", *SCALINGS)
PRECOMPUTED = "precomputed"  # X is a matrix of distances
METRICS = ("euclidean", "cosine", PRECOMPUTED)
ANGLES = "angles"  # the cosine distance of the columns that vary

_MANY_ZEROS = 0.3
_LONG_TAIL = 10  # the largest value, relative to the third quartile of those that are not zero
_COORDINATES = 3  # maximum number of columns
_SAME_UNIT = 10.0  # the largest range of coordinates, relative to the smallest
_MOST_COMPONENTS = 50
_HUGE = 2.0**300  # above it squares overflow
SCALED_BEFORE = "scaled before"  # when text columns were read
_DIVIDED_BY = {"counts": "none", "log": "range", SCALED_BEFORE: "none"}
_WORDS = {
    "log": "each value replaced by its logarithm, log(1 + |x|) with its sign, then each column "
    "divided by its range",
    "counts": "counts divided by the total of their row, then log(1 + x)",
    "none": "columns as they are",
    SCALED_BEFORE: "columns of numbers divided by their range, and indicators of text",
    "range": "each column divided by its range",
    "standard": "each column divided by its standard deviation",
}


@storable
class Space:
    """Converts features to points, whose Euclidean distances are then measured.

    Attributes
    ----------
    name : str
        The scaling: "counts", "log", "range", "standard" or "none".
    columns : ndarray of shape (n_kept,) or None
        Numbers of the columns that are not constant, the only ones that the other attributes
        refer to; None if all are kept.
    scaling : Scaling
        Divisor of each column.
    total : float or None
        Total to which the counts of each row are scaled; None if they are not counts.
    unit_rows : bool
        Whether each row is divided by its length, so that distances are those of angles.
    center : ndarray of shape (n_features,)
        Mean of the scaled columns.
    components : ndarray of shape (n_features, n_components) or None
        Principal components; None if there are few columns.
    magnitude : ndarray of shape (n_features,) or None
        Powers of two that huge columns are divided by first.
    """

    name: str
    columns: Array | None
    scaling: Scaling
    total: float | None
    unit_rows: bool
    center: Array
    components: Array | None
    magnitude: Array | None

    def apply(self, features: Any) -> Array:
        """Points of the rows of a matrix of features, dense or sparse."""
        scaled = self._scaled(features)
        with one_thread():
            if self.components is not None:
                return np.asarray(scaled @ self.components - self.center @ self.components)
            dense = scaled.toarray() if sparse.issparse(scaled) else scaled
            return np.ascontiguousarray(dense - self.center)

    def _scaled(self, features: Any) -> Any:
        points = _take(features, self.columns).astype(np.float64)
        if self.magnitude is not None:
            points = _times_columns(points, 1 / self.magnitude)
        if self.name == "log":
            points = _logarithms(points)
        if self.total is not None:
            points = _log_shares(points, self.total)
        points = self.scaling.apply(points)
        return _unit_rows(points) if self.unit_rows else points

    def describe(self) -> str:
        """What was done to the columns, in a few words."""
        done = [_WORDS[self.name]]
        if self.components is not None:
            n_columns, n_components = self.components.shape
            done.append(f"{n_components} principal components of {n_columns} columns")
        done.append("cosine distance" if self.unit_rows else "Euclidean distance")
        return "; ".join(done)


def describe_spaces(spaces: Sequence[Any]) -> str:
    """What was done to the columns, for partitions in one space or in two."""
    second = "; cosine distance for half of the partitions" if len(spaces) > 1 else ""
    return spaces[0].describe() + second


def learn_space(
    features: Any,
    *,
    scaling: str = AUTO,
    metric: str = "euclidean",
    n_components: int | None = None,
) -> Space:
    """Learn the space of `features` (dense or sparse), whose rows are in canonical order.

    It has at most `n_components` dimensions, or 50 if it is None.
    Sums over the rows are order-free only if the order of the rows is given by their values.
    """
    unit_rows = metric in ("cosine", ANGLES)
    columns = None if metric == "cosine" else _varying(features)
    points = _take(features, columns).astype(np.float64)
    magnitude = _magnitude(points)
    if magnitude is not None:
        points = _times_columns(points, 1 / magnitude)
    name = _choose(points) if scaling == AUTO else scaling
    total = None
    if name == "counts":
        total = float(np.median(_totals(points))) or 1.0
        points = _log_shares(points, total)
    if name == "log":
        points = _logarithms(points)
    learned = SCALINGS[_DIVIDED_BY.get(name, name)](points)
    points = learned.apply(points)
    points = _unit_rows(points) if unit_rows else points
    with one_thread():
        center = np.asarray(points.mean(axis=0), dtype=np.float64).ravel()
        most = n_components or _MOST_COMPONENTS
        many = points.shape[1] > most
        components = principal_components(points, center, most) if many else None
    return Space(name, columns, learned, total, unit_rows, center, components, magnitude)


def metrics_for(features: Any, *, is_scaled: bool) -> tuple[str, ...]:
    """Metrics of the spaces of `features`; `is_scaled` if text columns were encoded."""
    columns = _varying(features)
    n_columns = features.shape[1] if columns is None else len(columns)
    return ("euclidean",) if is_scaled or n_columns <= _COORDINATES else ("euclidean", ANGLES)


def _varying(features: Any) -> Array | None:
    """Numbers of the columns that are not constant; None if all or none of them are kept."""
    low, high = column_ends(features)
    varying = np.flatnonzero(low < high)
    return varying if 0 < len(varying) < len(low) else None


def _take(features: Any, columns: Array | None) -> Any:
    if columns is None:
        return features
    return features[:, columns] if sparse.issparse(features) else features.take(columns, axis=1)


def _choose(points: Any) -> str:
    """Scaling for `points`; the rule is stated in the docstring of the module."""
    low, high = column_ends(points)
    values = points.data if sparse.issparse(points) else points
    values = values[values != 0]
    n_zeros = 1 - values.size / (points.shape[0] * points.shape[1])
    if low.min(initial=0) >= 0 and n_zeros >= _MANY_ZEROS:
        whole = bool((values == np.floor(values)).all())
        tail = values.size > 0 and np.quantile(values, 0.75) * _LONG_TAIL < values.max()
        return "counts" if whole and tail else "none"
    if points.shape[1] > _COORDINATES:
        return "range"
    low, high = usual_ends(points)
    widths = (high - low)[high > low]
    same = widths.size == 0 or widths.max() <= _SAME_UNIT * widths.min()
    return "none" if same else "range"


def _magnitude(points: Any) -> Array | None:
    """Powers of two that make huge columns small; None if there are none."""
    peak = np.maximum(*np.abs(column_ends(points)))
    if (peak < _HUGE).all():
        return None
    return np.where(peak < _HUGE, 1.0, 2.0 ** (np.frexp(peak)[1] - 1))


def _totals(points: Any) -> Array:
    return np.asarray(points.sum(axis=1), dtype=np.float64).ravel()


def _log_shares(points: Any, total: float) -> Any:
    """log(1 + x) of each entry, after its row is scaled to the given total."""
    sums = _totals(points)
    scaled = _times_rows(points, total / np.where(sums > 0, sums, total))
    if sparse.issparse(scaled):
        scaled.data = np.log1p(np.maximum(scaled.data, 0))
        return scaled
    return np.log1p(np.maximum(scaled, 0))


def _logarithms(points: Any) -> Any:
    """log(1 + |x|) of each entry, with its sign; zeros stay zeros."""
    if sparse.issparse(points):
        logged = points.copy()
        logged.data = np.sign(logged.data) * np.log1p(np.abs(logged.data))
        return logged
    return np.sign(points) * np.log1p(np.abs(points))


def _unit_rows(points: Any) -> Any:
    if sparse.issparse(points):
        lengths = np.sqrt(_totals(points.multiply(points)))
    else:
        lengths = np.linalg.norm(points, axis=1)
    return _times_rows(points, 1 / np.where(lengths > 0, lengths, 1))


def _times_rows(points: Any, factors: Array) -> Any:
    if sparse.issparse(points):
        return sparse.csr_array(sparse.diags_array(factors) @ points)
    return points * factors[:, None]


def _times_columns(points: Any, factors: Array) -> Any:
    if sparse.issparse(points):
        return sparse.csr_array(points @ sparse.diags_array(factors))
    return points * factors
