"""Arrays on disk that are not read at once: NPY files and Zarr folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from numpy.lib import format as npy

from consensa._machine.numpy_files import quiet_headers
from consensa._machine.reading import reading, require_regular_file
from consensa._optional import require
from consensa.exceptions import InvalidInputError

__all__ = ["BY_ZARR", "format_of", "open_npy_array", "open_zarr_array", "unstored_chunks"]

BY_ZARR = "must be an array written by Zarr."


def format_of(path: str | os.PathLike[str]) -> str:
    """The format of a file, folder or URL that exists: ``"npy"``, ``"zarr"`` or ``"parquet"``."""
    text = os.fspath(path)
    require_regular_file(text)
    if "://" not in text and not Path(text).exists():
        message = f"There is no {text}."
        raise InvalidInputError(message)
    ending = text.rstrip("/").rpartition(".")[2].lower()
    return ending if ending in ("npy", "zarr") else "parquet"


def open_npy_array(path: str | os.PathLike[str]) -> Any:
    """Open an NPY file as a memory map."""
    with reading(path, "must be a matrix of numbers written by NumPy."), quiet_headers():
        return npy.open_memmap(path, mode="r")


def unstored_chunks(array: Any, name: str) -> tuple[int, int]:
    """Number of chunks of a Zarr array that are not on disk, and of all."""
    with reading(name, BY_ZARR):
        return array.nchunks - array.nchunks_initialized, array.nchunks


def open_zarr_array(path: str) -> Any:
    """Open a Zarr array, in a folder or at a URL."""
    zarr = require("zarr", extra="dask", purpose="Reading Zarr")
    with reading(path, BY_ZARR):
        return zarr.open_array(path, mode="r")
