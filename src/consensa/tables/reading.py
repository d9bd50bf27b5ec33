"""Files → tables. The content tells the format, and the ending where the content does not."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from consensa._machine.reading import reading
from consensa._machine.suggest import listed, suggestion
from consensa._result.wording import counted
from consensa.exceptions import InvalidInputError
from consensa.tables._code import own_code
from consensa.tables._columnar import read_feather, read_parquet
from consensa.tables._content import STANDARD_INPUT, Content, files_of_zip, open_content
from consensa.tables._hdf5 import read_hdf5
from consensa.tables._numpy import read_numpy
from consensa.tables._sheets import read_workbook
from consensa.tables._text import read_text
from consensa.tables._typed import text_columns, with_missing, with_numbers
from consensa.tables.table import TRANSPOSED, Request, Table

__all__ = ["PACKED", "READERS", "read_frame", "read_table", "recognized"]

PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
READERS: dict[str, Callable[[Content, Request], Table]] = {
    ".csv": partial(read_text, separator=None),
    ".tsv": partial(read_text, separator="\t"),
    ".tab": partial(read_text, separator="\t"),
    ".txt": partial(read_text, separator=None),
    ".parquet": read_parquet,
    ".feather": read_feather,
    ".arrow": read_feather,
    ".npy": read_numpy,
    ".npz": read_numpy,
    ".xlsx": read_workbook,
    ".xls": read_workbook,
    ".ods": read_workbook,
    ".h5ad": read_hdf5,
    ".h5": read_hdf5,
}
_MAGIC = {
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"FEA1": ".feather",
    b"\x93NUMPY": ".npy",
    b"\x89HDF\r\n\x1a\n": ".h5ad",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ".xls",
}
_TEXT = (".csv", ".tsv", ".tab", ".txt")


def read_table(path: Path, request: Request) -> Table:
    """Read a table; any failure raises an `InvalidInputError`."""
    if path != STANDARD_INPUT:
        _check_is_file(path)
    content = open_content(path)
    ending = _format(content)
    with reading(content.name, f"cannot be read as a {ending} file:"):
        table = READERS[ending](content, request)
    if len(table.frame) == 0 or table.frame.shape[1] == 0:
        rows, columns = table.frame.shape
        message = (
            f"{content.name} must contain a table. It has {rows} rows and {columns} data columns."
        )
        raise InvalidInputError(message)
    if request.transpose:
        return _transposed(table, own_code(content, request))
    if ending in _TEXT or request.reads_labels:
        return table
    known = with_missing(table, request.missing)
    read = with_numbers(known, request)
    if read is table and content.path == path:
        return table
    own = own_code(content, request)
    return replace(read, found=(*content.found, *read.found), code=own, frame_code=own)


def _transposed(table: Table, code: str) -> Table:
    """The table with its columns as rows; a first column of different texts names the columns."""
    frame, names = table.frame, table.row_names
    first = frame.iloc[:, 0]
    if names is None and frame.shape[1] > 1 and first.map(type).eq(str).all() and first.is_unique:
        names, frame = first.to_numpy(), frame.iloc[:, 1:]
    columns = range(len(frame)) if names is None else names
    turned = pd.DataFrame(frame.to_numpy(dtype=object).T, columns=[str(name) for name in columns])
    return Table(
        table.source,
        turned.infer_objects(),
        frame.columns.to_numpy(dtype=object),
        code=code,
        frame_code=code,
        found=(*table.found, TRANSPOSED),
    )


def read_frame(path: str, **options: Any) -> pd.DataFrame:
    r"""Read the columns of a table as the command line does.

    Parameters
    ----------
    path : str
        A file of any format that `consensa cluster` reads.
    **options
        Fields of `Request`, such as ``sheet`` and ``encoding``.

    Returns
    -------
    pandas.DataFrame
        The columns; names of the rows are left out.

    See Also
    --------
    consensa.tables.prepare : Makes features of the columns.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from consensa.tables import read_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "weights.csv"
    ...     _ = file.write_text("height;weight\n1,82;70,5\n1,65;58,0\n")
    ...     read_frame(str(file))
       height  weight
    0    1.82    70.5
    1    1.65    58.0
    """
    return read_table(Path(path), Request(**options)).frame


def recognized(table: Table) -> str:
    """One line that says what was read: format, rows, kinds of columns.

    Parameters
    ----------
    table : Table
        A table that was read.

    Returns
    -------
    str
        The line, such as "CSV, decimal comma, 530 rows, 11 numeric columns, 2 text columns".
    """
    frame = table.frame
    texts = len(text_columns(frame)) + sum(
        isinstance(kind, pd.CategoricalDtype) for kind in frame.dtypes
    )
    dates = sum(kind.kind == "M" for kind in frame.dtypes)
    numeric = frame.shape[1] - texts - dates
    kinds = [(numeric, "numeric column"), (texts, "text column"), (dates, "date column")]
    parts = [counted(len(frame), "row"), *(counted(n, word) for n, word in kinds if n)]
    return ", ".join([*table.found, *parts])


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


def _format(content: Content) -> str:
    """Ending of the format, by the content if that tells it."""
    with content.path.open("rb") as file:
        start = file.read(8)
    found = next((own for magic, own in _MAGIC.items() if start.startswith(magic)), None)
    found = found or (_of_archive(content.path) if start.startswith(b"PK") else None)
    if found is not None or content.ending in READERS:
        return found or content.ending
    if not content.ending and content.path != content.source:
        return ".csv"  # from standard input, or packed without a name
    if content.ending == ".zip":
        names = files_of_zip(content.path)
        has = (
            f"It has {counted(len(names), 'file')}: {listed(names)}. "
            if names
            else "It is empty. "
        )
        message = f"{content.name} must contain one table. {has}Unpack it, and name the table."
        raise InvalidInputError(message)
    endings = f"{', '.join(READERS)}; packed or not: {', '.join(PACKED)}"
    message = f"FILE must end in {endings}. Got {content.source.name!r}."
    raise InvalidInputError(message)


def _of_archive(path: Path) -> str | None:
    """Format of a ZIP file; None if its content does not tell."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return None
    if "xl/workbook.xml" in names or "xl/workbook.bin" in names:
        return ".xlsx"
    if "content.xml" in names and "mimetype" in names:
        return ".ods"
    return ".npz" if any(name.endswith(".npy") for name in names) else None
