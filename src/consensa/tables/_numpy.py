"""NPY and NPZ files. Pickles are never opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from consensa._array import Array
from consensa._machine.numpy_files import ArrayHeader, NpzArchive, read_npy
from consensa._machine.reading import reading
from consensa._machine.suggest import suggestion
from consensa.exceptions import InvalidInputError
from consensa.tables._content import Content
from consensa.tables.table import Request, Table

__all__ = ["matrix_frame", "read_numpy"]


class _Beside(Mapping[str, Array]):
    """Arrays of an NPZ file, each read when it is asked for."""

    def __init__(self, archive: NpzArchive, names: Sequence[str], content: Content) -> None:
        self.archive, self.names, self.content = archive, names, content

    def __getitem__(self, name: str) -> Array:
        with reading(self.content.name, "cannot be read as a .npz file:"):
            return self.archive.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def read_numpy(content: Content, request: Request) -> Table:
    """Read a matrix; the other arrays of an NPZ file with an entry a row are read later."""
    code = f"np.load({str(content.source)!r})"
    with content.path.open("rb") as file:
        is_archive = file.read(2) == b"PK"
    if not is_archive:
        array = read_npy(content.path)
        whole, framed = _array_code(code, array)
        frame = matrix_frame(content.name, array)
        return Table(content.source, frame, code=whole, frame_code=framed, found=("NPY",))
    archive = NpzArchive(content.path)
    name = _choose_array(content.name, archive.headers, request)
    matrix = archive.read(name)
    frame = matrix_frame(content.name, matrix)
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
    others = _Beside(archive, [other for other in beside if other != "sample_names"], content)
    found = ("NPZ", f"array {name!r}")
    return Table(content.source, frame, row_names, others, whole, framed, found)


def _array_code(code: str, array: Array) -> tuple[str, str]:
    """Python that reads an array, and that makes a frame of it."""
    plain = f"{code}.astype(str)" if array.dtype.kind == "S" else code
    return plain, f"pd.DataFrame({plain}).rename(columns=str)"


def _choose_array(source: str, arrays: Mapping[str, ArrayHeader], request: Request) -> str:
    shapes = ", ".join(f"{name!r} {array.shape}" for name, array in arrays.items())
    if request.array is not None:
        if request.array in arrays:
            return request.array
        message = (
            f"--array must name an array of {source}, which contains {shapes}. "
            f"Got {request.array!r}.{suggestion(request.array, arrays)}"
        )
        raise InvalidInputError(message)
    matrices = [name for name, array in arrays.items() if len(array.shape) == 2]
    usual = [name for name in request.usual if name in matrices]
    choice = usual[:1] or matrices
    if len(choice) == 1:
        return choice[0]
    held = shapes or "nothing"
    message = f"{source} must contain one matrix, or use --array to choose. It contains {held}."
    raise InvalidInputError(message)


def matrix_frame(source: str, array: Array) -> pd.DataFrame:
    """A matrix as a frame, whose columns are named by their numbers."""
    if array.ndim != 2 or array.dtype.kind not in "biufUS":
        message = (
            f"{source} must contain a matrix of numbers or strings with a row for each sample. "
            f"Got shape {array.shape} and dtype {array.dtype}."
        )
        raise InvalidInputError(message)
    plain = array.astype(str) if array.dtype.kind == "S" else array
    return pd.DataFrame(plain, columns=[str(column) for column in range(array.shape[1])])
