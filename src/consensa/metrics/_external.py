"""The paper's seven scores of a partition against the known classes.

All of them come from the contingency table, whose entry (a, b) counts the samples of
class a in cluster b; no pair of samples is ever looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from consensa._array import Array
from consensa._params import OneOf, check_params
from consensa.ensemble.labels import read_labels
from consensa.exceptions import InvalidInputError

__all__ = [
    "NORMALIZATIONS",
    "accuracy",
    "adjusted_rand_index",
    "ari_of_counts",
    "ari_of_table",
    "clustering_scores",
    "contingency",
    "count_table",
    "nmi_of_table",
    "normalized_mutual_information",
    "pairwise_f1",
    "pairwise_precision",
    "pairwise_recall",
    "purity",
]

NORMALIZATIONS: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "max": max,
    "min": min,
    "geometric": lambda a, b: np.sqrt(a * b),
}


def contingency(y_true: Any, y_pred: Any) -> sparse.coo_array:
    """Sparse table of counts: entry (a, b) is the number of samples of class a in cluster b."""
    true, pred = read_labels(y_true, "y_true"), read_labels(y_pred, "y_pred")
    if true.shape != pred.shape or true.size == 0:
        message = (
            "y_true and y_pred must label the same samples, at least one. "
            f"Got {true.size} and {pred.size} labels."
        )
        raise InvalidInputError(message)
    return count_table(true.astype(np.int64), pred.astype(np.int64))


def count_table(one: Array, other: Array) -> sparse.coo_array:
    """Number of samples in each two clusters of two partitions, which are whole numbers from 0.

    Numbers that do not occur have no row or column.
    """
    width = int(other.max()) + 1
    keys = one * width + other
    if keys.max() <= 4 * keys.size + 64:
        counts = np.bincount(keys)
        found = np.flatnonzero(counts)
        counts = counts[found]
    else:
        found, counts = np.unique(keys, return_counts=True)
    rows = np.unique(found // width, return_inverse=True)[1]
    columns = np.unique(found % width, return_inverse=True)[1]
    return sparse.coo_array((counts, (rows, columns)))


def clustering_scores(
    y_true: Any, y_pred: Any, *, normalization: str = "arithmetic"
) -> dict[str, float]:
    """The seven scores of the paper at once.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.
    normalization : {"arithmetic", "max", "min", "geometric"}, default="arithmetic"
        What the mutual information is divided by. The program of the paper's authors
        divides by the larger entropy, ``"max"``.

    Returns
    -------
    dict of str to float
        Keys ``acc``, ``nmi``, ``purity``, ``ari``, ``f1``, ``precision``, ``recall``.

    See Also
    --------
    accuracy : Best matching accuracy.
    normalized_mutual_information : Mutual information over a mean of the entropies.

    Examples
    --------
    >>> from consensa.metrics import clustering_scores
    >>> scores = clustering_scores(["a", "a", "b", "b"], [1, 1, 1, 0])
    >>> {name: round(value, 3) for name, value in scores.items()}
    {'acc': 0.75, 'nmi': 0.344, 'purity': 0.75, 'ari': 0.0, 'f1': 0.4,
     'precision': 0.333, 'recall': 0.5}
    """
    table = contingency(y_true, y_pred)
    return {
        "acc": _accuracy(table),
        "nmi": nmi_of_table(table, normalization),
        "purity": _purity(table),
        "ari": ari_of_table(table),
        "f1": _f1(table),
        "precision": _precision(table),
        "recall": _recall(table),
    }


def accuracy(y_true: Any, y_pred: Any) -> float:
    r"""Accuracy under the best one-to-one matching of clusters to classes.

    .. math:: \max_\pi \frac{1}{n} \sum_b n_{\pi(b)\, b}.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.

    Returns
    -------
    float
        In (0, 1]; 1 for equal partitions.

    See Also
    --------
    purity : Every cluster may choose its class freely.

    Examples
    --------
    >>> from consensa.metrics import accuracy
    >>> accuracy([0, 0, 1, 1], [1, 1, 1, 0])
    0.75
    """
    return _accuracy(contingency(y_true, y_pred))


def normalized_mutual_information(
    y_true: Any, y_pred: Any, *, normalization: str = "arithmetic"
) -> float:
    r"""Mutual information divided by a mean of the two entropies.

    .. math:: \frac{I(T; P)}{\operatorname{mean}(H(T), H(P))},

    1 where both entropies are zero.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.
    normalization : {"arithmetic", "max", "min", "geometric"}, default="arithmetic"
        Which mean. The program of the paper's authors takes the larger entropy, ``"max"``.

    Returns
    -------
    float
        In [0, 1].

    See Also
    --------
    adjusted_rand_index : Corrected for chance, as this is not.

    Examples
    --------
    >>> from consensa.metrics import normalized_mutual_information
    >>> normalized_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return nmi_of_table(contingency(y_true, y_pred), normalization)


