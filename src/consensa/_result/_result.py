"""ConsensusResult: returned by methods, stored by estimators, read by reports."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._defaults import DEFAULT_GENERATOR, DEFAULT_METHOD
from consensa._optional import require
from consensa._result._html import as_html
from consensa._result._remark import Remark
from consensa._result._trace import SolverTrace, Tree
from consensa._result.prediction import assign_by_vote, codes_of_features, codes_of_labels
from consensa._result.wording import counted, landmark_line, listed_sizes, two_digits
from consensa.ensemble import Ensemble
from consensa.ensemble.deferred import RowValues
from consensa.ensemble.details import LANDMARKS, MISSING_VALUES, SPACE, TEXT_COLUMNS
from consensa.exceptions import InvalidInputError
from consensa.features.seen import SeenFeatures, read_new
from consensa.features.space import PRECOMPUTED

__all__ = ["ConsensusResult"]

_MOST_SIZES = 12  # number of sizes to print
_WIDTH = 88


@dataclass(frozen=True, eq=False, repr=False)
class ConsensusResult:
    """The consensus of an ensemble, and how it was computed.

    Estimators store it as ``result_``. Printing it gives a short summary.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each sample, numbered in order of first appearance.
    ensemble : Ensemble
        The partitions that were combined.
    affinity : array of shape (n_samples, n_samples) or None
        The affinity matrix, if the method computes one.
    tree : Tree or None
        The tree of merges, if the method builds one.
    trace : SolverTrace or None
        Trace of the solver, if the method is iterative.
    details : mapping
        Further results of the generator and the method, by name: ``"space"`` states how the
        features were scaled.
    confidence : ndarray of shape (n_samples,) or None
        Confidence of each sample, in [0, 1]; see `consensa.metrics.sample_confidence`.
    method : str or None
        Name of the function that combined the partitions, such as ``"tea"``.
    made_by : callable or None
        That function, or the class of the estimator that was fitted.
    parameters : mapping
        Parameters of `made_by`, by name. Those of an estimator include the generator of the
        base partitions, or ``"precomputed"`` if labels were given.
    warnings : tuple of Warning
        Warnings raised during the computation.
    features : SeenFeatures or None
        Columns of the features on which an estimator was fitted, for `predict`; None if labels
        were given.

    Examples
    --------
    >>> import consensa as cs
    >>> ensemble = cs.Ensemble.from_labels([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> cs.eac(ensemble, 2)
    EAC: 2 clusters of 4 samples
    Sizes: 2, 2
    Mean confidence: 0.83
    From 3 base partitions
    """

    labels: Array
    ensemble: Ensemble
    affinity: Any = None
    tree: Tree | None = None
    trace: SolverTrace | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    confidence: Any = None
    method: str | None = None
    made_by: Callable[..., Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[Warning, ...] = ()
    features: SeenFeatures | None = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max()) + 1

    @property
    def cluster_sizes(self) -> Array:
        """Number of samples of each cluster."""
        if isinstance(self.labels, RowValues):
            return self.ensemble.rows.meetings(self.labels, self.n_clusters)[-1]
        return np.bincount(np.asarray(self.labels))  # loads labels from Dask

    @property
    def linkage_matrix(self) -> Array | None:
        """Merges of the tree in SciPy's format, if the method builds a tree."""
        return None if self.tree is None else self.tree.merges

    @property
    def leaf_of_sample(self) -> Array | None:
        """Leaf of each sample in the tree, if several samples share a leaf."""
        return None if self.tree is None else self.tree.leaf_of_sample

    @property
    def n_iter(self) -> int | None:
        """Number of iterations, if the method is iterative."""
        return self.details.get("n_iter") if self.trace is None else self.trace.n_iter

    @property
    def info(self) -> Any:
        """Properties of the method, as `MethodInfo`; None if the method is not known."""
        return getattr(self.made_by, "info", None)

    @property
    def generator(self) -> Any:
        """Generator of the base partitions; None if labels were given."""
        generator = self.parameters.get("generator")
        return None if isinstance(generator, str) else generator

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What to know before relying on the result: title and text of each warning."""
        return tuple(Remark(getattr(w, "title", type(w).__name__), str(w)) for w in self.warnings)

    def __repr__(self) -> str:
        lines = [
            textwrap.fill(line, _WIDTH, subsequent_indent="    ", break_long_words=False)
            for line in self._summary()
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The summary with a table of the clusters, as notebooks show it."""
        labels = self.labels if isinstance(self.labels, np.ndarray) else None
        confidence = self.confidence if isinstance(self.confidence, np.ndarray) else None
        return as_html(list(self._summary()), labels, confidence)

    def _summary(self) -> Iterator[str]:
        """Lines of the summary; labels on a Dask cluster are not fetched."""
        name = "Consensus" if self.info is None else self.info.name
        samples = counted(self.ensemble.n_samples, "sample")
        if not isinstance(self.labels, (np.ndarray, RowValues)):
            yield f"{name}: {samples}, with labels on a Dask cluster"
        else:
            yield f"{name}: {counted(self.n_clusters, 'cluster')} of {samples}"
            yield f"Sizes: {listed_sizes(self.cluster_sizes, _MOST_SIZES)}"
        if isinstance(self.confidence, (np.ndarray, RowValues)):
            yield f"Mean confidence: {two_digits(float(self.confidence.mean()))}"
        made = "" if self.generator is None else f" by {type(self.generator).__name__}"
        yield f"From {counted(self.ensemble.n_partitions, 'base partition')}{made}"
        for name in (MISSING_VALUES, TEXT_COLUMNS, SPACE):
            if name in self.details:
                yield f"{name.capitalize()}: {self.details[name]}"
        if LANDMARKS in self.details:
            yield landmark_line(self.details[LANDMARKS])
        for remark in self.remarks:
            yield f"Warning: {remark}"

    def cut(self, n_clusters: int) -> Array:
        """Cut the tree into another number of clusters, without fitting again.

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
            If the method does not build a tree.

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
                f"This result has no tree: its method does not build one. Use {DEFAULT_METHOD}."
            )
            raise InvalidInputError(message)
        return self.tree.cut(n_clusters)

    def predict(self, X: Any) -> Array:
        r"""Predict the clusters of new samples, by the votes of the base partitions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or label matrix
            New samples in the form of the data of the fit: features, or labels in the base
            partitions.

        Returns
        -------
        ndarray of shape (n_samples,)
            Clusters, numbered as in `labels`; -1 for a sample whose labels are all missing.

        Raises
        ------
        InvalidInputError
            If the base partitions have no models for new samples.

        See Also
        --------
        predict_labels : Predict from labels in the base partitions.

        Notes
        -----
        Naive Bayes: a sample in the base clusters :math:`B_m` goes to the cluster :math:`c` with
        the largest :math:`\log \pi_c + \sum_m \log(1 + |B_m \cap c| / \pi_c)`, where
        :math:`\pi_c` is the proportion of samples in :math:`c`. A row of labels that occurred in
        the fit gets the cluster that it had there.

        Examples
        --------
        >>> import consensa as cs, numpy as np
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> cs.cluster(X, 2, random_state=0).predict([[0.15], [4.9]])
        array([0, 1])
        """
        return assign_by_vote(self.ensemble, self.labels, self.base_labels(X))

    def base_labels(self, X: Any) -> Array:
        """Clusters of new samples in each of the base partitions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or label matrix
            New samples in the form of the data of the fit: features, or labels in the base
            partitions.

        Returns
        -------
        ndarray of shape (n_samples, n_partitions)
            Numbered as in ``ensemble.labels``; -1 where the cluster is not known.

        Raises
        ------
        InvalidInputError
            If the base partitions have no models for new samples.

        See Also
        --------
        predict : The votes of these clusters.

        Examples
        --------
        >>> import consensa as cs
        >>> result = cs.combine([["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]], 2)
        >>> result.base_labels([["b", None], ["a", "x"]])
        array([[ 1, -1],
               [ 0,  0]], dtype=int32)
        """
        models = self.ensemble.models
        if models is None and self.features is None:
            return codes_of_labels(self.ensemble, X)
        if getattr(self.generator, "metric", None) == PRECOMPUTED:
            message = (
                "predict needs features, and the model was fitted on distances "
                "(metric='precomputed'). Fit it on features, or on the distances of all samples."
            )
            raise InvalidInputError(message)
        points = read_new(X, self.features)
        if models is None or all(model is None for model in models):
            maker = "this ensemble" if self.generator is None else type(self.generator).__name__
            message = (
                f"predict needs base partitions with models for new samples, and those of {maker} "
                f"have none. Use a generator such as {DEFAULT_GENERATOR}, or pass the labels of "
                f"new samples to predict_labels."
            )
            raise InvalidInputError(message)
        return codes_of_features(models, points)

    def predict_labels(self, labels: Any) -> Array:
        """Predict the clusters of new samples from their labels in the base partitions.

        Parameters
        ----------
        labels : array-like or frame of shape (n_samples, n_partitions)
            New rows of the label matrix, with the same partitions and cluster names. Missing and
            unknown labels do not vote.

        Returns
        -------
        ndarray of shape (n_samples,)
            Clusters, numbered as in `labels`; -1 for a sample without a known label.

        See Also
        --------
        predict : Predict from features.

        Examples
        --------
        >>> import consensa as cs
        >>> result = cs.combine([["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]], 2)
        >>> result.predict_labels([["b", None], ["a", "x"]])
        array([1, 0])
        """
        return assign_by_vote(self.ensemble, self.labels, codes_of_labels(self.ensemble, labels))

    def to_series(self) -> Any:
        """Labels as a pandas Series, with the sample names as index.

        Returns
        -------
        pandas.Series
            Named ``"cluster"``, with the index of the frame that was given.

        See Also
        --------
        consensa.Ensemble.from_labels : Reads the sample names.

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
