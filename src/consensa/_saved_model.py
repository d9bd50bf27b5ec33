"""A result in a file, to predict new samples later; reading it runs no code of the file."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import consensa
from consensa._array import Array
from consensa._machine.hashing import cluster_keys
from consensa._machine.plain_objects import read_objects, storable, write_objects
from consensa._optional import require
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa._result.prediction import assign_by_vote
from consensa._result.wording import counted
from consensa.consensus.catalogue import find_methods
from consensa.description.clusters import result_of
from consensa.description.outliers import OutlierRule, learn_outlier_rule
from consensa.ensemble import Ensemble
from consensa.ensemble.checks import check_codes
from consensa.ensemble.deferred import DeferredRows
from consensa.ensemble.missing import MISSING, is_missing
from consensa.ensemble.rows import cluster_ids
from consensa.exceptions import InvalidInputError
from consensa.features import read_features
from consensa.features.column_plan import ColumnPlan
from consensa.features.seen import SeenFeatures, read_new
from consensa.metrics.rivals import mean_support, overlap_with, support

__all__ = ["SavedModel", "load_model", "save_model", "write_model"]

_FORMAT = 1
_MOST_ROWS = 200_000  # different rows of labels that a model keeps of features on disk
_SENTENCE = "must be a model written by save_model or --save."


@storable
class Votes:
    """The clusters of all samples of a fit of which different rows of labels are kept only.

    Attributes
    ----------
    met : ndarray of shape (n_base_clusters + 1, n_clusters)
        Number of samples in each base cluster and cluster; the last row are the sizes of clusters.
    cluster_counts : ndarray of shape (n_partitions,)
        Number of clusters of each base partition.
    """

    met: Array
    cluster_counts: Array


@storable
class _File:
    """What is in the file."""

    format: int
    version: str
    method: str | None
    labels: Array
    confidence: Array | None
    codes: Array
    partition_names: tuple[str, ...] | None
    label_names: tuple[Array, ...] | None
    weights: Array | None
    models: tuple[Any, ...] | None
    features: SeenFeatures | None
    outliers: OutlierRule | None
    columns: ColumnPlan | None
    votes: Votes | None = None


@dataclass(frozen=True, eq=False, repr=False)
class SavedModel:
    """A result that was read from a file, which predicts new samples.

    Parameters
    ----------
    result : ConsensusResult
        Labels, confidence and base partitions of the fit; the matrices and the tree of the
        method are not saved.
    columns : object or None, default=None
        Names of the columns of the fit, and what fills missing values in them.
    outliers : object or None, default=None
        Which new samples fit no cluster.
    version : str, default=""
        Version of Consensa that wrote the file.
    votes : object or None, default=None
        Overlaps of base clusters and clusters, if the fit was on features on disk: `result` then
        has one sample for all with the same labels in the base partitions.

    See Also
    --------
    load_model : Reads the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consensa as cs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
    >>> cs.save_model(cs.combine([["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]], 2), path)
    >>> cs.load_model(path).predict([["b", "y"], ["a", "x"]])
    array([1, 0])
    """

    result: ConsensusResult
    columns: ColumnPlan | None = None
    outliers: OutlierRule | None = None
    version: str = ""
    votes: Votes | None = None

    def __repr__(self) -> str:
        said = f"SavedModel, written by Consensa {self.version}\n{self.result!r}"
        if self.votes is None:
            return said
        samples = counted(int(self.votes.met[-1].sum()), "sample")
        return f"{said}\nOne sample for each different row of labels of {samples}"

    def predict(self, X: Any) -> Array:
        """Predict the clusters of new samples.

        Parameters
        ----------
        X : array-like, frame or label matrix
            New samples in the form of the data of the fit. Columns of a frame are found by
            their names, and missing values are filled as those of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            Clusters, numbered as in the fit; -1 for a sample without a known label.

        See Also
        --------
        sample_table : The same, with confidence, rival and outlier mark.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import consensa as cs
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
        >>> cs.save_model(cs.cluster([[0.0], [0.1], [5.0], [5.1]], 2, random_state=0), path)
        >>> cs.load_model(path).predict([[0.15], [4.9]])
        array([0, 1])
        """
        return self._labels(self.result.base_labels(self._complete(X)))

    def _labels(self, codes: Array) -> Array:
        """Clusters of new samples with these labels in the base partitions."""
        met = None if self.votes is None else self.votes.met
        return assign_by_vote(self.result.ensemble, self.result.labels, codes, met)

    def sample_table(self, X: Any) -> Any:
        """Cluster, confidence, rival and outlier mark of new samples.

        Parameters
        ----------
        X : array-like, frame or label matrix
            New samples, as for `predict`.

        Returns
        -------
        pandas.DataFrame
            With the columns of `consensa.sample_table`. The support for a cluster is that of the
            base clusters to which the new sample is assigned.

        See Also
        --------
        consensa.sample_table : The same for the samples of the fit.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import consensa as cs
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
        >>> cs.save_model(cs.combine([["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]], 2), path)
        >>> cs.load_model(path).sample_table([["b", "y"], ["a", "y"]])
           cluster  confidence  rival  rival_share  outlier
        0        1         1.0   <NA>          0.0    False
        1        0         0.5      1          0.5    False
        """
        pandas = require("pandas", extra="cli", purpose="sample_table")
        complete = self._complete(X)
        ensemble = self.result.ensemble
        codes = self.result.base_labels(complete)
        labels = self._labels(codes)
        if self.votes is None:
            met = overlap_with(ensemble, self.result.labels, self.result.n_clusters)
            sizes = ensemble.cluster_sizes
        else:
            met = sparse.csr_array(self.votes.met[:-1])
            sizes = np.asarray(met.sum(axis=1)).ravel()
        table = support(met, sizes, itself=0)
        shares = mean_support(cluster_ids(codes, ensemble.cluster_counts), table)
        known = np.flatnonzero(labels >= 0)
        confidence = np.zeros(len(labels))
        confidence[known] = shares[known, labels[known]]
        shares[known, labels[known]] = 0
        best = np.where(shares.max(axis=1) > 0, shares.argmax(axis=1), MISSING)
        rival = pandas.array(best, dtype="Int64")
        rival[is_missing(best)] = pandas.NA
        columns = {"cluster": labels, "confidence": confidence, "rival": rival,
                   "rival_share": shares.max(axis=1),
                   "outlier": self._outlier(complete, labels, codes)}  # fmt: skip
        index = X.index if isinstance(X, pandas.DataFrame) else None
        return pandas.DataFrame(columns, index=index)

    def _complete(self, X: Any) -> Any:
        is_frame = hasattr(X, "columns") and hasattr(X, "isna")
        return self.columns.apply(X) if self.columns is not None and is_frame else X

    def _outlier(self, X: Any, labels: Array, codes: Array) -> Array:
        if self.outliers is None:  # most partitions do not know its labels
            return is_missing(codes).mean(axis=1) > 0.5
        return self.outliers.mark_new(read_new(X, self.result.features), labels)


def save_model(result: Any, path: str | os.PathLike[str], *, X: Any = None) -> None:
    """Save a result, so that new samples can be predicted later.

    Parameters
    ----------
    result : ConsensusResult or fitted estimator
        The result.
    path : path
        File to write, such as ``"model.npz"``; written whole or not at all.
    X : array-like, frame, sparse matrix or None, default=None
        Features of the fit. With them new samples that fit no cluster are recognized and, if
        they are a pandas frame, columns are found by name and missing values filled with the
        median, or with the most frequent text.

    Raises
    ------
    InvalidInputError
        If the base partitions have models that cannot be saved without code, such as other
        libraries' clusterers.

    See Also
    --------
    load_model : Read the file.

    Notes
    -----
    An NPZ file with arrays and one JSON text. Unlike a pickle, it runs no code when it is read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consensa as cs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
    >>> cs.save_model(cs.cluster([[0.0], [0.1], [5.0], [5.1]], 2, random_state=0), path)
    """
    fitted = result_of(result)
    if fitted is None:
        message = f"save_model needs a ConsensusResult or a fitted estimator. Got {result!r:.40}."
        raise InvalidInputError(message)
    model = SavedModel(fitted)
    if X is not None:
        rule = learn_outlier_rule(read_features(X), fitted.labels, rng=random_source(0))[0]
        plan = ColumnPlan.of(X) if hasattr(X, "isna") else None
        model = replace(model, outliers=rule, columns=plan)
    write_model(model, path)


def write_model(model: SavedModel, path: str | os.PathLike[str]) -> None:
    """Write a model."""
    if isinstance(model.result.ensemble.rows, DeferredRows):
        model = _of_different_rows(model)
    result, ensemble = model.result, model.result.ensemble
    content = _File(
        format=_FORMAT,
        version=consensa.__version__,
        method=result.method,
        labels=np.asarray(result.labels),
        confidence=None if result.confidence is None else np.asarray(result.confidence),
        codes=np.asarray(ensemble.codes),
        partition_names=ensemble.partition_names,
        label_names=ensemble.label_names,
        weights=ensemble.weights,
        models=ensemble.models,
        features=result.features,
        outliers=model.outliers,
        columns=model.columns,
        votes=model.votes,
    )
    write_objects(content, path, what="The model")


def _of_different_rows(model: SavedModel) -> SavedModel:
    """A model of features on disk, with one sample for each different row of labels."""
    result, ensemble = model.result, model.result.ensemble
    met = ensemble.rows.meetings(result.labels, result.n_clusters)
    keys = cluster_keys(ensemble.n_clusters, 0)
    first = np.sort(ensemble.rows.sample(keys, _MOST_ROWS).first)
    kept = replace(ensemble, labels=ensemble.rows.take(first), sample_names=None)
    result = replace(
        result,
        labels=result.labels[first],
        confidence=np.asarray(result.confidence[first]),
        ensemble=kept,
    )
    return replace(model, result=result, votes=Votes(met, ensemble.cluster_counts))


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read a model that was saved by `save_model` or ``consensa cluster --save``.

    Parameters
    ----------
    path : path
        The file. No code in it is run.

    Returns
    -------
    SavedModel
        Predicts new samples.

    Raises
    ------
    InvalidInputError
        If it is another file, or damaged.

    See Also
    --------
    save_model : Write the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consensa as cs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
    >>> cs.save_model(cs.combine([[0, 0], [0, 0], [1, 1]], 2), path)
    >>> cs.load_model(path).result.labels
    array([0, 0, 1])
    """
    if not Path(path).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    content = read_objects(path, sentence=_SENTENCE)
    if not isinstance(content, _File) or content.format != _FORMAT:
        message = f"{os.fspath(path)} {_SENTENCE} It has another content, or a newer format."
        raise InvalidInputError(message)
    _check_parts(content, os.fspath(path))
    ensemble = Ensemble(
        content.codes,
        content.partition_names,
        models=content.models,
        label_names=content.label_names,
        weights=content.weights,
    )
    if content.votes is not None:  # not every cluster need be in one of the rows
        vars(ensemble)["cluster_counts"] = content.votes.cluster_counts
    by_function: dict[Any, Any] = {name.lower(): cls for name, cls in find_methods().items()}
    result = ConsensusResult(
        content.labels,
        ensemble,
        confidence=content.confidence,
        method=content.method,
        made_by=by_function.get(content.method),
        features=content.features,
    )
    return SavedModel(result, content.columns, content.outliers, content.version, content.votes)


def _check_parts(content: _File, path: str) -> None:
    """Raise an error if the parts of a file do not belong together."""
    check_codes(content.codes, content.partition_names)
    n_samples, n_partitions = content.codes.shape
    labels, each = content.labels, (content.models, content.label_names, content.partition_names)
    fits = labels.shape == (n_samples,) and labels.dtype.kind == "i" and labels.min() >= 0
    fits = fits and (content.votes is None or _fit_votes(content.votes, content.codes, labels))
    if not fits or any(part is not None and len(part) != n_partitions for part in each):
        message = f"{path} {_SENTENCE} Its parts do not belong together."
        raise InvalidInputError(message)


def _fit_votes(votes: Votes, codes: Array, labels: Array) -> bool:
    counts, met = votes.cluster_counts, votes.met
    return (
        isinstance(counts, np.ndarray)
        and isinstance(met, np.ndarray)
        and counts.shape == (codes.shape[1],)
        and counts.dtype.kind == met.dtype.kind == "i"
        and bool((codes.max(axis=0) < counts).all())
        and met.ndim == 2
        and met.shape[0] == counts.sum() + 1
        and met.shape[1] > labels.max()
        and met.min() >= 0
        and bool((met[-1] > 0).all())
    )
