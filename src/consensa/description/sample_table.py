"""A row for each sample: its cluster, and what belongs to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa._optional import require
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.description.clusters import result_of
from consensa.description.outliers import alone_in_most, learn_outlier_rule
from consensa.ensemble.missing import is_missing
from consensa.exceptions import InvalidInputError
from consensa.features import read_features
from consensa.metrics.certainty import confidence_by_rows
from consensa.metrics.rivals import rivals_by_rows

__all__ = ["result_columns", "sample_table"]


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


def result_columns(result: ConsensusResult, outlier: Array | None = None) -> dict[str, Any]:
    """The columns of the table by their names; labels on Dask are loaded."""
    pandas = require("pandas", extra="cli", purpose="A table of the samples")
    labels, ensemble = result.labels, result.ensemble
    n_labels = int(labels.max()) + 1
    confidence = result.confidence
    if confidence is None:
        confidence = confidence_by_rows(ensemble, labels, n_labels)
    rivals = rivals_by_rows(ensemble, labels, n_labels)
    rival = pandas.array(rivals.rival, dtype="Int64")
    rival[is_missing(rivals.rival)] = pandas.NA
    return {
        "cluster": np.asarray(labels),
        "confidence": np.asarray(confidence),
        "rival": rival,
        "rival_share": rivals.share,
        "outlier": alone_in_most(ensemble, labels) if outlier is None else outlier,
    }
