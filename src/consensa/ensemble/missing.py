"""Definition of a missing label.

Labels of any kind are converted to integers from 0 when they are read; None, NaN, NA and -1 become
`MISSING`. The text ``-1`` among names, as programs write the number there, is missing too, unless
another label of its partition is the text of a number with a sign, such as ``-2`` or ``+1``: then
the sign is part of the name. `is_missing_text` and `has_signed_names` are this rule.

From then on `is_missing` and `is_labeled` are used. Only the compiled loops compare directly,
``>= 0``: the compiler then knows that an index is not negative, which makes the overlap of
clusters a fifth faster.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np

__all__ = [
    "MISSING",
    "has_signed_names",
    "is_labeled",
    "is_missing",
    "is_missing_text",
    "is_nothing",
]

MISSING = -1
"""Code of a missing label."""

_MINUS_ONE = frozenset({"-1", "-1.0"})
_SIGNED = re.compile(r"[+-](\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def is_missing(codes: Any) -> Any:
    """Which entries are missing: booleans of the shape, library and device of `codes`."""
    return codes == MISSING


def is_labeled(codes: Any) -> Any:
    """Which entries are labels: booleans of the shape, library and device of `codes`."""
    return codes != MISSING


def is_missing_text(label: Any) -> bool:
    """Whether `label` is the text -1 or -1.0: missing in a partition without signed names."""
    return isinstance(label, (str, bytes)) and _text(label) in _MINUS_ONE


def has_signed_names(labels: Iterable[Any]) -> bool:
    """Whether a label is the text of a number with a sign, other than -1."""
    return any(
        isinstance(label, (str, bytes))
        and _SIGNED.fullmatch(_text(label)) is not None
        and not is_missing_text(label)
        for label in labels
    )


def _text(label: str | bytes) -> str:
    return (label if isinstance(label, str) else label.decode("latin-1")).strip()


def is_nothing(value: Any) -> bool:
    """Whether `value` is None, a NaN of any type, or the NA or NaT of pandas."""
    if value is None or value is np.ma.masked or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, Decimal):  # the comparison of a signaling NaN raises an error
        return value.is_nan()
    return isinstance(value, (numbers.Number, np.generic)) and bool(value != value)
