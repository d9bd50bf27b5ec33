"""Files → tables: CSV, TSV, text, Parquet, NPY, NPZ. Pickles are never opened."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pyarrow import ArrowException

from consensa._array import Array
from consensa.cli._suggest import listed, suggestion
from consensa.exceptions import InvalidInputError

__all__ = ["READERS", "Request", "Table", "read_table"]


# What the libraries raise on files that are damaged or something else than their name says.
_UNREADABLE = (
    ValueError,  # with it: UnicodeDecodeError, pandas' ParserError and EmptyDataError
    ArrowException,
    EOFError,
    KeyError,
    OSError,
    RuntimeError,
    TypeError,
    zipfile.BadZipFile,
    zlib.error,
)


_CHUNK = 2**18  # bytes that pandas reads at once
_NUMPY_BEGINNINGS = (b"\x93NUMPY", b"PK")


@dataclass(frozen=True)
class Request:
    """How a file is to be read.

    Attributes
    ----------
    header : bool or None
        Whether the first line of a text file holds names; None raises an error if it could be
        data.
    array : str or None
        Array of an NPZ file; None selects it by its name.
    usual : tuple of str
        Usual names of the array, the most likely first.
    text : tuple of str
        Columns to be read as text, so that 007 stays 007.
    """

    header: bool | None = None
    array: str | None = None
    usual: tuple[str, ...] = ()
    text: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Content of a file.

    Attributes
    ----------
    source : Path
        The file.
    frame : pandas.DataFrame
        Its columns, named by strings.
    row_names : array or None
        Names of the rows, where the file has them.
    beside : dict of str to array
        Other arrays of an NPZ file with one entry a row.
    code : str
        Python that reads all columns in the same way.
    frame_code : str
        Python that makes a frame of them, whose columns have the names of `frame`.
    """

    source: Path
    frame: pd.DataFrame
    row_names: Any = None
    beside: dict[str, Array] = field(default_factory=dict)
    code: str = ""
    frame_code: str = ""


def read_table(path: Path, request: Request) -> Table:
    """Read a table; any failure raises an `InvalidInputError`."""
    _check_is_file(path)
    ending = path.suffix.lower()
    if ending not in READERS:
        message = f"FILE must end in {', '.join(READERS)}. Got {path.name!r}."
        raise InvalidInputError(message)
    with _unreadable_as_message(path):
        table = READERS[ending](path, request)
    if len(table.frame) == 0 or table.frame.shape[1] == 0:
        rows, columns = table.frame.shape
        message = f"{path} must contain a table. It has {rows} rows and {columns} data columns."
        raise InvalidInputError(message)
    return table


def _check_is_file(path: Path) -> None:
    if path.is_dir():
        message = f"FILE must be a file. {path} is a folder."
        raise InvalidInputError(message)
    if not path.exists():
        beside = sorted(p.name for p in path.parent.iterdir()) if path.parent.is_dir() else []
        message = f"FILE must exist. There is no {path}.{suggestion(path.name, beside)}"
        raise InvalidInputError(message)
    if path.is_file() and path.stat().st_size == 0:
        message = f"{path} must contain a table. It is empty."
        raise InvalidInputError(message)


@contextmanager
def _unreadable_as_message(path: Path) -> Iterator[None]:
    try:
        yield
    except InvalidInputError:
        raise
    except PermissionError as error:
        message = f"{path} cannot be read: permission denied."
        raise InvalidInputError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path} must be text in UTF-8. Byte {error.start} of it is not."
        raise InvalidInputError(message) from error
    except _UNREADABLE as error:
        reason = " ".join(str(error).split()).removeprefix("Error tokenizing data. C error: ")
        if "allow_pickle" in reason:
            reason = "it contains pickled objects, which may run code and are never loaded"
        message = f"{path} cannot be read as a {path.suffix.lower()} file: {reason}."
        raise InvalidInputError(message.replace("..", ".")) from error


# ---- text ------------------------------------------------------------------------------------


def _read_text(path: Path, request: Request, *, separator: str | None) -> Table:
    with path.open("rb") as file:
        if b"\0" in file.read(2**16):
            message = f"{path} must be text in UTF-8. It contains zero bytes, like a binary file."
            raise InvalidInputError(message)
    options: dict[str, Any] = {
        "sep": separator or _separator(path),
        "encoding": "utf-8-sig",  # with or without a byte order mark
        "skipinitialspace": True,
    }
    first = pd.read_csv(
        path, header=None, nrows=1, dtype=str, keep_default_na=False, **options
    ).iloc[0]
    header = _has_header(path, [str(entry) for entry in first], request.header)
    frame = pd.read_csv(
        path,
        header=0 if header else None,
        low_memory=False,  # one type a column, not one a chunk
        dtype=dict.fromkeys(request.text, str),
        **options,
    )
    frame.columns = frame.columns.map(str)
    code = _text_code(path, header, options["sep"])
    if header and not str(first.iloc[0]).strip():  # pandas and R write the names of rows so
        names, frame, code = frame.iloc[:, 0].to_numpy(), frame.iloc[:, 1:], f"{code}.iloc[:, 1:]"
        return Table(path, frame, row_names=names, code=code, frame_code=code)
    if frame.index.nlevels > 1:
        message = f"{path} must be a table. Its rows have more fields than its first line."
        raise InvalidInputError(message)
    # Or so: a first line without a place for them, which makes them pandas' index.
    return _with_row_names_of_index(path, frame, code)


