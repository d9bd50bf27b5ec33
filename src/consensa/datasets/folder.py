"""Data sets in a folder of this machine."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["FOLDER", "local_sets"]

FOLDER = "CONSENSA_DATA"
"""Environment variable that names the folder."""


def local_sets(folder: str | os.PathLike[str] | None = None) -> dict[str, Path]:
    """The NPZ files of a folder by the names of their sets, which are in lower case."""
    where = folder if folder is not None else os.environ.get(FOLDER)
    files = [] if where is None else sorted(Path(where).glob("*.npz"))
    # Sorted: of two names that differ in case alone, the one in lower case is the last.
    return {path.stem.lower(): path for path in files if path.is_file()}
