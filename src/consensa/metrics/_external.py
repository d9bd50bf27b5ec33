"""The paper's seven scores of a partition against the known classes.

scikit-learn computes what it has; labels of any type are read here first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix

from consensa._array import Array
from consensa._docs import SCORE, documented
from consensa._params import OneOf, check_params
from consensa.ensemble.labels import read_labels
from consensa.exceptions import InvalidInputError

__all__ = [
    "NORMALIZATIONS",
    "accuracy",
    "adjusted_rand_index",
    "clustering_scores",
    "normalized_mutual_information",
    "pairwise_f1",
    "pairwise_precision",
    "pairwise_recall",
    "purity",
]

NORMALIZATIONS = ("arithmetic", "max", "min", "geometric")


@documented(SCORE)
def clustering_scores(
    y_true: Any, y_pred: Any, *, normalization: str = "arithmetic"
) -> dict[str, float]:
    """The seven scores of the paper at once.

    Parameters
    ----------
    %(y_true)s
    %(y_pred)s
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
    true, pred = _read(y_true, y_pred)
    pairs = pair_confusion_matrix(true, pred)
    return {
        "acc": _accuracy(true, pred),
        "nmi": _nmi(true, pred, normalization),
        "purity": _purity(true, pred),
        "ari": float(adjusted_rand_score(true, pred)),
        "f1": _f1(pairs),
        "precision": _precision(pairs),
        "recall": _recall(pairs),
    }


@documented(SCORE)
def accuracy(y_true: Any, y_pred: Any) -> float:
    r"""Accuracy under the best one-to-one matching of clusters to classes.

    .. math:: \max_\pi \frac{1}{n} \sum_b n_{\pi(b)\, b}.

    Parameters
    ----------
    %(y_true)s
    %(y_pred)s

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
    return _accuracy(*_read(y_true, y_pred))


@documented(SCORE)
def normalized_mutual_information(
    y_true: Any, y_pred: Any, *, normalization: str = "arithmetic"
) -> float:
    r"""Mutual information divided by a mean of the two entropies.

    .. math:: \frac{I(T; P)}{\operatorname{mean}(H(T), H(P))},

    1 where both entropies are zero.

    Parameters
    ----------
    %(y_true)s
    %(y_pred)s
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
    return _nmi(*_read(y_true, y_pred), normalization)


@documented(SCORE)
def purity(y_true: Any, y_pred: Any) -> float:
    r"""Share of the samples that belong to the largest class of their cluster.

    .. math:: \frac{1}{n} \sum_b \max_a n_{ab}.

    Parameters
    ----------
    %(y_true)s
    %(y_pred)s

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
    return _purity(*_read(y_true, y_pred))


@documented(SCORE)
def adjusted_rand_index(y_true: Any, y_pred: Any) -> float:
    r"""Rand index corrected for chance.

    .. math:: \frac{S - S_T S_P / N}{(S_T + S_P)/2 - S_T S_P / N},

    with :math:`S` the pairs together in both, :math:`S_T` and :math:`S_P` those together in
    each, :math:`N` all pairs.

    Parameters
    ----------
    %(y_true)s
    %(y_pred)s

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
    return float(adjusted_rand_score(*_read(y_true, y_pred)))


@documented(SCORE)
def pairwise_precision(y_true: Any, y_pred: Any) -> float:
    """Share of the pairs together in a cluster that are together in a class.

    Parameters
    ----------
    %(y_true)s
    %(y_pred)s

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
    return _precision(_pairs(y_true, y_pred))


@documented(SCORE)
def pairwise_recall(y_true: Any, y_pred: Any) -> float:
    """Share of the pairs together in a class that are together in a cluster.

    Parameters
    ----------
    %(y_true)s
    %(y_pred)s

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
    return _recall(_pairs(y_true, y_pred))


@documented(SCORE)
def pairwise_f1(y_true: Any, y_pred: Any) -> float:
    """Harmonic mean of pairwise precision and recall.

    Parameters
    ----------
    %(y_true)s
    %(y_pred)s

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
    return _f1(_pairs(y_true, y_pred))


def _read(y_true: Any, y_pred: Any) -> tuple[Array, Array]:
    """Both as whole numbers from 0."""
    true, pred = read_labels(y_true, "y_true"), read_labels(y_pred, "y_pred")
    if true.shape != pred.shape or true.size == 0:
        message = (
            "y_true and y_pred must label the same samples, at least one. "
            f"Got {true.size} and {pred.size} labels."
        )
        raise InvalidInputError(message)
    return true, pred


def _accuracy(true: Array, pred: Array) -> float:
    table = contingency_matrix(true, pred)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / true.size)


def _purity(true: Array, pred: Array) -> float:
    table = contingency_matrix(true, pred, sparse=True)
    return float(table.max(axis=0).sum() / true.size)


def _nmi(true: Array, pred: Array, normalization: str) -> float:
    declared = {"normalization": (OneOf(NORMALIZATIONS),)}
    check_params("normalized_mutual_information", declared, {"normalization": normalization})
    score = normalized_mutual_info_score(true, pred, average_method=normalization)
    return float(np.clip(score, 0, 1))  # beyond by rounding


def _pairs(y_true: Any, y_pred: Any) -> Array:
    """Numbers of ordered pairs of samples.

    [1, 1] are together in both partitions, [1, 0] in y_true only, [0, 1] in y_pred only.
    """
    return np.asarray(pair_confusion_matrix(*_read(y_true, y_pred)))


def _precision(pairs: Array) -> float:
    return _share(pairs[1, 1], pairs[0, 1], pairs[1, 0])


def _recall(pairs: Array) -> float:
    return _share(pairs[1, 1], pairs[1, 0], pairs[0, 1])


def _f1(pairs: Array) -> float:
    return _share(2 * pairs[1, 1], pairs[1, 0] + pairs[0, 1], 0)


def _share(both: int, other: int, elsewhere: int) -> float:
    """Both of both and other; where there is neither, 1 if there is nothing elsewhere either."""
    whole = both + other
    return float(both / whole) if whole else float(elsewhere == 0)
