"""How far the rows of a file are sorted by class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa.ensemble.labels import read_labels
from consensa.exceptions import InvalidInputError

__all__ = ["ClassRuns", "class_runs"]


class ClassRuns(NamedTuple):
    """Runs of a label vector: stretches of neighboring rows of the same class.

    Attributes
    ----------
    n_runs : int
        Number of runs.
    n_classes : int
        Number of classes: the number of runs if the rows are sorted by class.
    expected : float
        Expected number of runs in a random order of the rows.
    std : float
        Standard deviation of the number of runs in a random order.
    """

    n_runs: int
    n_classes: int
    expected: float
    std: float

    @property
    def sortedness(self) -> float:
        """Share of the way from a random order, 0, to rows sorted by class, 1.

        Negative if neighboring rows differ more often than by chance; 0 for a single class.
        """
        way = self.expected - self.n_classes
        return (self.expected - self.n_runs) / way if way > 0 else 0.0


def class_runs(y: Any) -> ClassRuns:
    r"""Count the runs of equal classes, and how many a random order has.

    A run is a maximal stretch of neighboring rows of the same class. With :math:`n_c` rows of
    class :math:`c` and :math:`n` in all, the expected number of runs in a random order is

    .. math:: 1 + \frac{n^2 - \sum_c n_c^2}{n},

    the variance is that of Wald and Wolfowitz for several classes [1]_, and rows that are sorted
    by class have as many runs as classes.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class of each row, of any type, in the order of the file.

    Returns
    -------
    ClassRuns
        Named tuple (n_runs, n_classes, expected, std), with the property ``sortedness``: 1 for
        rows sorted by class, about 0 for a random order.

    See Also
    --------
    order_information : The same question to the partitions, without the classes.
    audit_order : Whether the result of a method depends on the order.

    References
    ----------
    .. [1] A. M. Mood, "The distribution theory of runs", Annals of Mathematical Statistics 11(4),
       1940. :doi:`10.1214/aoms/1177731825`

    Examples
    --------
    >>> from consensa.metrics import class_runs
    >>> found = class_runs(["a", "a", "b", "b", "b", "c"])
    >>> found.n_runs, round(found.expected, 2), found.sortedness
    (3, 4.67, 1.0)
    >>> round(class_runs(["a", "b", "a", "b", "c", "b"]).sortedness, 2)
    -0.8
    """
    labels = read_labels(y, "y")
    if len(labels) == 0:
        message = "y must have at least one row. Got none."
        raise InvalidInputError(message)
    n, sizes = len(labels), np.bincount(labels).astype(np.float64)
    squares, cubes = float(np.sum(sizes**2)), float(np.sum(sizes**3))
    variance = 0.0
    if n > 1:
        variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))
    return ClassRuns(
        n_runs=1 + int(np.count_nonzero(labels[1:] != labels[:-1])),
        n_classes=len(sizes),
        expected=1 + (n**2 - squares) / n,
        std=float(np.sqrt(max(variance, 0.0))),
    )
