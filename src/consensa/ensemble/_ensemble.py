"""Ensemble: the validated label matrix, the input of all methods.

The axis convention of the library: rows are samples, columns are partitions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse

from consensa._array import Array, is_array, to_library
from consensa.ensemble._counts import LabelCounts, read_only
from consensa.ensemble.archive import read_archive, write_archive
from consensa.ensemble.canonical_order import CanonicalOrder, canonical_order
from consensa.ensemble.checks import check_codes, check_columns
from consensa.ensemble.labels import read_label_matrix
from consensa.ensemble.microclusters import Microclusters, group_samples
from consensa.ensemble.numbering import Numbering
from consensa.ensemble.rows import membership
from consensa.ensemble.stored import as_stored
from consensa.ensemble.stored_labels import StoredLabels, scan_stored

__all__ = ["Ensemble", "Microclusters"]

_COUNTED = ("codes", "cluster_counts", "n_missing", "overlap", "cluster_sizes", "canonical")


@dataclass(frozen=True, eq=False, repr=False)
class Ensemble(LabelCounts):
    r"""An ensemble: base partitions of the same samples.

    Row :math:`i`, column :math:`j` of `labels` is :math:`\ell_{ij}`, the cluster of
    sample :math:`i` in partition :math:`j`, numbered from 0 in order of first appearance, so that
    the names of clusters have no effect; -1 is a missing label. Create an ensemble with
    `from_labels`.

    Parameters
    ----------
    labels : array of shape (n_samples, n_partitions)
        Cluster numbers in this form; `from_labels` converts other labels.
    partition_names : tuple of str or None, default=None
        Names of the partitions, such as the columns of a frame.
    sample_names : index or None, default=None
        Names of the samples, such as the index of a frame.
    models : tuple or None, default=None
        Models for new samples: for each partition an object whose ``predict(X)`` returns cluster
        numbers as in `labels`, or None. They are not saved to files.
    label_names : tuple of ndarray or None, default=None
        For each partition, the original labels of its clusters, in the order of their numbers.
    weights : ndarray of shape (n_partitions,) or None, default=None
        Weight of each partition, positive with mean 1, from a generator that knows which count
        more; None if all count the same. `TEA` uses them.
    details : mapping
        What the generator did, by name, such as the ``"space"`` of the features. Not saved to
        files.

    See Also
    --------
    Ensemble.from_labels : Read labels of any kind.

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble.from_labels([["a", 7], ["a", 3], ["b", 3], ["b", None]])
    >>> ensemble
    Ensemble(n_samples=4, n_partitions=2, n_clusters=4, missing=1)
    >>> ensemble.labels
    array([[ 0,  0],
           [ 0,  1],
           [ 1,  1],
           [ 1, -1]], dtype=int32)
    """

    labels: Any
    partition_names: tuple[str, ...] | None = None
    sample_names: Any = None
    models: tuple[Any, ...] | None = None
    label_names: tuple[Array, ...] | None = None
    weights: Array | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.labels, np.ndarray):
            object.__setattr__(self, "labels", read_only(self.labels))

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and pickles use the constructor, so that they are read-only and have no caches.
        return Ensemble, tuple(getattr(self, own.name) for own in fields(self))

    @classmethod
    def from_labels(cls, labels: Any) -> Ensemble:
        """Read a label matrix of any kind.

        Parameters
        ----------
        labels : array-like or frame of shape (n_samples, n_partitions)
            Rows are samples, columns are partitions: lists, arrays of NumPy or of any library
            that follows the array API standard, pandas and polars frames. Labels are integers,
            strings or categories; -1, NaN, None and masked entries are missing labels. The text
            ``-1`` among names is missing too, unless another label of the partition is a number
            with a sign, such as ``-2`` or ``+1``. Labels opened with `open_labels`,
            memory-mapped arrays and Zarr arrays stay on disk, and are read by blocks of rows.

        Returns
        -------
        Ensemble
            The renumbered labels, in the array library and on the device of the input.
            Memory-mapped integers that are already numbered by first appearance are used
            unchanged; other labels on disk are renumbered when they are read.

        Raises
        ------
        InvalidInputError
            If a sample or a partition has no label, there are fewer than two samples, or a
            label is not an integer.

        See Also
        --------
        Ensemble.load : Read a saved ensemble.

        Examples
        --------
        >>> Ensemble.from_labels([[5, 1], [5, 1], [2, 1]]).labels
        array([[0, 0],
               [0, 0],
               [1, 0]], dtype=int32)
        """
        if isinstance(labels, Ensemble):
            return labels
        if (stored := as_stored(labels)) is not None:
            return cls._from_stored(stored)
        read = read_label_matrix(labels)
        check_codes(read.codes, read.partition_names)
        kept = to_library(read.codes, like=labels) if is_array(labels) else read.codes
        names = {"partition_names": read.partition_names, "sample_names": read.sample_names}
        return cls(kept, **names, label_names=read.label_names)

    @classmethod
    def _from_stored(cls, stored: StoredLabels) -> Ensemble:
        """Scan stored labels once, without copying them."""
        scan = scan_stored(stored)
        codes = stored.coded(Numbering(scan.distinct))
        ensemble = cls(codes, stored.partition_names, label_names=scan.distinct)
        # Known from the scan.
        vars(ensemble)["cluster_counts"] = np.array([len(values) for values in scan.distinct])
        vars(ensemble)["n_missing"] = scan.n_missing
        return ensemble

    def _described(self, **changes: Any) -> Self:
        """The same labels with other names, models, weights or details; what is known is kept."""
        other = replace(self, **changes)
        known = {name: vars(self)[name] for name in _COUNTED if name in vars(self)}
        vars(other).update(known)
        return other

    @cached_property
    def canonical(self) -> CanonicalOrder:
        """Canonical order of the partitions and clusters."""
        return canonical_order(self)

    def clusters(self) -> list[Array]:
        """Members of each cluster.

        Returns
        -------
        list of ndarray
            Sample numbers of each cluster, in the order of `cluster_ids`.

        See Also
        --------
        Ensemble.membership : The same as a sparse matrix.

        Examples
        --------
        >>> Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]).clusters()
        [array([0, 1]), array([2]), array([0]), array([1, 2])]
        """
        by_cluster = self.membership().tocsc()
        members = np.split(by_cluster.indices, by_cluster.indptr[1:-1])
        return [group.astype(np.int64) for group in members]

    def membership(self, dtype: Any = np.float64) -> sparse.csr_array:
        r"""Sparse membership matrix.

        :math:`B_{ic} = 1` if sample :math:`i` is in cluster :math:`c`, else 0.

        Parameters
        ----------
        dtype : dtype, default=float64
            Type of the entries.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_samples, n_clusters)
            One entry for each label that is not missing.

        See Also
        --------
        Ensemble.clusters : The same as lists of samples.

        Examples
        --------
        >>> Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]).membership(int).toarray()
        array([[1, 0, 1, 0],
               [1, 0, 0, 1],
               [0, 1, 0, 1]])
        """
        return membership(self.cluster_ids, self.n_clusters, dtype)

    @cached_property
    def _microclusters(self) -> Microclusters:
        return group_samples(self.codes)

    def microclusters(self) -> Microclusters:
        """Microclusters: sets of samples with equal rows in the label matrix.

        Returns
        -------
        Microclusters
            Named tuple (labels, rows, sizes).

        See Also
        --------
        Ensemble.clusters : The clusters of the partitions.

        Examples
        --------
        >>> Ensemble.from_labels([[0, 0], [0, 1], [0, 0]]).microclusters().sizes
        array([2, 1])
        """
        return self._microclusters

    def separates(self, n_groups: int) -> bool:
        """Whether there are at least `n_groups` microclusters.

        Parameters
        ----------
        n_groups : int
            Number of microclusters.

        Returns
        -------
        bool
            True if there are at least that many distinct rows.

        See Also
        --------
        Ensemble.microclusters : The microclusters.

        Examples
        --------
        >>> Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]).separates(3)
        False
        """
        if int(self.cluster_counts.max()) >= n_groups:
            return True
        return len(self.rows.distinct(n_groups)) >= n_groups

    def select(self, partitions: Iterable[int] | Array) -> Ensemble:
        """Select partitions.

        Parameters
        ----------
        partitions : iterable of int
            Column numbers to keep, in this order.

        Returns
        -------
        Ensemble
            Ensemble of these partitions.

        See Also
        --------
        Ensemble.drop : Drop partitions.

        Examples
        --------
        >>> Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]).select([1]).labels.ravel()
        array([0, 1, 1], dtype=int32)
        """
        columns = check_columns(partitions, self.n_partitions)
        codes = np.ascontiguousarray(self.codes[:, columns])
        names = self.partition_names and tuple(self.partition_names[j] for j in columns)
        check_codes(codes, names)
        return replace(
            self,
            labels=to_library(codes, like=self.labels),
            partition_names=names,
            models=self.models and tuple(self.models[j] for j in columns),
            label_names=self.label_names and tuple(self.label_names[j] for j in columns),
            weights=None if self.weights is None else self.weights[columns],
        )

    def drop(self, partitions: Iterable[int] | Array) -> Ensemble:
        """Drop partitions.

        Parameters
        ----------
        partitions : iterable of int
            Column numbers to drop.

        Returns
        -------
        Ensemble
            Ensemble of the other partitions.

        See Also
        --------
        Ensemble.select : Select partitions.

        Examples
        --------
        >>> Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]).drop([1]).labels.ravel()
        array([0, 0, 1], dtype=int32)
        """
        dropped = set(check_columns(partitions, self.n_partitions))
        return self.select([j for j in range(self.n_partitions) if j not in dropped])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ensemble to an NPZ file, atomically.

        Parameters
        ----------
        path : path
            File to write; its folder must exist.

        See Also
        --------
        Ensemble.load : Read it again.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "ensemble.npz"
        >>> Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]).save(path)
        >>> Ensemble.load(path)
        Ensemble(n_samples=3, n_partitions=2, n_clusters=4)
        """
        write_archive(path, self.codes, self.partition_names, self.sample_names, self.weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ensemble:
        """Read an ensemble from a file that `save` wrote.

        Parameters
        ----------
        path : path
            File to read. Pickled objects are rejected.

        Returns
        -------
        Ensemble
            The ensemble, in NumPy.

        See Also
        --------
        Ensemble.save : Write it.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "ensemble.npz"
        >>> Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]).save(path)
        >>> Ensemble.load(path).n_partitions
        2
        """
        return cls(**read_archive(path)._asdict())

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        missing = f", missing={self.n_missing}" if self.has_missing else ""
        return (
            f"Ensemble(n_samples={self.n_samples}, n_partitions={self.n_partitions}, "
            f"n_clusters={self.n_clusters}{missing})"
        )
