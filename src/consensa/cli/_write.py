"""Write labels to a file, atomically, or to stdout; if that fails, save them elsewhere."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow import ArrowException

from consensa._machine.atomic import check_writable, writing
from consensa._optional import require
from consensa.cli._formats import write_h5ad, write_sheet
from consensa.cli._formulas import warn_of_formulas, with_escaped_formulas
from consensa.exceptions import InvalidInputError

__all__ = [
    "MODEL_ENDINGS",
    "check_apart",
    "check_output",
    "check_place",
    "rescuing",
    "write_frame",
]

# The encoding of every CSV, on stdout too: `> labels.csv` and `-o labels.csv` are the same bytes.
# What is no text, such as half of a surrogate pair, is written by its number.
_TEXT: dict[str, Any] = {"index": False, "encoding": "utf-8", "errors": "backslashreplace"}
_WRITERS: dict[str, Callable[[pd.DataFrame, Any], object]] = {
    ".csv": partial(pd.DataFrame.to_csv, **_TEXT),
    ".tsv": partial(pd.DataFrame.to_csv, sep="\t", **_TEXT),
    ".parquet": partial(pd.DataFrame.to_parquet, index=False, engine="pyarrow"),
    ".xlsx": write_sheet,
    ".h5ad": write_h5ad,
}
_NEEDS = {".xlsx": ("openpyxl", "excel"), ".h5ad": ("anndata", "anndata")}  # library and extra
_RUNS_NO_FORMULA = (".parquet", ".h5ad")
MODEL_ENDINGS = (".npz",)


def check_output(
    path: Path | None,
    *,
    source: Path,
    also: tuple[str, ...] = (),
    option: str = "--output",
    endings: tuple[str, ...] = tuple(_WRITERS),
) -> None:
    """Refuse a file that could not be written, before anything is computed."""
    if path is None:
        return
    ending = path.suffix.lower()
    if ending not in (*endings, *also):
        message = f"{option} must end in {', '.join((*endings, *also))}. Got {path.name!r}."
        raise InvalidInputError(message)
    if ending in _NEEDS:
        library, extra = _NEEDS[ending]
        require(library, extra=extra, purpose=f"{option} {path.name}")
    check_place(path, option)
    if path.exists() and source.exists() and path.samefile(source):
        message = f"{option} must not be the input. Both are {path}."
        raise InvalidInputError(message)


def check_apart(files: Mapping[str, Path | None]) -> None:
    """Refuse two options that name one file."""
    known: dict[str, str] = {}
    for option, path in files.items():
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in known:
            message = f"{option} must be a separate file. {path} is also {known[place]}."
            raise InvalidInputError(message)
        known[place] = option


def check_place(path: Path, option: str) -> None:
    """Raise an error if no file can be written here."""
    if not path.parent.is_dir():
        message = f"{option} must be in a folder that exists. There is no folder {path.parent}."
        raise InvalidInputError(message)
    if path.is_dir():
        message = f"{option} must be a file. {path} is a folder."
        raise InvalidInputError(message)
    try:
        check_writable(path)
    except OSError as error:
        message = f"{option} must be a writable file. {path}: {error.strerror}."
        raise InvalidInputError(message) from error


def write_frame(frame: pd.DataFrame, path: Path | None, *, escape: bool = False) -> None:
    """Write a frame to a file, or as CSV to stdout.

    With `escape`, text that a spreadsheet would run as a formula begins with an apostrophe;
    without it, a warning names the first such text.
    """
    if path is None or path.suffix.lower() not in _RUNS_NO_FORMULA:
        if escape:
            frame = with_escaped_formulas(frame)
        else:
            warn_of_formulas(frame)
    with rescuing(frame, from_stdout=path is None):
        if path is None:
            _print(frame)
        else:
            with writing(path) as temporary:
                _WRITERS[path.suffix.lower()](frame, temporary)


def _print(frame: pd.DataFrame) -> str:
    sys.stdout.flush()
    _WRITERS[".csv"](frame, getattr(sys.stdout, "buffer", sys.stdout))  # a notebook has no buffer
    sys.stdout.flush()
    return "stdout"


@contextmanager
def rescuing(frame: pd.DataFrame, *, from_stdout: bool = False) -> Iterator[None]:
    """If the frame cannot be written, write it somewhere else and tell where."""
    try:
        yield
    except (OSError, InvalidInputError, ArrowException, UnicodeError) as error:
        said = str(error)
        if isinstance(error, OSError):
            said = f"{error.filename or 'The output'} could not be written: {error.strerror}"
        message = f"{said.rstrip('.')}. {_rescue(frame, from_stdout)}"
        raise InvalidInputError(message) from error


def _rescue(frame: pd.DataFrame, from_stdout: bool) -> str:
    """Write the frame to a temporary file, or print it; a sentence that tells where."""
    places: list[tuple[Callable[[pd.DataFrame], str], str]] = [
        (_write_temporary, "The labels were written to {} instead."),
        (_print, "The labels were printed to standard output instead."),
    ]
    for write, sentence in places[: 1 if from_stdout else 2]:
        with suppress(OSError):
            return sentence.format(write(frame))
    return "The labels could not be written anywhere else."


def _write_temporary(frame: pd.DataFrame) -> str:
    handle, name = tempfile.mkstemp(".csv", "consensa-")
    os.close(handle)
    try:
        _WRITERS[".csv"](frame, name)
    except OSError:
        Path(name).unlink()
        raise
    return name
