"""Objects in a file that runs no code when it is read: names, numbers and arrays.

A class that may be in such a file is decorated with `storable`: its fields are numbers, text,
arrays, sparse matrices, or storable objects again. The file is an NPZ file: one array for each
array, and the rest as JSON. Reading it calls nothing but the constructors of storable classes, and
pickled objects are rejected.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.atomic import replacing
from consensa._machine.numpy_files import NpzArchive
from consensa._machine.reading import reading
from consensa.exceptions import InvalidInputError

__all__ = ["read_objects", "storable", "write_objects"]

Class = TypeVar("Class", bound=type[Any])

_known: dict[str, type] = {}
_CONTENT = "content"  # the array with the JSON text


@dataclass_transform(frozen_default=True, eq_default=False)
def storable(cls: Class) -> Class:
    """Make a frozen dataclass of which objects may be in a file."""
    _known[cls.__name__.lstrip("_")] = dataclass(frozen=True, eq=False)(cls)
    return cls


def write_objects(value: Any, path: str | os.PathLike[str], *, what: str) -> None:
    """Write a storable value, atomically; `what` names it in messages."""
    writer = _Writer(what)
    text = json.dumps(writer.plain(value))
    arrays = {f"array{number}": array for number, array in enumerate(writer.arrays)}
    content = np.frombuffer(text.encode(), np.uint8)
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **{_CONTENT: content}, **arrays)  # type: ignore[arg-type]


def read_objects(path: str | os.PathLike[str], *, sentence: str) -> Any:
    """Read a value; errors say the path, and the `sentence` on what the file must be."""
    with reading(path, sentence):
        archive = NpzArchive(path)
        content = json.loads(archive.read(_CONTENT).tobytes().decode())
        return _Reader(archive).value(content)


class _Writer:
    """Values as JSON, and the arrays that they refer to by number; equal arrays only once."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.arrays: list[Array] = []
        self._numbers: dict[int, int] = {}

    def plain(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, str, int, float)):
            return value
        if isinstance(value, np.generic):
            return self.plain(value.item())
        if isinstance(value, np.ndarray):
            return self._array(value)
        if sparse.issparse(value):
            rows = sparse.csr_array(value)
            parts = [self._array(part) for part in (rows.data, rows.indices, rows.indptr)]
            return {"sparse": parts, "shape": list(rows.shape)}
        if _known.get(type(value).__name__.lstrip("_")) is type(value):
            inside = {name: self.plain(getattr(value, name)) for name in _field_names(type(value))}
            return {"object": type(value).__name__.lstrip("_"), "fields": inside}
        if isinstance(value, (tuple, list)):
            return {type(value).__name__: [self.plain(entry) for entry in value]}
        if isinstance(value, dict):
            return {"dict": [[self.plain(key), self.plain(own)] for key, own in value.items()]}
        message = (
            f"{self.what} cannot be saved: it contains an object of {type(value).__module__}."
            f"{type(value).__name__}, which a file without code cannot hold."
        )
        raise InvalidInputError(message)

    def _array(self, value: Array) -> Any:
        if value.dtype.kind == "O":
            return {"objects": [self.plain(entry) for entry in value.tolist()]}
        number = self._numbers.setdefault(id(value), len(self.arrays))
        if number == len(self.arrays):
            self.arrays.append(value)  # keeps it alive, so that its id stays its own
        return {"array": number}


class _Reader:
    def __init__(self, archive: NpzArchive) -> None:
        self.archive = archive
        self._arrays: dict[int, Array] = {}

    def value(self, content: Any) -> Any:
        if not isinstance(content, dict):
            return content
        kind = next(iter(content))
        read: dict[str, Callable[[Any], Any]] = {
            "array": self._array,
            "objects": self._objects,
            "sparse": self._sparse,
            "object": self._object,
            "tuple": lambda found: tuple(map(self.value, found["tuple"])),
            "list": lambda found: list(map(self.value, found["list"])),
            "dict": lambda found: {self.value(k): self.value(v) for k, v in found["dict"]},
        }
        return read[kind](content)

    def _array(self, content: Any) -> Array:
        number = int(content["array"])
        if number not in self._arrays:
            self._arrays[number] = self.archive.read(f"array{number}")
        return self._arrays[number]

    def _objects(self, content: Any) -> Array:
        entries = list(map(self.value, content["objects"]))
        made = np.empty(len(entries), dtype=object)
        made[:] = entries
        return made

    def _sparse(self, content: Any) -> sparse.csr_array:
        parts = tuple(map(self.value, content["sparse"]))
        made = sparse.csr_array(parts, shape=tuple(content["shape"]))
        made.check_format(full_check=True)
        return made

    def _object(self, content: Any) -> Any:
        cls = _known[content["object"]]
        inside = {name: self.value(own) for name, own in content["fields"].items()}
        return cls(**inside)


def _field_names(cls: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls) if field.init)
