"""NPY and NPZ files: the headers first, then only the arrays that are needed."""

from __future__ import annotations

import math
import os
import warnings
import zipfile
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa._machine.reading import require_regular_file
from consensa.exceptions import InvalidInputError

__all__ = ["ArrayHeader", "NpzArchive", "check_characters", "quiet_headers", "read_npy"]

_REMEDY = "Use a smaller array, or a machine with more memory."


class ArrayHeader(NamedTuple):
    """Shape and type of an array in a file."""

    shape: tuple[int, ...]
    dtype: Any

    @property
    def nbytes(self) -> int:
        """Number of bytes of the array in memory."""
        return math.prod(self.shape) * int(self.dtype.itemsize)


class NpzArchive:
    """The arrays of an NPZ file. `headers` are read at once, an array when it is asked for.

    Other members of the ZIP file are ignored.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        require_regular_file(self.path)
        self.headers: dict[str, ArrayHeader] = {}
        self._members: dict[str, str] = {}
        with zipfile.ZipFile(self.path) as archive:
            for info in archive.infolist():
                with archive.open(info) as file:
                    header = _read_header(file, info.file_size, alone=True)
                if header is not None:
                    name = info.filename.removesuffix(".npy")
                    self.headers[name], self._members[name] = header, info.filename

    def read(self, name: str) -> Array:
        """Unpack one array, if there is memory for it."""
        _require_memory(self.headers[name], f"{self.path}, array {name!r},")
        with (
            zipfile.ZipFile(self.path) as archive,
            archive.open(self._members[name]) as file,
        ):
            with quiet_headers():
                array = npy.read_array(file, allow_pickle=False)
            file.read(1)  # the end, where the checksum is compared
        check_characters(array)
        return array


def read_npy(path: str | os.PathLike[str]) -> Array:
    """Read an NPY file, if there is memory for it."""
    require_regular_file(path)
    with Path(path).open("rb") as file:
        header = _read_header(file, os.fstat(file.fileno()).st_size)
        if header is None:
            message = f"{os.fspath(path)} must be a file written by NumPy. It has another format."
            raise InvalidInputError(message)
        _require_memory(header, os.fspath(path))
        file.seek(0)
        with quiet_headers():
            array = npy.read_array(file, allow_pickle=False)
    check_characters(array)
    return array


def check_characters(array: Array) -> None:
    """Raise an error if a string has a number that is no character: Python cannot show it."""
    if array.dtype.kind != "U" or array.size == 0 or array.dtype.itemsize == 0:
        return
    numbers = np.ascontiguousarray(array).view(np.dtype("u4").newbyteorder(array.dtype.byteorder))
    bad = (numbers > 0x10FFFF) | ((numbers >= 0xD800) & (numbers <= 0xDFFF))
    if bad.any():
        message = f"it is damaged: there is no character with the number {numbers[bad][0]}"
        raise ValueError(message)


def quiet_headers() -> warnings.catch_warnings[None]:
    """Inside, what Python and NumPy warn of in a header is ignored: they read or refuse it."""
    return warnings.catch_warnings(action="ignore")


def _read_header(file: IO[bytes], size: int, alone: bool = False) -> ArrayHeader | None:
    """Header of an array in a file of `size` bytes; None if there is no array.

    If it is `alone`, nothing may follow the array.
    """
    beginning = file.read(npy.MAGIC_LEN)
    if not beginning.startswith(npy.MAGIC_PREFIX) or len(beginning) < npy.MAGIC_LEN:
        return None
    # Versions 2 and 3 differ only in the encoding of the names of fields.
    first = beginning[len(npy.MAGIC_PREFIX)] == 1
    parse = npy.read_array_header_1_0 if first else npy.read_array_header_2_0
    with quiet_headers():
        shape, _, dtype = parse(file)
    header = ArrayHeader(tuple(shape), dtype)
    rest = size - file.tell() - header.nbytes
    # Objects are pickled: their size is unknown, and NumPy refuses to read them.
    fits = dtype.hasobject or (rest == 0 if alone else rest >= 0)
    if not fits or min(header.shape, default=0) < 0:
        message = f"it is damaged: an array of shape {header.shape}, {dtype}, does not fit into it"
        raise ValueError(message)
    return header


def _require_memory(header: ArrayHeader, what: str) -> None:
    require_bytes(
        header.nbytes, step=what, why=f"shape {header.shape}, {header.dtype}", remedy=_REMEDY
    )
