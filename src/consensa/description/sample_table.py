"""A row for each sample: its cluster, and what belongs to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa._optional import require
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.description.clusters import result_of
from consensa.description.outliers import (
    MOST_PARTITIONS,
    AloneIn,
    alone_in_most,
    learn_outlier_rule,
)
from consensa.ensemble.deferred import RowValues
from consensa.ensemble.missing import is_missing
from consensa.exceptions import InvalidInputError
from consensa.features import read_features
from consensa.metrics.certainty import confidence_by_rows
from consensa.metrics.rivals import rival_finder, rivals_by_rows

__all__ = ["ColumnsInBlocks", "result_columns", "rounded", "sample_table"]

_DIGITS = 6  # of confidence and shares in files


def sample_table(result: Any, X: Any = None) -> Any:
    """Cluster, confidence, rival and outlier mark of each sample.

    Parameters
    ----------
    result : ConsensusResult or fitted estimator
        The clusters.
    X : array-like, frame, sparse matrix or None, default=None
        Features of the samples, to find outliers; None looks at the base partitions only.

    Returns
    -------
    pandas.DataFrame
        A row for each sample, with the sample names as index. Columns: ``cluster``;
        ``confidence``, the support of the base partitions for it; ``rival``, the other cluster
        that they support most, or missing; ``rival_share``, the support for that; ``outlier``,
        whether the sample fits no cluster. Outliers keep their cluster.

    See Also
    --------
    consensa.metrics.sample_rivals : The rivals.
    cluster_profiles : What sets the clusters apart.

    Notes
    -----
    With `X`, a sample is an outlier if the distance to its fifth nearest sample is more than the
    third quartile plus three interquartile ranges of the logarithms of these distances in its
    cluster, and more than twice their median. Without `X`, it is one if most base partitions
    leave it alone in its cluster.

    Examples
    --------
    >>> import consensa as cs
    >>> result = cs.combine([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]], 2)
    >>> cs.sample_table(result).round(2)
       cluster  confidence  rival  rival_share  outlier
    0        0        0.83      1         0.17    False
    1        0        0.83      1         0.17    False
    2        1        0.67      0         0.33    False
    3        1        1.00   <NA>         0.00    False
    4        1        1.00   <NA>         0.00    False
    """
    pandas = require("pandas", extra="cli", purpose="sample_table")
    fitted = result_of(result)
    if fitted is None:
        message = (
            f"sample_table needs a ConsensusResult or a fitted consensus estimator. Got "
            f"{type(result).__name__}."
        )
        raise InvalidInputError(message)
    outlier = None
    if X is not None:
        features = read_features(X)
        if features.n_samples != len(fitted.labels):
            message = (
                f"X must have a row for each of the {len(fitted.labels)} samples of the result. "
                f"Got {features.n_samples} rows."
            )
            raise InvalidInputError(message)
        outlier = learn_outlier_rule(features, fitted.labels, rng=random_source(0))[1]
    columns = result_columns(fitted, outlier)
    return pandas.DataFrame(columns, index=fitted.ensemble.sample_names)


class ColumnsInBlocks:
    """The columns of the table of a result whose labels are not kept, block by block of rows.

    Parameters
    ----------
    result : ConsensusResult
        A result of features on disk, whose labels are computed when they are read.
    """

    def __init__(self, result: ConsensusResult) -> None:
        self.labels, self.confidence = result.labels, result.confidence
        self.rows: Any = result.ensemble.rows
        n_labels, sizes = result.n_clusters, result.ensemble.cluster_sizes
        self.sizes = self.rows.meetings(self.labels, n_labels)[-1]
        self.rivals = rival_finder(result.ensemble, self.labels, n_labels)
        self.alone = AloneIn(sizes)

    def read(self, start: int, stop: int) -> dict[str, Any]:
        """The columns of a range of rows, by their names."""
        ids, where = self.rows.ids(start, stop), slice(start, stop)
        labels = _of(self.labels, ids, where)
        rivals = self.rivals(ids, labels)
        alone = self.alone(ids, labels) > MOST_PARTITIONS
        return {
            "cluster": labels,
            "confidence": _of(self.confidence, ids, where),
            "rival": _with_gaps(rivals.rival),
            "rival_share": rivals.share,
            "outlier": alone & (self.sizes[labels] > 1),
        }


def _of(values: Any, ids: Array, where: slice) -> Array:
    return values.of(ids, where) if isinstance(values, RowValues) else values[where]


def _with_gaps(rivals: Array) -> Any:
    """Rivals as pandas holds them, with none where there is none."""
    pandas = require("pandas", extra="cli", purpose="A table of the samples")
    rival = pandas.array(rivals, dtype="Int64")
    rival[is_missing(rivals)] = pandas.NA
    return rival


def result_columns(result: ConsensusResult, outlier: Array | None = None) -> dict[str, Any]:
    """The columns of the table by their names; labels on Dask are loaded."""
    labels, ensemble = result.labels, result.ensemble
    n_labels = int(labels.max()) + 1
    confidence = result.confidence
    if confidence is None:
        confidence = confidence_by_rows(ensemble, labels, n_labels)
    rivals = rivals_by_rows(ensemble, labels, n_labels)
    return {
        "cluster": np.asarray(labels),
        "confidence": np.asarray(confidence),
        "rival": _with_gaps(rivals.rival),
        "rival_share": rivals.share,
        "outlier": alone_in_most(ensemble, labels) if outlier is None else outlier,
    }


def rounded(columns: Any) -> Any:
    """The columns of a result as they are written: proportions in six digits."""
    return columns.round({"confidence": _DIGITS, "rival_share": _DIGITS})