def _text_code(path: Path, header: bool, separator: str) -> str:
    """Python that reads a text file as `_read_text` does."""
    options: dict[str, Any] = {} if separator == "," else {"sep": separator}
    options |= {} if header else {"header": None}
    options |= {"skipinitialspace": True}
    # Longer files are read by chunks, whose columns may come out with different types.
    options |= {"low_memory": False} if path.stat().st_size > _CHUNK else {}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    return f"pd.read_csv({str(path)!r}{given})" + ("" if header else ".rename(columns=str)")


def _separator(path: Path) -> str:
    """The separator in the first line that is not empty."""
    with path.open(encoding="utf-8-sig") as file:
        line = next((line for line in file if line.strip()), "")
    counts = {mark: line.count(mark) for mark in ("\t", ";", ",")}
    mark = max(counts, key=lambda mark: counts[mark])
    spaces = path.suffix.lower() == ".txt"
    return mark if counts[mark] else (r"\s+" if spaces else ",")


def _has_header(path: Path, first: list[str], said: bool | None) -> bool:
    """Whether the first line holds names. For a line of numbers the user must decide."""
    if said is not None:
        return said
    if not all(_is_number(entry) for entry in first):
        return True
    message = (
        f"The first line of {path} contains only numbers ({listed(first)}). Use --no-header if "
        f"it is data, or --header if these are column names."
    )
    raise InvalidInputError(message)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---- Parquet and NumPy -----------------------------------------------------------------------


def _read_parquet(path: Path, request: Request) -> Table:
    frame = pd.read_parquet(path, engine="pyarrow")
    frame.columns = frame.columns.map(str)
    return _with_row_names_of_index(
        path, frame, f"pd.read_parquet({str(path)!r}).rename(columns=str)"
    )


def _with_row_names_of_index(path: Path, frame: pd.DataFrame, code: str) -> Table:
    plain = frame.reset_index(drop=True)
    named = frame.index.nlevels == 1 and not frame.index.equals(plain.index)
    return Table(
        path, plain, frame.index.to_numpy() if named else None, code=code, frame_code=code
    )


def _read_numpy(path: Path, request: Request) -> Table:
    with path.open("rb") as file:
        if not file.read(6).startswith(_NUMPY_BEGINNINGS):
            message = f"{path} must be a file written by NumPy. It does not have its signature."
            raise InvalidInputError(message)
        file.seek(0)
        stored = np.load(file, allow_pickle=False)
        code = f"np.load({str(path)!r})"
        if isinstance(stored, np.ndarray):
            whole, framed = _array_code(code, stored)
            return Table(path, _frame(path, stored), code=whole, frame_code=framed)
        arrays = {name: stored[name] for name in stored.files}
    name = _choose_array(path, arrays, request)
    matrix = arrays.pop(name)
    frame = _frame(path, matrix)
    beside = {other: a for other, a in arrays.items() if a.shape == (len(frame),)}
    # Ensemble.save puts the names of samples and partitions beside the labels.
    columns = arrays.get("partition_names")
    whole, framed = _array_code(f"{code}[{name!r}]", matrix)
    if columns is not None and columns.shape == (frame.shape[1],):
        frame.columns = pd.Index([str(column) for column in columns])
        names = f"{code}['partition_names'].astype(str)"
        framed = f"pd.DataFrame({whole}, columns={names})"
    return Table(path, frame, beside.pop("sample_names", None), beside, whole, framed)


def _array_code(code: str, array: Array) -> tuple[str, str]:
    """Python that reads an array, and that makes a frame of it."""
    plain = f"{code}.astype(str)" if array.dtype.kind == "S" else code
    return plain, f"pd.DataFrame({plain}).rename(columns=str)"


def _choose_array(path: Path, arrays: dict[str, Array], request: Request) -> str:
    shapes = ", ".join(f"{name!r} {array.shape}" for name, array in arrays.items())
    if request.array is not None:
        if request.array in arrays:
            return request.array
        message = (
            f"--array must name an array of {path}, which contains {shapes}. "
            f"Got {request.array!r}.{suggestion(request.array, arrays)}"
        )
        raise InvalidInputError(message)
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    usual = [name for name in request.usual if name in matrices]
    choice = usual[:1] or matrices
    if len(choice) == 1:
        return choice[0]
    held = shapes or "nothing"
    message = f"{path} must contain one matrix, or use --array to choose. It contains {held}."
    raise InvalidInputError(message)


def _frame(path: Path, array: Array) -> pd.DataFrame:
    if array.ndim != 2 or array.dtype.kind not in "biufUS":
        message = (
            f"{path} must contain a matrix of numbers or strings with a row for each sample. "
            f"Got shape {array.shape} and dtype {array.dtype}."
        )
        raise InvalidInputError(message)
    plain = array.astype(str) if array.dtype.kind == "S" else array
    return pd.DataFrame(plain, columns=[str(column) for column in range(array.shape[1])])


READERS: dict[str, Callable[[Path, Request], Table]] = {
    ".csv": partial(_read_text, separator=None),
    ".tsv": partial(_read_text, separator="\t"),
    ".tab": partial(_read_text, separator="\t"),
    ".txt": partial(_read_text, separator=None),
    ".parquet": _read_parquet,
    ".npy": _read_numpy,
    ".npz": _read_numpy,
}
