"""What each cluster is: the features in which it differs from the other samples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse, stats

from consensa._array import Array
from consensa._optional import require
from consensa.description.clusters import labels_of
from consensa.exceptions import InvalidInputError
from consensa.features.measured import Measured, read_measured

__all__ = ["NOTE", "Sums", "cluster_profiles", "profile_frame", "sum_features"]

NOTE = (
    "Profiles are descriptive. The clusters were made from the same features, so that the "
    "differences are larger than between groups that were known before, and small p-values do "
    "not show that the clusters are real."
)


def cluster_profiles(X: Any, result: Any, *, n_top: int | None = None, level: float = 0.95) -> Any:
    r"""Features that set each cluster apart from the other samples.

    The effect of a feature of numbers is the difference of the means in units of the standard
    deviation within the two groups (Hedges' :math:`g`),

    .. math:: g = \left(1 - \frac{3}{4 n - 9}\right) \frac{\bar x_c - \bar x_r}{s}, \qquad
              s^2 = \frac{(n_c - 1) s_c^2 + (n_r - 1) s_r^2}{n - 2},

    for the :math:`n_c` samples of the cluster and the :math:`n_r` others. That of a value of a
    text column, and of a column of zeros and ones, is the difference of the proportions on the
    scale on which their variance is constant (Cohen's :math:`h`),
    :math:`2 \arcsin \sqrt{p_c} - 2 \arcsin \sqrt{p_r}`. Both are near 0.2 for a small
    difference and above 0.8 for a large one.

    Parameters
    ----------
    X : frame, array-like, sparse matrix or AnnData
        Features as they were measured: not scaled. They need not be those of the fit, and
        values may be missing. For an AnnData object the features are the variables of ``X``.
    result : ConsensusResult, fitted estimator or array-like of shape (n_samples,)
        The clusters.
    n_top : int or None, default=None
        Number of rows for each cluster, those of largest effect; None keeps all.
    level : float, default=0.95
        Confidence level of the intervals.

    Returns
    -------
    pandas.DataFrame
        A row for each cluster and feature, or value of a text column; in each cluster the
        largest effects first. Columns: ``cluster``; ``feature``; ``value``, of a text column;
        ``inside`` and ``outside``, the mean or the proportion in the cluster and in the rest;
        ``effect``, with its interval from ``low`` to ``high``; ``p_value``, corrected for the
        number of features and clusters. ``attrs["note"]`` says what the test does not show.

    See Also
    --------
    consensa.plotting.ClusterProfileDisplay : Heat map, dot plot and small multiples.

    Notes
    -----
    Tests: Welch's t-test for means, the hypergeometric distribution for proportions, corrected
    by the method of Benjamini and Hochberg. The clusters were made from the same features, so
    the test is descriptive: it would find differences between the clusters of pure noise too.
    A feature without a spread inside and outside of a cluster has an infinite effect. Of a text
    column the 50 most frequent values are described.

    Examples
    --------
    >>> import consensa as cs, pandas as pd
    >>> X = pd.DataFrame({"height": [1, 2, 1, 8, 9, 9], "color": ["red"] * 3 + ["blue"] * 3})
    >>> profiles = cs.cluster_profiles(X, [0, 0, 0, 1, 1, 1], n_top=2)
    >>> profiles[["cluster", "feature", "value", "inside", "outside", "effect"]].round(1)
       cluster feature value  inside  outside  effect
    0        0  height   NaN     1.3      8.7   -10.2
    1        0   color  blue     0.0      1.0    -3.1
    2        1  height   NaN     8.7      1.3    10.2
    3        1   color  blue     1.0      0.0     3.1

    What is most typical of each of three clusters of wines:

    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine(as_frame=True).data
    >>> found = cs.cluster(wine, 3, random_state=0)
    >>> cs.cluster_profiles(wine, found, n_top=1)["feature"].tolist()
    ['proline', 'alcohol', 'od280/od315_of_diluted_wines']
    """
    if not 0 < level < 1:
        message = f"level must be between 0 and 1. Got {level!r}."
        raise InvalidInputError(message)
    clusters = labels_of(result)
    measured = read_measured(X)
    if measured.n_samples != len(clusters.codes):
        message = (
            f"X must have a row for each of the {len(clusters.codes)} samples of the result. "
            f"Got {measured.n_samples} rows."
        )
        raise InvalidInputError(message)
    sums = sum_features(measured, clusters.codes, len(clusters.names))
    return profile_frame(measured, sums, clusters.names, n_top=n_top, level=level)


def profile_frame(
    measured: Measured, sums: Sums, names: Any, *, n_top: int | None = None, level: float = 0.95
) -> Any:
    """The profiles of clusters with these names, from sums over their samples."""
    pandas = require("pandas", extra="cli", purpose="cluster_profiles")
    found = _compare(measured, sums, level)
    cluster, column = _order(found.effect, n_top)
    frame = pandas.DataFrame(
        {
            "cluster": np.asarray(names)[cluster],
            "feature": np.array(measured.features, dtype=object)[column],
            "value": np.array(measured.values, dtype=object)[column],
            **{name: part[cluster, column] for name, part in found._asdict().items()},
        }
    )
    frame["value"] = frame["value"].astype(object).where(frame["value"].notna(), np.nan)
    frame.attrs["note"] = NOTE
    return frame


class _Found(NamedTuple):
    """A row for each cluster, a column for each column of the features."""

    inside: Array
    outside: Array
    effect: Array
    low: Array
    high: Array
    p_value: Array


class Sums(NamedTuple):
    """Sums over the samples of each cluster, a column for each column of the features.

    Attributes
    ----------
    known : ndarray of shape (n_clusters, n_columns)
        Number of known values.
    total, squares : ndarray of shape (n_clusters, n_columns)
        Sums of the values and of their squares, after the center was subtracted.
    center : ndarray of shape (n_columns,)
        The centers.
    """

    known: Array
    total: Array
    squares: Array
    center: Array

    def joined(self, clusters: Array) -> Sums:
        """Sums over larger clusters; `clusters` are those into which these clusters go."""
        ones = (np.ones(len(clusters)), (clusters, np.arange(len(clusters))))
        member = sparse.csr_array(ones)
        return Sums(member @ self.known, member @ self.total, member @ self.squares, self.center)


class _Group(NamedTuple):
    """Number of known values, their mean and their sum of squares around it."""

    known: Array
    mean: Array
    squares: Array


def _compare(measured: Measured, sums: Sums, level: float) -> _Found:
    inside, outside = _groups(sums)
    share = measured.is_share[None, :]
    effect, error = (
        np.where(share, of_shares, of_means)
        for of_shares, of_means in zip(
            _difference_of_shares(inside, outside), _difference_of_means(inside, outside),
            strict=True,
        )
    )  # fmt: skip
    width = stats.norm.ppf(0.5 + level / 2) * error
    p_value = np.where(share, _test_shares(inside, outside), _test_means(inside, outside))
    tested = np.isfinite(p_value)
    p_value[tested] = stats.false_discovery_control(p_value[tested])
    return _Found(inside.mean, outside.mean, effect, effect - width, effect + width, p_value)


def sum_features(
    measured: Measured, codes: Array, n_clusters: int, center: Array | None = None
) -> Sums:
    """Sums over the samples of each cluster, around the means or a given `center`."""
    matrix = measured.matrix
    ones = np.ones(len(codes))
    member = sparse.csr_array((ones, (codes, np.arange(len(codes)))), (n_clusters, len(codes)))
    sizes = np.bincount(codes, minlength=n_clusters).astype(float)
    if sparse.issparse(matrix):
        count = np.repeat(sizes[:, None], matrix.shape[1], axis=1)
        total, squares = (member @ matrix).toarray(), (member @ matrix.multiply(matrix)).toarray()
        return Sums(count, total, squares, np.zeros(matrix.shape[1]))
    known = ~np.isnan(matrix)
    if center is None:
        center = np.where(known, matrix, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        center[measured.is_share] = 0  # counts are exact
    moved = np.where(known, matrix - center, 0.0)  # sums of squares keep their digits
    return Sums(member @ known.astype(float), member @ moved, member @ moved**2, center)


def _groups(sums: Sums) -> tuple[_Group, _Group]:
    """The samples of each cluster, and the others."""
    own = sums[:3]
    rest = [part.sum(axis=0) - part for part in own]
    return _group(*own, center=sums.center), _group(*rest, center=sums.center)


def _group(count: Array, total: Array, squares: Array, *, center: Array) -> _Group:
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
        around = np.maximum(squares - count * mean**2, 0)
    # What is left after cancellation is rounding.
    around = np.where(around <= 1e-14 * squares, 0, around)
    return _Group(count, mean + center, around)


def _difference_of_means(inside: _Group, outside: _Group) -> tuple[Array, Array]:
    """Hedges' g and its standard error."""
    n = inside.known + outside.known
    difference = inside.mean - outside.mean
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt((inside.squares + outside.squares) / (n - 2))
        effect = np.where(difference == 0, 0.0, difference / spread)
        effect = effect * np.where(n > 3, 1 - 3 / (4 * n - 9), 1.0)
        error = np.sqrt(n / (inside.known * outside.known) + effect**2 / (2 * n))
    return effect, np.where(np.isinf(effect), 0.0, error)


def _difference_of_shares(inside: _Group, outside: _Group) -> tuple[Array, Array]:
    """Cohen's h and its standard error."""
    with np.errstate(invalid="ignore", divide="ignore"):
        angles = [2 * np.arcsin(np.sqrt(np.clip(group.mean, 0, 1))) for group in (inside, outside)]
        return angles[0] - angles[1], np.sqrt(1 / inside.known + 1 / outside.known)


def _test_means(inside: _Group, outside: _Group) -> Array:
    """p-values of Welch's t-test; NaN where a group has fewer than two known values."""
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = [group.squares / (group.known * (group.known - 1)) for group in (inside, outside)]
        variance = parts[0] + parts[1]
        freedom = variance**2 / (
            parts[0] ** 2 / (inside.known - 1) + parts[1] ** 2 / (outside.known - 1)
        )
        difference = np.abs(inside.mean - outside.mean)
        p_value = 2 * stats.t.sf(difference / np.sqrt(variance), freedom)
    p_value = np.where(variance == 0, np.where(difference == 0, 1.0, 0.0), p_value)
    return np.where((inside.known > 1) & (outside.known > 1), p_value, np.nan)


def _test_shares(inside: _Group, outside: _Group) -> Array:
    """p-values of Fisher's exact test, by doubling the smaller tail."""
    with np.errstate(invalid="ignore"):
        ones = [np.rint(np.nan_to_num(group.mean * group.known)) for group in (inside, outside)]
    total, marked = inside.known + outside.known, ones[0] + ones[1]
    lower = stats.hypergeom.cdf(ones[0], total, marked, inside.known)
    upper = stats.hypergeom.sf(ones[0] - 1, total, marked, inside.known)
    p_value = np.minimum(1, 2 * np.minimum(lower, upper))
    return np.where((inside.known > 0) & (outside.known > 0), p_value, np.nan)


def _order(effect: Array, n_top: int | None) -> tuple[Array, Array]:
    """Cluster and column of each row of the table: the largest effects of each cluster first."""
    size = np.nan_to_num(np.abs(effect), nan=-1.0, posinf=np.inf)
    columns = np.argsort(-size, axis=1, kind="stable")[:, :n_top]
    clusters = np.repeat(np.arange(len(effect)), columns.shape[1])
    return clusters, columns.ravel()
