"""Effect of the order of the rows on a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.base import clone

from consensa._array import Array, is_array, namespace, to_library
from consensa._machine.progress import track
from consensa._params import Declaration, Integer, RandomState, check_params
from consensa._random import random_source
from consensa.ensemble import Ensemble
from consensa.ensemble.labels import as_frame
from consensa.features import Features
from consensa.metrics._external import adjusted_rand_index

__all__ = [
    "order_sensitivity",
    "shuffled_answers",
]


def order_sensitivity(
    estimator: Any, labels: Any, n_permutations: int = 5, random_state: Any = None
) -> Array:
    """Agreement between the labels for the given order and for shuffled orders of the rows.

    The estimator is fitted on the rows as they are and on shuffled copies; the labels
    are put back into the given order and compared.

    Parameters
    ----------
    estimator : estimator with ``fit_predict``
        The estimator to examine; it is cloned, not changed. If it draws random numbers, set an
        integer `random_state`, so that only the order changes.
    labels : array-like, frame, sparse matrix or Ensemble
        Input of the estimator: a label matrix, or features if it takes features.
    n_permutations : int, default=5
        Number of shuffled orders to try.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffles.

    Returns
    -------
    ndarray of shape (n_permutations,)
        Adjusted Rand index with the labels for the given order, for each shuffle: 1 if
        the order does not matter.

    See Also
    --------
    order_information : The order information of the data, before any method is run.

    Examples
    --------
    >>> from consensa import EAC
    >>> from consensa.metrics import order_sensitivity
    >>> labels = [[0, 0], [0, 0], [1, 1], [1, 2], [1, 2]]
    >>> order_sensitivity(EAC(2, generator="precomputed"), labels, random_state=0)
    array([1., 1., 1., 1., 1.])
    """
    declared: Declaration = {"n_permutations": (Integer(1),), "random_state": (RandomState(),)}
    values = {"n_permutations": n_permutations, "random_state": random_state}
    check_params("order_sensitivity", declared, values)
    given = clone(estimator).fit_predict(labels)
    answers = shuffled_answers(
        estimator, labels, len(given), n_permutations, random_source(random_state)
    )
    return np.array([adjusted_rand_index(given, answer) for answer in answers])


def shuffled_answers(
    estimator: Any, rows: Any, n_samples: int, n_permutations: int, rng: np.random.RandomState
) -> Iterator[Array]:
    """Answers of fresh estimators on shuffled rows, each put back into the given order."""
    in_order = _reordering(rows)
    with track("shuffled orders", n_permutations) as advance:
        for _ in range(n_permutations):
            order = rng.permutation(n_samples)
            shuffled = np.asarray(clone(estimator).fit_predict(in_order(order)))
            answer = np.empty_like(shuffled)
            answer[order] = shuffled
            yield answer
            advance()


def _reordering(rows: Any) -> Callable[[Array], Any]:
    """What gives `rows` in another order, as the same kind of thing."""
    if isinstance(rows, Features):
        return rows.take
    if isinstance(rows, Ensemble):
        return lambda order: Ensemble.from_labels(to_library(rows.codes[order], like=rows.labels))
    frame = as_frame(rows, "rows")
    if frame is not None:
        if isinstance(getattr(nw.maybe_get_index(frame), "start", None), int):
            # pandas numbered the rows itself: their numbers would tell the given order.
            return lambda order: nw.maybe_reset_index(frame[order.tolist(), :]).to_native()
        return lambda order: frame[order.tolist(), :].to_native()
    if sparse.issparse(rows):
        by_row = rows.tocsr()  # not every format can be indexed
        return lambda order: by_row[order].asformat(rows.format)
    if is_array(rows):
        xp = namespace(rows)
        return lambda order: xp.take(rows, to_library(order, like=rows), axis=0)
    return lambda order: [rows[i] for i in order]
