"""What the methods return: frozen values that compute nothing of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from consensa._array import Array
from consensa._defaults import DEFAULT_METHOD
from consensa._optional import require
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError

__all__ = ["ConsensusResult", "SolverTrace", "Tree"]


@dataclass(frozen=True, eq=False)
class SolverTrace:
    """What an iterative solver did, one entry an iteration.

    Attributes
    ----------
    residual : ndarray of shape (n_iter,)
        What the stopping rule looks at: the largest gap.
    gaps : ndarray of shape (n_iter, n_gaps)
        Largest absolute entry of each constraint's gap.
    step : ndarray of shape (n_iter,)
        Step size.
    objective : ndarray of shape (n_iter,)
        Objective of the iterate.
    n_survivors : ndarray of shape (n_iter,)
        Number of singular values above the threshold.
    converged : bool
        Whether the residual fell below the tolerance.
    tol : float or None
        That tolerance.
    """

    residual: Array
    gaps: Array
    step: Array
    objective: Array
    n_survivors: Array
    converged: bool
    tol: float | None = None

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.residual)


class Tree(Protocol):
    """A hierarchy of the samples that can be cut into any number of clusters."""

    @property
    def merges(self) -> Array:
        """Merges in SciPy's form: left, right, height, number of leaves."""

    @property
    def leaf_of_sample(self) -> Array | None:
        """Leaf of each sample, where several samples share a leaf."""

    def cut(self, n_clusters: int) -> Array:
        """Labels of exactly `n_clusters` clusters."""


@dataclass(frozen=True, eq=False)
class ConsensusResult:
    """The consensus of an ensemble.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each sample, numbered in order of first appearance.
    ensemble : Ensemble
        The partitions that were combined.
    affinity : array of shape (n_samples, n_samples) or None
        The matrix that was cut, if the method makes one.
    tree : Tree or None
        The hierarchy that was cut, if the method makes one.
    trace : SolverTrace or None
        What the solver did, if the method iterates.
    details : mapping
        What else the method has to tell, by name.
    confidence : ndarray of shape (n_samples,) or None
        How sure the cluster of each sample is, in [0, 1]: see
        `consensa.metrics.sample_confidence`.
    method : str or None
        Name of the function that made it, such as ``"tea"``.
    parameters : mapping
        What that function was asked for, by name; the ensemble is not among them.
    """

    labels: Array
    ensemble: Ensemble
    affinity: Any = None
    tree: Tree | None = None
    trace: SolverTrace | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    confidence: Array | None = None
    method: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_clusters(self) -> int:
        """Number of clusters that came back."""
        return int(self.labels.max()) + 1

    @property
    def linkage_matrix(self) -> Array | None:
        """Merges of the tree in SciPy's form, if the method makes a tree."""
        return None if self.tree is None else self.tree.merges

    def cut(self, n_clusters: int) -> Array:
        """Cut the same tree into another number of clusters, without fitting again.

        Parameters
        ----------
        n_clusters : int
            Number of clusters.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each sample, numbered in order of first appearance.

        Raises
        ------
        InvalidInputError
            If the method that made this result does not build a tree.

        See Also
        --------
        consensa.eac : A method that builds a tree.

        Examples
        --------
        >>> import consensa as cs
        >>> ensemble = cs.Ensemble.from_labels([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
        >>> result = cs.eac(ensemble, 2)
        >>> result.labels, result.cut(3)
        (array([0, 0, 1, 1]), array([0, 0, 1, 2]))
        """
        if self.tree is None:
            message = (
                f"This result has no tree to cut: its method does not build one. Use "
                f"{DEFAULT_METHOD}."
            )
            raise InvalidInputError(message)
        return self.tree.cut(n_clusters)

    def to_series(self) -> Any:
        """Labels as a pandas Series that carries the names of the samples.

        Returns
        -------
        pandas.Series
            Named ``"cluster"``, with the index of the frame that the labels came from.

        See Also
        --------
        consensa.Ensemble.from_labels : Where the names come from.

        Examples
        --------
        >>> import consensa as cs, pandas as pd
        >>> frame = pd.DataFrame({"a": [0, 0, 1], "b": [0, 0, 1]}, index=["x", "y", "z"])
        >>> cs.eac(cs.Ensemble.from_labels(frame), 2).to_series()
        x    0
        y    0
        z    1
        Name: cluster, dtype: int64
        """
        pandas = require("pandas", extra="cli", purpose="to_series")
        names = self.ensemble.sample_names
        return pandas.Series(self.labels, index=names, name="cluster", copy=True)
