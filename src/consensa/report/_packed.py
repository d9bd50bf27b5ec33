"""Arrays and texts → one compressed text that the script of a page unpacks."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Packed", "packed", "smallest_type"]

_TYPES = ("uint8", "uint16", "uint32", "float64")  # that the script knows


class Packed(NamedTuple):
    """Compressed parts of a page.

    Attributes
    ----------
    parts : list of (str, str, int)
        Name, type and length in bytes of each part; arrays of numbers, or ``"json"``.
    data : str
        The bytes of all parts, compressed by gzip, in base64.
    """

    parts: list[tuple[str, str, int]]
    data: str


def packed(values: Mapping[str, Any]) -> Packed:
    """Pack arrays of numbers and values of JSON; `bytes` are arrays of bytes."""
    parts, data = [], []
    for name, value in values.items():
        kind, content = _encoded(value)
        parts.append((name, kind, len(content)))
        data.append(content)
    # Without the time, so that equal contents give equal pages.
    compressed = gzip.compress(b"".join(data), compresslevel=6, mtime=0)
    return Packed(parts, base64.b64encode(compressed).decode())


def _encoded(value: Any) -> tuple[str, bytes]:
    if isinstance(value, bytes):
        return "uint8", value
    if isinstance(value, np.ndarray):
        kind = value.dtype.name
        assert kind in _TYPES, kind
        return kind, np.ascontiguousarray(value, value.dtype.newbyteorder("<")).tobytes()
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return "json", text.encode()


def smallest_type(largest: int) -> str:
    """The smallest type of whole numbers up to `largest`."""
    return next(kind for kind in _TYPES if largest <= np.iinfo(kind).max)
