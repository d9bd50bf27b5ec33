"""The file format of `Ensemble.save` and `Ensemble.load`."""

from __future__ import annotations

import errno
import os
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._machine.atomic import replacing
from consensa._machine.numpy_files import NpzArchive
from consensa._machine.reading import reading
from consensa.ensemble.checks import check_codes
from consensa.ensemble.labels import read_label_matrix
from consensa.exceptions import InvalidInputError

__all__ = ["Archived", "read_archive", "write_archive"]

_NAMES = ("labels", "partition_names", "sample_names")
_SENTENCE = "must be a file written by Ensemble.save."


class Archived(NamedTuple):
    """Contents of a file."""

    codes: Array
    partition_names: tuple[str, ...] | None
    sample_names: Array | None


def write_archive(
    path: str | os.PathLike[str],
    codes: Array,
    partition_names: tuple[str, ...] | None,
    sample_names: Any,
) -> None:
    """Write an NPZ file, atomically."""
    arrays: dict[str, Any] = {"labels": codes}
    if partition_names is not None:
        arrays["partition_names"] = np.asarray(partition_names, dtype=str)
    if sample_names is not None:
        names = np.asarray(sample_names)
        arrays["sample_names"] = names.astype(str) if names.dtype.kind == "O" else names
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)


def read_archive(path: str | os.PathLike[str]) -> Archived:
    """Read such a file; pickled objects are rejected."""
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    with reading(path, _SENTENCE):
        archive = NpzArchive(path)
        arrays = {name: archive.read(name) for name in _NAMES if name in archive.headers}
    try:
        return _from_arrays(arrays)
    except (InvalidInputError, KeyError) as error:
        message = f"{os.fspath(path)} {_SENTENCE} {error}"
        raise InvalidInputError(message) from error


def _from_arrays(arrays: dict[str, Array]) -> Archived:
    codes = read_label_matrix(arrays["labels"]).codes
    check_codes(codes, None)
    names, samples = arrays.get("partition_names"), arrays.get("sample_names")
    for axis, array in enumerate((samples, names)):
        if array is not None and array.shape != codes.shape[axis : axis + 1]:
            message = f"It names {array.shape} of the labels {codes.shape}."
            raise InvalidInputError(message)
    return Archived(codes, None if names is None else tuple(map(str, names)), samples)
