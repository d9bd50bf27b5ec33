"""Compare the results of several methods on one ensemble."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.progress import track
from consensa._params import Declaration, Integer, RandomState, check_params
from consensa.consensus.base import BaseConsensus
from consensa.consensus.catalogue import find_methods, read_method
from consensa.ensemble import Ensemble
from consensa.ensemble.labels import read_labels
from consensa.exceptions import (
    ConsensaWarning,
    InvalidInputError,
    InvalidParameterError,
    MissingExtraError,
    NotEnoughMemoryError,
)
from consensa.metrics import clustering_scores, partition_similarity
from consensa.metrics.certainty import pair_counts

__all__ = ["MethodComparison", "compare_methods", "sample_disagreement"]


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Results of several methods on one ensemble.

    Attributes
    ----------
    names : tuple of str
        Methods that ran.
    labels : ndarray of shape (n_samples, n_methods)
        Labels of each method, one column each, numbered in order of first appearance.
    agreement : ndarray of shape (n_methods, n_methods)
        Adjusted Rand index between the labels of the methods.
    disagreement : ndarray of shape (n_samples,)
        Disagreement of the methods on each sample; see `sample_disagreement`.
    seconds : ndarray of shape (n_methods,)
        Run time of each method.
    scores : tuple of dict, or None
        The seven scores of each method against the truth, if given.
    failures : mapping of str to str
        Methods that could not run, with the reason.
    notes : mapping of str to tuple of str
        Warnings of each method.
    ensemble : Ensemble
        The partitions that were combined.
    """

    names: tuple[str, ...]
    labels: Array
    agreement: Array
    disagreement: Array
    seconds: Array
    scores: tuple[dict[str, float], ...] | None
    failures: Mapping[str, str]
    notes: Mapping[str, tuple[str, ...]]
    ensemble: Ensemble = field(repr=False)

    @property
    def most_typical(self) -> str:
        """The method with the largest mean agreement with the others."""
        return self.names[int(np.argmax(self.agreement.sum(axis=1)))]


def compare_methods(
    labels: Any,
    n_clusters: int,
    *,
    methods: Iterable[Any] | None = None,
    truth: Any = None,
    random_state: Any = None,
) -> MethodComparison:
    """Run several methods on the same base partitions and compare their results.

    Parameters
    ----------
    labels : Ensemble or label matrix
        Base partitions.
    n_clusters : int
        Number of clusters.
    methods : iterable of names or estimators, or None, default=None
        Methods to run; None is every method that is order-free and accepts missing labels.
    truth : array-like of shape (n_samples,) or None, default=None
        Known classes, to score the labels.
    random_state : int, RandomState instance or None, default=None
        Seed, the same for every method.

    Returns
    -------
    MethodComparison
        Labels, agreement, disagreement, run times, scores, and methods that could not run.

    Raises
    ------
    InvalidInputError
        If no method could run; the message gives the reasons.

    See Also
    --------
    select_n_clusters : Select the number of clusters.

    Examples
    --------
    >>> from consensa import compare_methods
    >>> labels = [[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> found = compare_methods(labels, 2, methods=["EAC", "HBGF"], random_state=0)
    >>> found.names
    ('EAC', 'HBGF')
    >>> found.agreement
    array([[1., 1.],
           [1., 1.]])
    """
    declared: Declaration = {"n_clusters": (Integer(1),), "random_state": (RandomState(),)}
    given = {"n_clusters": n_clusters, "random_state": random_state}
    check_params("compare_methods", declared, given)
    ensemble = Ensemble.from_labels(labels)
    classes = None if truth is None else _read_truth(truth, ensemble.n_samples)
    seed = _one_seed(random_state)
    answers, failures, notes, seconds = {}, {}, {}, {}
    chosen = _read_methods(methods)
    with track("methods", len(chosen)) as advance:
        for name, model in chosen.items():
            model.set_params(n_clusters=n_clusters, random_state=seed)
            started = time.perf_counter()
            try:
                answers[name], notes[name] = _run(model, ensemble)
            except (InvalidInputError, MissingExtraError, NotEnoughMemoryError) as error:
                failures[name] = str(error)
            seconds[name] = time.perf_counter() - started
            advance()
    if not answers:
        reasons = " ".join(f"{name}: {reason}" for name, reason in failures.items())
        message = f"No method could run on these partitions. {reasons}"
        raise InvalidInputError(message)
    columns = np.stack(list(answers.values()), axis=1)
    compared = Ensemble.from_labels(columns)
    return MethodComparison(
        names=tuple(answers),
        labels=columns,
        agreement=partition_similarity(compared),
        disagreement=sample_disagreement(compared),
        seconds=np.array([seconds[name] for name in answers]),
        scores=None if classes is None else _scores(classes, columns),
        failures=failures,
        notes={name: said for name, said in notes.items() if said},
        ensemble=ensemble,
    )


