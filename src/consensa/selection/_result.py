"""The recommended number of clusters, and the evidence for each candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from consensa._array import Array
from consensa._optional import require
from consensa._result import ConsensusResult
from consensa.ensemble import Ensemble

__all__ = ["SelectionResult"]

_SHOWN = 5  # numbers that print shows


@dataclass(frozen=True, eq=False)
class SelectionResult:
    """Recommended number of clusters, and the evidence for each candidate.

    Attributes
    ----------
    n_clusters : int
        The recommended number; 1 if there is no evidence of clusters.
    answer : {"clear", "several", "unclear", "one", "unknown"}
        Whether one number stands out, a few do or none, the data show one cluster, or the
        partitions cannot tell. "unclear" with `n_clusters` 1: one cluster is likely, with a
        p-value of at most 0.1.
    good : tuple of int
        The numbers that stand out, in ascending order: one, or a coarse and a fine one.
    ranking : tuple of int
        All candidates, the best first.
    scores : structured ndarray of shape (n_candidates,)
        One row for each candidate, with the fields ``n_clusters``, ``evidence`` and the criteria;
        ``pandas.DataFrame(scores)`` converts it to a frame.
    clarity : float
        Clarity of the evidence, in [0, 1]. From features, the share of the evidence that the first
        number has; from partitions, the proportion of draws that recommend the same number; for
        one cluster, the p-value.
    p_value : float or None
        Proportion of the reference data sets, the data included, that deviate as much as the data,
        for the kind of references for which it is largest; None without reference data.
    p_values : mapping of str to float
        The same for each kind of references.
    finding : str
        The recommendation in words.
    favorites : mapping of str to int
        The best candidate by each criterion alone.
    labels : ndarray of shape (n_used, n_candidates)
        The consensus for each candidate, in the order of `scores`.
    samples : ndarray of shape (n_used,)
        Rows of the input that were used.
    grid : ndarray of shape (101,)
        Values at which `cdf` is given.
    cdf : ndarray of shape (n_candidates, 101)
        Cumulative distribution of the consensus matrix, for each candidate.
    tested : ndarray of shape (n_tested,)
        Numbers of clusters at which the data were compared with references.
    observed : ndarray of shape (n_tested,) or None
        Statistic of the data that is compared with that of the references.
    references : ndarray of shape (n_references, n_tested)
        The same statistic of each reference data set.
    ensemble : Ensemble
        Base partitions of the samples that were used: for the recommended number, if they
        depend on it.
    result : ConsensusResult or None
        The consensus for the recommended number, if all samples were used.
    """

    n_clusters: int
    answer: str
    good: tuple[int, ...]
    ranking: tuple[int, ...]
    scores: Array = field(repr=False)
    clarity: float
    p_value: float | None
    p_values: Mapping[str, float] = field(repr=False)
    finding: str
    favorites: Mapping[str, int] = field(repr=False)
    labels: Array = field(repr=False)
    samples: Array = field(repr=False)
    grid: Array = field(repr=False)
    cdf: Array = field(repr=False)
    tested: Array = field(repr=False)
    observed: Array | None = field(repr=False)
    references: Array = field(repr=False)
    ensemble: Ensemble = field(repr=False)
    result: ConsensusResult | None = field(default=None, repr=False)

    def __str__(self) -> str:
        first = ", ".join(str(k) for k in self.ranking[:_SHOWN])
        more = ", …" if len(self.ranking) > _SHOWN else ""
        return f"{self.finding}\nThe best first: {first}{more}"

    def to_frame(self) -> Any:
        """Scores as a pandas DataFrame, one row for each number of clusters.

        Returns
        -------
        pandas.DataFrame
            The scores, with the numbers of clusters as index.

        See Also
        --------
        select_n_clusters : Defines the criteria.

        Examples
        --------
        >>> from consensa import select_n_clusters
        >>> labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
        >>> found = select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
        >>> list(found.to_frame().index)
        [2, 3]
        """
        pandas = require("pandas", extra="cli", purpose="to_frame")
        return pandas.DataFrame(self.scores).set_index("n_clusters")
