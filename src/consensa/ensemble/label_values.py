"""Valid labels (integers and Python objects), and values that are missing labels."""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Collection, Hashable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.ensemble.missing import (
    MISSING,
    has_signed_names,
    is_missing,
    is_missing_text,
    is_nothing,
)
from consensa.exceptions import InvalidInputError

__all__ = ["as_objects", "label_objects", "number_objects", "whole_labels"]

_NEVER_LABELS = (
    numbers.Complex,  # real numbers are handled before
    datetime.date,
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
)


def whole_labels(values: Array, where: str, first_row: int = 0) -> tuple[Array, Array]:
    """Numeric labels as integers, and which of them are missing.

    `first_row` is the row number of the first value, for messages.
    """
    kind = values.dtype.kind
    if kind == "b":
        return values.astype(np.int8), np.zeros(values.shape, bool)
    if kind in "iu":
        return _whole_integers(values, where, first_row)
    if kind == "f":
        return _whole_floats(values, where, first_row)
    message = (
        f"labels of {where} must be integers, strings or categories. Got dtype {values.dtype}."
    )
    raise InvalidInputError(message)


def _whole_integers(values: Array, where: str, first_row: int) -> tuple[Array, Array]:
    if values.dtype.kind == "u":
        return values, np.zeros(values.shape, bool)
    if values.size and values.min() < MISSING:
        row = int(np.argmin(values))
        raise _negative(where, first_row + row, values[row])
    return values, is_missing(values)


def _whole_floats(values: Array, where: str, first_row: int) -> tuple[Array, Array]:
    missing = np.isnan(values)
    bad = ~missing & ~(np.isfinite(values) & (np.floor(values) == values))
    if bad.any():
        row = int(np.argmax(bad))
        raise _not_whole(where, first_row + row, values[row])
    if (values < MISSING).any():
        row = int(np.argmax(values < MISSING))
        raise _negative(where, first_row + row, values[row])
    missing |= is_missing(values)
    whole = np.where(missing, 0, values)
    fits = float(whole.max(initial=0)) < 2**62
    return (whole.astype(np.int64) if fits else whole), missing


def label_objects(
    values: Sequence[Any], where: str, first_row: int = 0, *, signed: bool | None = None
) -> list[Any]:
    """Python objects as labels; None if they are missing labels.

    `signed` says whether the partition has signed names, so that the text -1 is one of them;
    None if `values` are the whole partition.
    """
    is_name = has_signed_names(values) if signed is None else signed
    return [_as_label(value, row, where, is_name) for row, value in enumerate(values, first_row)]


def _as_label(value: Any, row: int, where: str, signed: bool) -> Any:
    """`value` if it is a valid label, None if it is a missing label."""
    if isinstance(value, (str, bytes)):
        return None if not signed and is_missing_text(value) else value
    if is_nothing(value):
        return None
    if isinstance(value, (numbers.Real, Decimal)):
        if is_missing(value):
            return None
        if not isinstance(value, numbers.Integral) and not _is_whole(value):
            raise _not_whole(where, row, value)
        if value < MISSING:
            raise _negative(where, row, value)
    elif isinstance(value, _NEVER_LABELS) or not _is_hashable(value):
        raise _no_label(where, row, value)
    return value


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_whole(value: Any) -> bool:
    try:
        return math.isfinite(value) and math.floor(value) == value
    except OverflowError:  # a fraction that no float can hold
        return False


def number_objects(values: Sequence[Any], where: str) -> Array:
    """Codes of hashable objects; None and similar values are missing labels."""
    numbering: dict[Hashable, int] = {}
    codes = np.full(len(values), MISSING, np.int32)
    for row, value in enumerate(values):
        if is_nothing(value):
            continue
        try:
            codes[row] = numbering.setdefault(value, len(numbering))
        except TypeError as error:
            raise _no_label(where, row, value) from error
    return codes


def as_objects(values: Collection[Any]) -> Array:
    """An array of Python objects; sequences are not converted."""
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array


def _not_whole(where: str, row: int, value: Any) -> InvalidInputError:
    return InvalidInputError(
        f"labels of {where} must be integers, strings or categories. "
        f"Row {row} has {value}. If these are features, cluster them instead."
    )


def _negative(where: str, row: int, value: Any) -> InvalidInputError:
    return InvalidInputError(
        f"labels of {where} must not be negative, except -1 for a missing label. "
        f"Row {row} has {value}. Number the clusters from 0."
    )


def _no_label(where: str, row: int, value: Any) -> InvalidInputError:
    return InvalidInputError(
        f"labels of {where} must be integers, strings or categories. "
        f"Row {row} has an object of type {type(value).__name__}."
    )
