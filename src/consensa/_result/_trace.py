"""Trace of a solver, and the tree of a hierarchical method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from consensa._array import Array

__all__ = ["SolverTrace", "Tree"]


@dataclass(frozen=True, eq=False)
class SolverTrace:
    """Trace of an iterative solver, with one entry for each iteration.

    Attributes
    ----------
    residual : ndarray of shape (n_iter,)
        Residual of the stopping rule: the largest gap.
    gaps : ndarray of shape (n_iter, n_gaps)
        Largest absolute violation of each constraint.
    step : ndarray of shape (n_iter,)
        Step size.
    objective : ndarray of shape (n_iter,)
        Objective of the iterate.
    n_survivors : ndarray of shape (n_iter,)
        Number of singular values above the threshold.
    converged : bool
        Whether the residual fell below the tolerance.
    tol : float or None
        Tolerance.
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
    """A tree of the samples that can be cut into any number of clusters."""

    @property
    def merges(self) -> Array:
        """Merges in SciPy's format: left, right, height, number of leaves."""

    @property
    def leaf_of_sample(self) -> Array | None:
        """Leaf of each sample, if several samples share a leaf."""

    def cut(self, n_clusters: int) -> Array:
        """Labels of exactly `n_clusters` clusters."""
