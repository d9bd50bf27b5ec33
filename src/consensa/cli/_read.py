"""Files → tables: CSV, TSV, text, Parquet, NPY, NPZ. Pickles are never opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from consensa._array import Array
from consensa._machine.numpy_files import ArrayHeader, NpzArchive, read_npy
from consensa._machine.reading import reading, require_regular_file
from consensa.cli._suggest import suggestion
from consensa.cli._text import read_text
from consensa.exceptions import InvalidInputError

__all__ = ["READERS", "Request", "Table", "read_table"]


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
    names : tuple of str
        Columns of sample names, read as they are written: 007 stays 007.
    labels : tuple of str or None
        Columns of labels, whose integers are read exactly; None if all columns are labels.
    """

    header: bool | None = None
    array: str | None = None
    usual: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] | None = ()

    @classmethod
    def of(
        cls,
        header: bool | None,
        array: str | None,
        *,
        labels: bool,
        truth: str | None,
        row_id: str | None,
    ) -> Request:
        """How a command reads its label matrix (`labels`), or its features."""
        usual = ("labels",) if labels else ("X", "data", "features")
        classes = (truth,) if truth else ()
        return cls(header, array, usual, (row_id,) if row_id else (), None if labels else classes)


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
    beside : mapping of str to array
        Other arrays of an NPZ file with one entry a row, read when they are asked for.
    code : str
        Python that reads all columns in the same way.
    frame_code : str
        Python that makes a frame of them, whose columns have the names of `frame`.
    """

    source: Path
    frame: pd.DataFrame
    row_names: Any = None
    beside: Mapping[str, Array] = field(default_factory=dict)
    code: str = ""
    frame_code: str = ""


def read_table(path: Path, request: Request) -> Table:
    """Read a table; any failure raises an `InvalidInputError`."""
    _check_is_file(path)
    ending = path.suffix.lower()
    if ending not in READERS:
        message = f"FILE must end in {', '.join(READERS)}. Got {path.name!r}."
        raise InvalidInputError(message)
    with reading(path, f"cannot be read as a {ending} file:"):
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
    require_regular_file(path)
    if path.stat().st_size == 0:
        message = f"{path} must contain a table. It is empty."
        raise InvalidInputError(message)


def _read_text(path: Path, request: Request, *, separator: str | None) -> Table:
    found = read_text(
        path,
        separator=separator,
        header=request.header,
        names=request.names,
        exact=request.labels,
    )
    return Table(path, found.frame, found.row_names, code=found.code, frame_code=found.code)


# ---- Parquet and NumPy -----------------------------------------------------------------------


def _read_parquet(path: Path, request: Request) -> Table:
    frame, options = pd.read_parquet(path, engine="pyarrow"), ""
    if _has_lost_integers(frame, parquet.read_schema(path)):
        frame = pd.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")
        options = ", dtype_backend='numpy_nullable'"
    frame.columns = frame.columns.map(str)
    code = f"pd.read_parquet({str(path)!r}{options}).rename(columns=str)"
    plain = frame.reset_index(drop=True)
    named = frame.index.nlevels == 1 and not frame.index.equals(plain.index)
    names = frame.index.to_numpy() if named else None
    return Table(path, plain, names, code=code, frame_code=code)


def _has_lost_integers(frame: pd.DataFrame, schema: pa.Schema) -> bool:
    """Whether integers of the file became floats, because some are missing."""
    plain = frame.reset_index() if frame.index.name in schema.names else frame
    return any(
        pa.types.is_integer(own.type) and own.name in plain and plain[own.name].dtype.kind == "f"
        for own in schema
    )


class _Beside(Mapping[str, Array]):
    """Arrays of an NPZ file, each read when it is asked for."""

    def __init__(self, archive: NpzArchive, names: Sequence[str]) -> None:
        self.archive, self.names = archive, names

    def __getitem__(self, name: str) -> Array:
        with reading(self.archive.path, "cannot be read as a .npz file:"):
            return self.archive.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def _read_numpy(path: Path, request: Request) -> Table:
    code = f"np.load({str(path)!r})"
    with path.open("rb") as file:
        is_archive = file.read(2) == b"PK"
    if not is_archive:
        array = read_npy(path)
        whole, framed = _array_code(code, array)
        return Table(path, _frame(path, array), code=whole, frame_code=framed)
    archive = NpzArchive(path)
    name = _choose_array(path, archive.headers, request)
    matrix = archive.read(name)
    frame = _frame(path, matrix)
    whole, framed = _array_code(f"{code}[{name!r}]", matrix)
    shapes = {other: own.shape for other, own in archive.headers.items() if other != name}
    # Ensemble.save puts the names of samples and partitions beside the labels.
    if shapes.get("partition_names") == (frame.shape[1],):
        columns = archive.read("partition_names")
        frame.columns = pd.Index([str(column) for column in columns])
        names = f"{code}['partition_names'].astype(str)"
        framed = f"pd.DataFrame({whole}, columns={names})"
    beside = [other for other, shape in shapes.items() if shape == (len(frame),)]
    row_names = archive.read("sample_names") if "sample_names" in beside else None
    others = _Beside(archive, [other for other in beside if other != "sample_names"])
    return Table(path, frame, row_names, others, whole, framed)


def _array_code(code: str, array: Array) -> tuple[str, str]:
    """Python that reads an array, and that makes a frame of it."""
    plain = f"{code}.astype(str)" if array.dtype.kind == "S" else code
    return plain, f"pd.DataFrame({plain}).rename(columns=str)"


def _choose_array(path: Path, arrays: Mapping[str, ArrayHeader], request: Request) -> str:
    shapes = ", ".join(f"{name!r} {array.shape}" for name, array in arrays.items())
    if request.array is not None:
        if request.array in arrays:
            return request.array
        message = (
            f"--array must name an array of {path}, which contains {shapes}. "
            f"Got {request.array!r}.{suggestion(request.array, arrays)}"
        )
        raise InvalidInputError(message)
    matrices = [name for name, array in arrays.items() if len(array.shape) == 2]
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
