"""Labels → files, whole or not at all; or → stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from consensa._machine.atomic import writing
from consensa.exceptions import InvalidInputError

__all__ = ["check_output", "write_frame"]

_WRITERS: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    ".csv": partial(pd.DataFrame.to_csv, index=False),
    ".tsv": partial(pd.DataFrame.to_csv, index=False, sep="\t"),
    ".parquet": partial(pd.DataFrame.to_parquet, index=False, engine="pyarrow"),
}


def check_output(path: Path | None, *, source: Path, also: tuple[str, ...] = ()) -> None:
    """Refuse a file that could not be written, before anything is computed."""
    if path is None:
        return
    endings = (*_WRITERS, *also)
    if path.suffix.lower() not in endings:
        message = f"--output must end in {', '.join(endings)}. Got {path.name!r}."
        raise InvalidInputError(message)
    if not path.parent.is_dir():
        message = f"--output must be in a folder that exists. There is no folder {path.parent}."
        raise InvalidInputError(message)
    if path.is_dir():
        message = f"--output must be a file. {path} is a folder."
        raise InvalidInputError(message)
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        message = f"--output must be a writable file. Permission denied for {path}."
        raise InvalidInputError(message)
    if path.exists() and source.exists() and path.samefile(source):
        message = f"--output must not be the input. Both are {path}."
        raise InvalidInputError(message)


def write_frame(frame: pd.DataFrame, path: Path | None) -> None:
    """Write a frame to a file, or as CSV to stdout."""
    if path is None:
        frame.to_csv(sys.stdout, index=False)
        sys.stdout.flush()
        return
    with writing(path) as temporary:
        _WRITERS[path.suffix.lower()](frame, temporary)
