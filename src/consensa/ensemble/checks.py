"""Checks of a label matrix: at least two samples, and a label in every row and column."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.ensemble.missing import is_missing
from consensa.ensemble.numbering import Scan
from consensa.exceptions import InvalidInputError

__all__ = ["check_codes", "check_columns", "check_counts", "check_scan", "looks_transposed"]

_WIDE, _MANY_COLUMNS = 10, 30  # columns for each row, and least number, of what may be transposed


def check_counts(shape: tuple[int, int], file: str | None = None) -> None:
    """Raise an error for a matrix without partitions, or with fewer than two samples."""
    n_samples, n_partitions = shape
    if n_partitions == 0 and file is not None:
        message = f"labels must have at least one partition (column). {file} has none."
        raise InvalidInputError(message)
    if n_partitions == 0:
        message = "An ensemble needs at least one partition. None was selected."
        raise InvalidInputError(message)
    if n_samples < 2:
        message = f"labels must have at least 2 samples (rows). Got {n_samples}."
        raise InvalidInputError(message)


def check_scan(scan: Scan, names: Sequence[str]) -> None:
    """Raise an error if a row or column of labels on disk or on a Dask cluster has no label."""
    if scan.unlabeled is not None:
        message = (
            f"Each sample must be labeled by at least one partition. Row {scan.unlabeled} is "
            f"missing in all {len(scan.distinct)} partitions. Drop such rows."
        )
        raise InvalidInputError(message)
    for values, name in zip(scan.distinct, names, strict=True):
        if len(values) == 0:
            raise _labels_none(name)


def _labels_none(name: Any) -> InvalidInputError:
    return InvalidInputError(
        f"Each partition must label at least one sample. Partition {name} labels none."
    )


def check_codes(codes: Array, names: tuple[str, ...] | None) -> None:
    """Raise an error for fewer than two samples, or a row or column without labels."""
    check_counts(codes.shape)
    missing = is_missing(codes)
    if not missing.any():
        return
    unlabeled = missing.all(axis=1)
    if unlabeled.any():
        row = int(np.argmax(unlabeled))
        message = (
            f"Each sample must be labeled by at least one partition. Row {row} is missing in "
            f"all {codes.shape[1]} partitions ({int(unlabeled.sum())} such rows); drop these "
            f"rows."
        )
        raise InvalidInputError(message)
    empty = missing.all(axis=0)
    if empty.any():
        column = int(np.argmax(empty))
        raise _labels_none(repr(names[column]) if names else column)


def looks_transposed(n_rows: int, n_columns: int) -> bool:
    """Whether a label matrix has so many columns that they may be the samples."""
    return n_columns >= max(_WIDE * n_rows, _MANY_COLUMNS)


def check_columns(partitions: Iterable[int] | Array, n_partitions: int) -> list[int]:
    """Column numbers from 0; raise an error for anything else."""
    try:
        given = list(partitions)
        if any(isinstance(j, (bool, np.bool_)) for j in given):
            raise TypeError
        columns = [operator.index(j) for j in given]
    except TypeError as error:
        message = f"partitions must be column numbers, such as [0, 2]. Got {partitions!r}."
        raise InvalidInputError(message) from error
    for j in columns:
        if not -n_partitions <= j < n_partitions:
            message = f"There is no partition {j}: the ensemble has {n_partitions}."
            raise InvalidInputError(message)
    return [j % n_partitions for j in columns]
