"""Write labels to a file, atomically, or to stdout; if that fails, save them elsewhere.

A table is one frame, or many with the same columns: blocks of rows that are made while they are
written, and made again if they must be written elsewhere.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import ArrowException, parquet

from consensa._machine.atomic import check_writable, writing
from consensa._optional import require
from consensa.cli._formats import with_own_names, write_h5ad, write_sheet
from consensa.cli._formulas import FormulaCheck, with_escaped_formulas
from consensa.exceptions import InvalidInputError

__all__ = [
    "MODEL_ENDINGS",
    "check_apart",
    "check_output",
    "check_place",
    "rescuing",
    "resumable",
    "write_blocks",
    "write_frame",
]

# The encoding of every CSV, on stdout too: `> labels.csv` and `-o labels.csv` are the same bytes.
# What is no text, such as half of a surrogate pair, is written by its number.
_TEXT: dict[str, Any] = {"index": False, "encoding": "utf-8", "errors": "backslashreplace"}
Frames = Iterable[pd.DataFrame]


def _write_text(frames: Frames, target: Any, sep: str = ",") -> None:
    if isinstance(target, (str, os.PathLike)):
        with open(target, "wb") as file:
            _write_text(frames, file, sep)
        return
    for number, frame in enumerate(frames):
        frame.to_csv(target, sep=sep, header=number == 0, **_TEXT)


def _write_parquet(frames: Frames, path: Any) -> None:
    blocks = iter(frames)
    first, second = next(blocks), next(blocks, None)
    if second is None:
        with_own_names(first).to_parquet(path, index=False, engine="pyarrow")
        return
    schema = _plain_types(pa.Table.from_pandas(first, preserve_index=False).schema)
    with parquet.ParquetWriter(path, schema) as writer:
        for frame in chain([first, second], blocks):
            table = pa.Table.from_pandas(frame, schema, preserve_index=False)
            writer.write_table(table.replace_schema_metadata(schema.metadata))


def _plain_types(schema: pa.Schema) -> pa.Schema:
    """A schema by which pandas reads columns as of any file, and not by the types of Arrow."""
    said = json.loads(schema.metadata[b"pandas"])
    for column in said["columns"]:
        if column["numpy_type"].endswith("[pyarrow]"):
            column["numpy_type"] = "object"
    return schema.with_metadata({b"pandas": json.dumps(said).encode()})


def _at_once(write: Callable[[pd.DataFrame, Any], object]) -> Callable[[Frames, Any], object]:
    """A writer of formats that hold all rows at once."""

    def together(frames: Frames, path: Any) -> None:
        blocks = list(frames)
        write(blocks[0] if len(blocks) == 1 else pd.concat(blocks, ignore_index=True), path)

    return together


_WRITERS: dict[str, Callable[[Frames, Any], object]] = {
    ".csv": _write_text,
    ".tsv": partial(_write_text, sep="\t"),
    ".parquet": _write_parquet,
    ".xlsx": _at_once(write_sheet),
    ".h5ad": _at_once(write_h5ad),
}
_NEEDS = {".xlsx": ("openpyxl", "excel"), ".h5ad": ("anndata", "anndata")}  # library and extra
_RUNS_NO_FORMULA = (".parquet", ".h5ad")
_UNFINISHED = "output.txt"  # file of the state of a run
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
    table = [frame]
    with rescuing(table, from_stdout=path is None):
        write_blocks(table, path, escape=escape)


def write_blocks(
    table: Frames, path: Path | None, *, escape: bool = False, state: Path | None = None
) -> None:
    """Write blocks of rows, as they are made, to a file, or as CSV to stdout.

    There is no file before all of them are written. The `state` of a run knows the temporary file,
    so that the next run removes it if this one is killed.
    """
    formulas = FormulaCheck()
    if path is None or path.suffix.lower() not in _RUNS_NO_FORMULA:
        see = with_escaped_formulas if escape else formulas.see
        table = _Seen(table, see)
    try:
        if path is None:
            _print(table)
            return
        with writing(path) as temporary:
            if state is not None and state.is_dir():
                _replace_unfinished(state / _UNFINISHED, temporary)
            _WRITERS[path.suffix.lower()](table, temporary)
    finally:
        formulas.warn()


def _replace_unfinished(note: Path, temporary: Path) -> None:
    """Remove the temporary file of a run that was killed, and note that of this run."""
    if note.exists():
        left = Path(note.read_text(encoding="utf-8"))
        if left.parent == temporary.parent and left.name.startswith("."):
            left.unlink(missing_ok=True)
    note.write_text(str(temporary), encoding="utf-8")


class _Seen:
    """Frames that a function sees, and may change, when they are written."""

    def __init__(self, table: Frames, see: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
        self.table, self.see = table, see

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return map(self.see, self.table)


def _print(table: Frames) -> str:
    sys.stdout.flush()
    _WRITERS[".csv"](table, getattr(sys.stdout, "buffer", sys.stdout))  # a notebook has no buffer
    sys.stdout.flush()
    return "stdout"


@contextmanager
def rescuing(table: Frames, *, from_stdout: bool = False) -> Iterator[None]:
    """If a table cannot be written, write it somewhere else and tell where."""
    try:
        yield
    except (OSError, InvalidInputError, ArrowException, UnicodeError) as error:
        message = f"{_said(error)} {_rescue(table, from_stdout)}"
        raise InvalidInputError(message) from error


@contextmanager
def resumable(folder: Path, path: Path | None) -> Iterator[None]:
    """If labels cannot be written, say that the state of the run, in a folder, has them."""
    try:
        yield
    except (OSError, InvalidInputError, ArrowException, UnicodeError) as error:
        if isinstance(error, InvalidInputError) and not isinstance(error.__cause__, OSError):
            raise  # not of the disk
        message = f"{_said(error)} {_next_run(folder, path)}"
        raise InvalidInputError(message) from error


def _next_run(folder: Path, path: Path | None) -> str:
    where = "" if path is None else " or use another --output,"
    return (
        f"Free some space,{where} and run again with --resume {folder}: what was computed is kept "
        f"there, and only the labels are written again."
    )


def _said(error: Exception) -> str:
    said = str(error)
    if isinstance(error, OSError):
        said = f"{error.filename or 'The output'} could not be written: {error.strerror}"
    return f"{said.rstrip('.')}."


def _rescue(table: Frames, from_stdout: bool) -> str:
    """Write the table to a temporary file, or print it; a sentence that tells where.

    Many rows are not printed.
    """
    places: list[tuple[Callable[[Frames], str], str]] = [
        (_write_temporary, "The labels were written to {} instead."),
        (_print, "The labels were printed to standard output instead."),
    ]
    for write, sentence in places[: 2 if isinstance(table, list) and not from_stdout else 1]:
        with suppress(OSError):
            return sentence.format(write(table))
    return "The labels could not be written anywhere else."


def _write_temporary(table: Frames) -> str:
    handle, name = tempfile.mkstemp(".csv", "consensa-")
    os.close(handle)
    try:
        _WRITERS[".csv"](table, name)
    except OSError:
        Path(name).unlink()
        raise
    return name