def purity(y_true: Any, y_pred: Any) -> float:
    r"""Share of the samples that belong to the largest class of their cluster.

    .. math:: \frac{1}{n} \sum_b \max_a n_{ab}.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.

    Returns
    -------
    float
        In (0, 1]; 1 for singletons too.

    See Also
    --------
    accuracy : Every class may be chosen once.

    Examples
    --------
    >>> from consensa.metrics import purity
    >>> purity([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    return _purity(contingency(y_true, y_pred))


def adjusted_rand_index(y_true: Any, y_pred: Any) -> float:
    r"""Rand index corrected for chance.

    .. math:: \frac{S - S_T S_P / N}{(S_T + S_P)/2 - S_T S_P / N},

    with :math:`S` the pairs together in both, :math:`S_T` and :math:`S_P` those together in
    each, :math:`N` all pairs.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.

    Returns
    -------
    float
        1 for equal partitions, 0 on average for random ones.

    See Also
    --------
    normalized_mutual_information : The information-theoretic companion.

    Examples
    --------
    >>> from consensa.metrics import adjusted_rand_index
    >>> adjusted_rand_index([0, 0, 1, 1], ["x", "x", "y", "y"])
    1.0
    """
    return ari_of_table(contingency(y_true, y_pred))


def pairwise_precision(y_true: Any, y_pred: Any) -> float:
    """Share of the pairs together in a cluster that are together in a class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.

    Returns
    -------
    float
        In [0, 1]. With no pair in any cluster: 1 if no class holds a pair either, else 0.

    See Also
    --------
    pairwise_recall : Share of the pairs of a class that are together in a cluster.

    Examples
    --------
    >>> from consensa.metrics import pairwise_precision
    >>> pairwise_precision([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    return _precision(contingency(y_true, y_pred))


def pairwise_recall(y_true: Any, y_pred: Any) -> float:
    """Share of the pairs together in a class that are together in a cluster.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.

    Returns
    -------
    float
        In [0, 1]. With no pair in any class: 1 if no cluster holds a pair either, else 0.

    See Also
    --------
    pairwise_precision : Share of the pairs of a cluster that are together in a class.

    Examples
    --------
    >>> from consensa.metrics import pairwise_recall
    >>> pairwise_recall([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    return _recall(contingency(y_true, y_pred))


def pairwise_f1(y_true: Any, y_pred: Any) -> float:
    """Harmonic mean of pairwise precision and recall.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.

    Returns
    -------
    float
        In [0, 1].

    See Also
    --------
    pairwise_precision : Its first part.
    pairwise_recall : Its second part.

    Examples
    --------
    >>> from consensa.metrics import pairwise_f1
    >>> round(pairwise_f1([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.667
    """
    return _f1(contingency(y_true, y_pred))


def _accuracy(table: sparse.coo_array) -> float:
    dense = table.toarray()
    rows, columns = linear_sum_assignment(dense, maximize=True)
    return float(dense[rows, columns].sum() / dense.sum())


def _purity(table: sparse.coo_array) -> float:
    return float(table.max(axis=0).toarray().sum() / table.sum())


def _entropy(counts: Any) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


def nmi_of_table(table: sparse.coo_array, normalization: str) -> float:
    """Normalized mutual information of the two partitions whose contingency table this is."""
    declared = {"normalization": (OneOf(tuple(NORMALIZATIONS)),)}
    check_params("normalized_mutual_information", declared, {"normalization": normalization})
    classes, clusters = _margins(table)
    entropy_true, entropy_pred = _entropy(classes), _entropy(clusters)
    if len(classes) == len(clusters) == 1:
        return 1.0
    # I(T; P) as a divergence, each term exact to rounding: no difference of large entropies.
    n = float(table.sum())
    together = table.data / n
    independent = (classes[table.row] / n) * (clusters[table.col] / n)
    information = float((together * np.log(together / independent)).sum())
    scale = NORMALIZATIONS[normalization](entropy_true, entropy_pred)
    return float(np.clip(information / scale, 0, 1)) if scale > 0 else 0.0


def _margins(table: sparse.coo_array) -> tuple[Any, Any]:
    return np.asarray(table.sum(axis=1)).ravel(), np.asarray(table.sum(axis=0)).ravel()


def _pairs(counts: Any) -> float:
    counts = np.asarray(counts, dtype=np.float64)
    return float((counts * (counts - 1)).sum() / 2)


def _pairs_together(table: sparse.coo_array) -> tuple[float, float, float]:
    """Pairs together in both partitions, in a class, in a cluster."""
    classes, clusters = _margins(table)
    return _pairs(table.data), _pairs(classes), _pairs(clusters)


def ari_of_table(table: sparse.coo_array) -> float:
    """Adjusted Rand index of the two partitions whose contingency table this is."""
    return ari_of_counts(table.data, *_margins(table))


def ari_of_counts(counts: Array, classes: Array, clusters: Array) -> float:
    """Adjusted Rand index from the entries of a contingency table and its two margins."""
    both, true, pred = _pairs(counts), _pairs(classes), _pairs(clusters)
    total = _pairs(classes.sum())
    if both == true == pred:  # equal partitions, one cluster and singletons included
        return 1.0
    expected = true * pred / total
    return float((both - expected) / ((true + pred) / 2 - expected))


def _share(part: float, whole: float, other_whole: float) -> float:
    """Part of the whole; with an empty whole, 1 if the other is empty too and 0 otherwise."""
    return part / whole if whole else float(other_whole == 0)


def _precision(table: sparse.coo_array) -> float:
    both, true, pred = _pairs_together(table)
    return _share(both, pred, true)


def _recall(table: sparse.coo_array) -> float:
    both, true, pred = _pairs_together(table)
    return _share(both, true, pred)


def _f1(table: sparse.coo_array) -> float:
    both, true, pred = _pairs_together(table)
    return _share(2 * both, true + pred, 0)
