"""Whether a result depends on the order of the rows more than on the seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import permutation_test
from sklearn.base import clone

from consensa._array import Array
from consensa._machine.progress import track
from consensa._params import Declaration, Integer, NoneType, check_params
from consensa._random import random_source
from consensa.exceptions import InvalidParameterError
from consensa.metrics._external import adjusted_rand_index
from consensa.metrics._function_clusterer import FunctionClusterer, rows_for_function
from consensa.metrics._global_seed import GloballySeeded
from consensa.metrics._order import shuffled_answers
from consensa.metrics.spectrum import is_slight

__all__ = ["OrderAudit", "audit_order"]

_SAME = 1 - 1e-12  # agreement of equal partitions, up to rounding
_CHANCE_BELOW = 0.05  # p-value from which a difference counts as one
_RESAMPLES = 9999
_N_SEEDS = 2**32


@dataclass(frozen=True)
class OrderAudit:
    """Result of `audit_order`.

    All labels are in the given order of the rows.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Labels for the rows as given, with the given seed.
    shuffled_labels : ndarray of shape (n_shuffles, n_samples)
        Labels for shuffled rows, with the given seed.
    reseeded_labels : ndarray of shape (n_seeds, n_samples)
        Labels for the rows as given, with other seeds.
    between_orders : ndarray of shape (n_shuffles,)
        Adjusted Rand index between `labels` and each of `shuffled_labels`.
    between_seeds : ndarray of shape (n_seeds,)
        Adjusted Rand index between `labels` and each of `reseeded_labels`.

    Attributes
    ----------
    p_value : float
        The p-value of a permutation test: shuffles change the labels more than other seeds do.
    finding : str
        Effect of the order: ``"none"``, ``"chance"``, ``"slight"`` or ``"strong"``.
    verdict : str
        The finding in words.

    See Also
    --------
    audit_order : The function that returns it.

    Examples
    --------
    Two orders that change nothing, and two that do:

    >>> import numpy as np
    >>> from consensa.metrics import OrderAudit
    >>> labels, same = np.array([0, 0, 1, 1]), np.array([[0, 0, 1, 1]] * 2)
    >>> OrderAudit(labels, same, same[:0], np.ones(2), np.ones(0)).finding
    'none'
    >>> other = np.array([[0, 1, 0, 1]] * 2)
    >>> OrderAudit(labels, other, same[:0], np.array([-0.5, -0.5]), np.ones(0)).finding
    'strong'
    """

    labels: Array
    shuffled_labels: Array
    reseeded_labels: Array
    between_orders: Array
    between_seeds: Array

    @cached_property
    def p_value(self) -> float:
        """The p-value of a permutation test: shuffles change the labels more than other seeds do.

        The statistic is the difference of the means. If a new order has no larger effect than
        a new seed, the two kinds of agreement can be exchanged.
        """
        if np.min(self.between_orders) >= _SAME:
            return 1.0
        if len(self.between_seeds) == 0 or np.min(self.between_seeds) >= _SAME:
            return 0.0  # the seeds change nothing, so every difference is due to the order
        both = np.concatenate([self.between_orders, self.between_seeds])
        if len(self.between_orders) == 1:  # the test below needs two of each
            return float(np.mean(both <= self.between_orders[0]))
        if len(self.between_seeds) == 1:
            return float(np.mean(both >= self.between_seeds[0]))
        test = permutation_test(
            (self.between_seeds, self.between_orders),
            lambda seeds, orders, axis: np.mean(seeds, axis=axis) - np.mean(orders, axis=axis),
            vectorized=True,
            alternative="greater",
            n_resamples=_RESAMPLES,
            random_state=np.random.RandomState(0),
        )
        return float(test.pvalue)

    @cached_property
    def finding(self) -> str:
        """One of ``"none"``, ``"chance"``, ``"slight"`` and ``"strong"``: the effect of the order.

        ``"none"``: every order gave the same clusters. ``"chance"``: the clusters differ, but
        not significantly more between orders than between seeds. ``"slight"`` and ``"strong"``:
        they differ more, by up to 0.05 of the adjusted Rand index or by more.
        """
        if np.min(self.between_orders) >= _SAME:
            return "none"
        if self.p_value > _CHANCE_BELOW:
            return "chance"
        return "slight" if is_slight(self._cost) else "strong"

    @property
    def verdict(self) -> str:
        """The finding in words."""
        return _VERDICTS[self.finding].format(
            n=len(self.between_orders),
            orders=float(np.mean(self.between_orders)),
            seeds=self._seed_agreement,
            compared=(
                f"{self._seed_agreement:.2f} with another seed"
                if len(self.between_seeds)
                else "and nothing else was changed"
            ),
            least=float(np.min(self.between_orders)),
            p=self.p_value,
        )

    @property
    def _seed_agreement(self) -> float:
        return float(np.mean(self.between_seeds)) if len(self.between_seeds) else 1.0

    @property
    def _cost(self) -> float:
        return self._seed_agreement - float(np.mean(self.between_orders))


_VERDICTS = {
    "none": "The result does not depend on the order of the rows: {n} shuffled orders gave the "
    "same clusters.",
    "chance": "The result depends on chance. No effect of the order of the rows was found beyond "
    "that: mean agreement with the given order is {orders:.2f} after shuffling, {seeds:.2f} with "
    "another seed (p = {p:.3f}).",
    "slight": "The result depends slightly on the order of the rows: mean agreement with the "
    "given order is {orders:.2f} after shuffling, {compared}; the lowest agreement of {n} "
    "shuffles is {least:.2f}.",
    "strong": "The result depends on the order of the rows: mean agreement with the given order "
    "is {orders:.2f} after shuffling, {compared}. The same samples in another order would have "
    "been assigned to other clusters.",
}


def audit_order(
    estimator: Any,
    rows: Any,
    *,
    n_clusters: int | None = None,
    n_shuffles: int = 10,
    n_seeds: int | None = None,
    random_state: int = 0,
) -> OrderAudit:
    """Compare the effect of the order of the rows with the effect of the seed.

    A method that draws random numbers gives different labels on shuffled rows even if it does
    not use their order. Therefore the agreement between orders is compared with the agreement
    between seeds: both are computed with the labels for the given order and the given seed.

    Parameters
    ----------
    estimator : estimator with ``fit_predict``, or function
        The estimator to examine; it is cloned, not changed. Or a function
        ``f(rows, n_clusters) -> labels``, which is called with the rows of each order. It gets a
        copy, which it may change. If it returns a pandas series with the index of the rows, its
        labels belong to the rows that the index names.
    rows : array-like, frame, sparse matrix or Ensemble
        Input of the estimator: features, or a label matrix if it takes one. A function gets the
        labels of an `Ensemble` as integers from 0, with -1 for missing ones, a list as an array,
        and anything else as it is. Rows that pandas numbered itself are numbered anew in each
        order; other indices stay with their rows.
    n_clusters : int or None, default=None
        Number of clusters that a function gets; an estimator has its own.
    n_shuffles : int, default=10
        Number of shuffled orders to try; with fewer than 3, and as many seeds, no difference
        from the seeds can be significant.
    n_seeds : int or None, default=None
        Number of other seeds to try. None is `n_shuffles` for a function, and if the estimator
        has a `random_state`; without one, the estimator is fitted once more to the rows as given,
        and None is `n_shuffles` if the clusters differ, and else 0. Use 0 if no random numbers
        are drawn. A function gets the seed as `random_state` if it has this parameter. For each
        call of a function, and each fit of an estimator without `random_state`, the global
        generators of NumPy and Python are seeded with it and restored afterwards.
    random_state : int, default=0
        Seed of the shuffles, and of the estimator; the other seeds are those that follow.

    Returns
    -------
    OrderAudit
        Labels, agreements, and the verdict in words.

    See Also
    --------
    order_sensitivity : The agreement between orders alone.
    order_information : The order information of the data, before any method is run.

    Examples
    --------
    >>> from consensa import EAC
    >>> from consensa.metrics import audit_order
    >>> labels = [[0, 0], [0, 0], [1, 1], [1, 2], [1, 2]]
    >>> audit = audit_order(EAC(2, generator="precomputed"), labels, n_shuffles=5)
    >>> audit.finding
    'none'
    >>> print(audit.verdict)
    The result does not depend on the order of the rows: 5 shuffled orders gave the same clusters.

    A function that cuts the file in two, whatever is in it:

    >>> def halves(labels, n_clusters):
    ...     return [row < len(labels) / 2 for row in range(len(labels))]
    >>> audit_order(halves, labels, n_clusters=2, n_shuffles=5).finding
    'strong'
    """
    declared: Declaration = {
        "n_shuffles": (Integer(1),),
        "n_seeds": (Integer(0), NoneType()),
        "random_state": (Integer(0),),
    }
    values = {"n_shuffles": n_shuffles, "n_seeds": n_seeds, "random_state": random_state}
    check_params("audit_order", declared, values)
    estimator = _as_estimator(estimator, n_clusters)
    if isinstance(estimator, FunctionClusterer):
        rows = rows_for_function(rows)
    seeded = "random_state" in estimator.get_params(deep=False)
    if not seeded:
        estimator = GloballySeeded(estimator)

    def with_seed(seed: int) -> Any:
        return clone(estimator).set_params(random_state=seed % _N_SEEDS)

    def reseeded_answer(number: int) -> Array:
        return np.asarray(with_seed(random_state + number).fit_predict(rows))

    given = reseeded_answer(0)
    if n_seeds is None:
        draws = seeded or adjusted_rand_index(given, reseeded_answer(1)) < _SAME
        n_seeds = n_shuffles if draws else 0
    rng = random_source(random_state)
    shuffled = _stacked(
        shuffled_answers(with_seed(random_state), rows, len(given), n_shuffles, rng), given
    )
    others = []
    with track("other seeds", n_seeds) as advance:
        for following in range(1, n_seeds + 1):
            others.append(reseeded_answer(following))
            advance()
    reseeded = _stacked(others, given)
    return OrderAudit(
        given, shuffled, reseeded, _agreement(given, shuffled), _agreement(given, reseeded)
    )


def _as_estimator(given: Any, n_clusters: int | None) -> Any:
    """The estimator itself, or one that calls the function."""
    is_estimator = hasattr(given, "fit_predict")
    is_class = is_estimator and isinstance(given, type)
    no_parameters = is_estimator and not hasattr(given, "get_params")
    if is_class or no_parameters or not (is_estimator or callable(given)):
        came = f"the class {given.__name__}, not an object of it" if is_class else repr(given)
        message = (
            "The 'estimator' parameter of audit_order must be an estimator with fit_predict and "
            f"get_params, or a function f(rows, n_clusters) -> labels. Got {came}."
        )
        raise InvalidParameterError(message)
    if is_estimator == (n_clusters is not None):
        wanted = "None for an estimator, which has its own" if is_estimator else (
            "given with a function, which gets it"
        )  # fmt: skip
        message = (
            f"The 'n_clusters' parameter of audit_order must be {wanted}. Got {n_clusters!r}."
        )
        raise InvalidParameterError(message)
    if is_estimator:
        return given
    declared: Declaration = {"n_clusters": (Integer(1),)}
    check_params("audit_order", declared, {"n_clusters": n_clusters})
    return FunctionClusterer(given, int(n_clusters or 1))


def _stacked(answers: Iterable[Array], like: Array) -> Array:
    rows = list(answers)
    return np.stack(rows) if rows else np.empty((0, len(like)), like.dtype)


def _agreement(given: Array, answers: Array) -> Array:
    return np.array([adjusted_rand_index(given, answer) for answer in answers])
