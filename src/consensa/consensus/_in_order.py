"""Run a method on the ensemble in canonical order, and convert its result to the given order.

An order-free method under `consensus_method` gets partitions, clusters and, up to 20,000 of them
or if it needs n × n arrays, samples in canonical order. So its random draws, sums and ties are the
same in every order of the rows and of the partitions. Entries of its details that are numbered
like these are marked by `Along`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consensa._array import Array, namespace, to_library
from consensa._result import ConsensusResult
from consensa.ensemble import Ensemble
from consensa.ensemble.canonical_form import CanonicalForm
from consensa.ensemble.equal_rows import adjacent_equal_rows
from consensa.ensemble.missing import is_labeled, is_missing
from consensa.ensemble.passes import LocalRows
from consensa.ensemble.stored_labels import StoredCodes
from consensa.partition import Dendrogram

if TYPE_CHECKING:
    from consensa.consensus.method import MethodInfo

__all__ = ["Along", "labels_as_given", "result_as_given", "sorts_samples"]

_SORT_UP_TO = 20_000  # samples


class Along(NamedTuple):
    """An entry of the details whose axes or values are numbered as in the ensemble.

    Attributes
    ----------
    values : array or int
        The entry, in canonical order.
    axes : tuple of str or None
        What each axis enumerates: ``"sample"``, ``"partition"``, ``"cluster"``,
        ``"microcluster"``, ``"label"`` (as in the labels that the method returns) or None.
    numbers : {"partition", "label"} or None, default=None
        What the values enumerate.
    """

    values: Any
    axes: tuple[str | None, ...] = ()
    numbers: str | None = None


def sorts_samples(ensemble: Ensemble, info: MethodInfo) -> bool:
    """Whether an order-free method gets the samples sorted too: if they are few or must be.

    Labels stay on disk if the method works by blocks of rows.
    """
    here = isinstance(ensemble.rows, LocalRows)
    stays = info.by_rows and isinstance(ensemble.labels, StoredCodes)
    few = ensemble.n_samples <= _SORT_UP_TO and here and not stays
    return info.square_arrays > 0 or few


def labels_as_given(form: CanonicalForm, labels: Any) -> Any:
    """Labels of the samples in the given order; samples with equal rows have that of the first."""
    if form.samples is None:
        return labels
    groups = adjacent_equal_rows(form.ensemble.codes)  # equal rows are adjacent in canonical order
    given = np.empty(len(labels), np.int64)
    given[form.samples] = np.asarray(labels)[groups.first[groups.of_row]]
    return given


def result_as_given(
    form: CanonicalForm | None, result: ConsensusResult, rank: Array
) -> ConsensusResult:
    """The result with samples, partitions, clusters and labels in the given order.

    `rank` is the number of each label of the method, or -1 for one that does not occur.
    """
    details = {
        name: _restored(form, value, rank) if isinstance(value, Along) else value
        for name, value in result.details.items()
    }
    if form is None:
        return replace(result, details=details)
    return replace(
        result,
        ensemble=form.given,
        affinity=_both_axes(result.affinity, form.place("sample")),
        tree=_renamed(result, form),
        details=details,
    )


def _renamed(result: ConsensusResult, form: CanonicalForm) -> Any:
    """The tree with its leaves numbered like the samples, or the microclusters in the details."""
    tree: Any = result.tree
    if tree is None or tree.leaf_of_sample is None:
        return tree if tree is None or form.samples is None else tree.renamed(form.samples)
    place = form.place("sample")
    tree = Dendrogram(
        tree.merges, tree.leaf_of_sample if place is None else tree.leaf_of_sample[place]
    )
    entries = [entry for entry in result.details.values() if isinstance(entry, Along)]
    if not any("microcluster" in entry.axes for entry in entries):
        return tree
    return tree.renamed(np.argsort(form.microclusters))


def _both_axes(affinity: Any, place: Array | None) -> Any:
    if affinity is None or place is None:
        return affinity
    if isinstance(affinity, np.ndarray):
        given = np.empty_like(affinity)
        for row, there in zip(given, place, strict=True):  # a row fits in the cache
            affinity[there].take(place, out=row, mode="clip")
        return given
    xp, numbers = namespace(affinity), to_library(place, like=affinity)
    return xp.take(xp.take(affinity, numbers, axis=0), numbers, axis=1)


def _restored(form: CanonicalForm | None, entry: Along, rank: Array) -> Any:
    values = entry.values
    for axis, kind in enumerate(entry.axes):
        place = np.argsort(rank)[is_missing(rank).sum() :] if kind == "label" else None
        if kind not in ("label", None) and form is not None:
            place = form.place(kind)
        values = values if place is None else np.take(values, place, axis=axis)
    if entry.numbers == "label":
        return _numbered(values, rank)
    if entry.numbers == "partition" and form is not None:
        return int(form.given.canonical.partitions[values])
    return values


def _numbered(labels: Array, rank: Array) -> Array:
    """Labels numbered by first appearance; those without samples are last."""
    numbers = {old: new for old, new in enumerate(rank.tolist()) if is_labeled(new)}
    for label in labels.tolist():
        numbers.setdefault(label, len(numbers))
    return np.array([numbers[label] for label in labels.tolist()])