def sample_disagreement(partitions: Any) -> Array:
    r"""Disagreement of several partitions on each sample.

    .. math:: d_i = \binom{q}{2}^{-1} \sum_{a < b}
              1 - \frac{|C_a(i) \cap C_b(i)|}{|C_a(i) \cup C_b(i)|},

    where :math:`C_a(i)` is the cluster of sample :math:`i` in the :math:`a`-th of :math:`q`
    partitions: the mean Jaccard distance between its clusters.

    Parameters
    ----------
    partitions : array-like of shape (n_samples, n_partitions)
        Complete partitions, such as the labels of several methods.

    Returns
    -------
    ndarray of shape (n_samples,)
        In [0, 1); 0 if the cluster of the sample is the same in all partitions.

    See Also
    --------
    compare_methods : Run several methods.

    Examples
    --------
    >>> from consensa.selection import sample_disagreement
    >>> sample_disagreement([[0, 0], [0, 0], [1, 0], [1, 1]])
    array([0.33333333, 0.33333333, 0.75      , 0.5       ])
    """
    columns = Ensemble.from_labels(partitions)
    if columns.has_missing:
        message = (
            f"partitions must be complete. {columns.n_missing} of {columns.codes.size} labels are "
            f"missing."
        )
        raise InvalidInputError(message)
    codes = columns.codes.astype(np.int64)
    distance = np.zeros(len(codes))
    pairs = list(combinations(range(codes.shape[1]), 2))
    for a, b in pairs:
        distance += _jaccard_distance(codes[:, a], codes[:, b])
    return distance / max(len(pairs), 1)


def _jaccard_distance(one: Array, other: Array) -> Array:
    shared = pair_counts(one, other)
    union = np.bincount(one)[one] + np.bincount(other)[other] - shared
    return np.asarray(1 - shared / union)


def _run(model: BaseConsensus, ensemble: Ensemble) -> tuple[Array, tuple[str, ...]]:
    """Labels of the method, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConsensaWarning)
        labels = model.fit(ensemble).labels_
    said = [str(w.message) for w in caught if issubclass(w.category, ConsensaWarning)]
    return labels, tuple(dict.fromkeys(said))


def _read_methods(methods: Iterable[Any] | None) -> dict[str, BaseConsensus]:
    """Unfitted estimators, by unique names."""
    if methods is None:
        safe = (e for e in find_methods().values() if e.info.order_free and e.info.missing)
        return {estimator.__name__: estimator() for estimator in safe}
    given = [methods] if isinstance(methods, (str, BaseConsensus, type)) else list(methods)
    chosen: dict[str, BaseConsensus] = {}
    for method in given:
        model = read_method(method, owner="compare_methods")
        name = type(model).__name__
        taken = sum(other.partition(" ")[0] == name for other in chosen)
        chosen[f"{name} {taken + 1}" if taken else name] = model
    if not chosen:
        message = "The 'methods' parameter of compare_methods must list at least one. Got none."
        raise InvalidParameterError(message)
    return chosen


def _read_truth(truth: Any, n_samples: int) -> Array:
    classes = read_labels(truth, "truth")
    if len(classes) != n_samples:
        message = (
            f"truth must have one entry for each of the {n_samples} samples. Got {len(classes)}."
        )
        raise InvalidInputError(message)
    return classes


def _one_seed(random_state: Any) -> Any:
    """A seed that gives every method the same random numbers."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return random_state


def _scores(classes: Array, columns: Array) -> tuple[dict[str, float], ...]:
    return tuple(clustering_scores(classes, column) for column in columns.T)
