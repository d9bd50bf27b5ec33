"""Single-cell files: H5AD of AnnData, and H5 of 10x Genomics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from consensa._array import Array
from consensa._machine.memory import require_bytes
from consensa._machine.suggest import listed, suggestion
from consensa._optional import require
from consensa.exceptions import InvalidInputError
from consensa.tables._code import own_code
from consensa.tables._content import Content
from consensa.tables.table import Request, Table

__all__ = ["read_hdf5"]

_USUAL = ("X_pca", "X")  # the first one that is there is read


def read_hdf5(content: Content, request: Request) -> Table:
    """Read a matrix of an H5AD file, or the counts of a file of 10x Genomics."""
    h5py = require("h5py", extra="anndata", purpose="Reading an HDF5 file")
    with h5py.File(content.path, "r") as file:
        if "obs" in file and "var" in file:
            return _read_h5ad(content, request)
        group = next((own for own in _groups(file, h5py) if "barcodes" in own), None)
        if group is not None:
            return _read_10x(content, request, group)
        message = (
            f"{content.name} must be an H5AD file of AnnData, or an H5 file of 10x Genomics. It "
            f"is another HDF5 file, with {listed(file)}."
        )
        raise InvalidInputError(message)


def _groups(file: Any, h5py: Any) -> Iterator[Any]:
    return (own for own in file.values() if isinstance(own, h5py.Group))


# ---- AnnData ----------------------------------------------------------------------------------


class _Columns(Mapping[str, Array]):
    """The columns of `.obs`."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self.frame[name], dtype=object)

    def __iter__(self) -> Iterator[str]:
        return map(str, self.frame.columns)

    def __len__(self) -> int:
        return self.frame.shape[1]


def _read_h5ad(content: Content, request: Request) -> Table:
    anndata = require("anndata", extra="anndata", purpose="Reading an H5AD file")
    cells = anndata.read_h5ad(content.path, backed="r")
    try:
        matrices = {name: cells.obsm[name] for name in cells.obsm}
        matrices |= {"X": cells.X} if cells.X is not None else {}
        matrices |= {name: cells.layers[name] for name in cells.layers if name not in matrices}
        name = _choose(content.name, matrices, request)
        own = matrices[name]
        matrix = own.to_memory() if hasattr(own, "to_memory") else own[:]
    finally:
        cells.file.close()
    if request.reads_labels and request.array is None:
        # Label columns of .obs are what a user of scanpy combines.
        frame = cells.obs.reset_index(drop=True).rename(columns=str)
        found: tuple[str, ...] = ("H5AD", "columns of .obs")
    else:
        per_gene = name == "X" or name in cells.layers
        columns = list(cells.var_names) if per_gene else None
        frame = _frame(content.name, matrix, name, columns)
        found = ("H5AD", f"matrix {name!r}")
    code = own_code(content, request)
    return Table(
        content.source, frame, np.asarray(cells.obs_names, dtype=object), _Columns(cells.obs),
        code, code, found,
    )  # fmt: skip


def _choose(source: str, matrices: Mapping[str, Any], request: Request) -> str:
    if request.array is not None:
        if request.array in matrices:
            return request.array
        message = (
            f"--array must name a matrix of {source}: {listed(matrices)}. "
            f"Got {request.array!r}.{suggestion(request.array, matrices)}"
        )
        raise InvalidInputError(message)
    return next((name for name in _USUAL if name in matrices), next(iter(matrices), "X"))


def _frame(source: str, matrix: Any, name: str, columns: list[str] | None) -> pd.DataFrame:
    if isinstance(matrix, pd.DataFrame):
        return matrix.reset_index(drop=True).rename(columns=str)
    require_bytes(
        8.0 * matrix.shape[0] * matrix.shape[1],
        step=f"{source}, matrix {name!r},",
        why=f"shape {tuple(matrix.shape)}, all entries",
        remedy="Compute principal components first, and use --array X_pca.",
        often=True,
    )
    dense = matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)
    stem = name.removeprefix("X_")
    names = columns or [f"{stem}{j + 1}" for j in range(dense.shape[1])]
    return pd.DataFrame(dense, columns=_distinct(names))


def _distinct(names: list[str]) -> list[str]:
    """Names as text, a number added to those that are there twice."""
    seen: dict[str, int] = {}
    distinct = []
    for name in map(str, names):
        seen[name] = seen.get(name, -1) + 1
        distinct.append(f"{name}-{seen[name]}" if seen[name] else name)
    return distinct


# ---- 10x Genomics -----------------------------------------------------------------------------


def _read_10x(content: Content, request: Request, group: Any) -> Table:
    n_genes, n_cells = (int(length) for length in group["shape"][:])
    parts = (group["data"][:], group["indices"][:], group["indptr"][:])
    genes = group["features"]["name"] if "features" in group else group["gene_names"]
    matrix = sparse.csc_array(parts, shape=(n_genes, n_cells))
    matrix.check_format(full_check=True)
    names, barcodes = ([_text(own) for own in found[:]] for found in (genes, group["barcodes"]))
    expressed = np.flatnonzero(np.asarray(matrix.sum(axis=1)).ravel() > 0)
    frame = _frame(
        content.name, matrix[expressed].T, "counts", [names[gene] for gene in expressed]
    )
    code = own_code(content, request)
    found: tuple[str, ...] = ("10x H5", f"{len(expressed)} of {n_genes} genes have counts")
    return Table(content.source, frame, np.array(barcodes, object), {}, code, code, found)


def _text(name: Any) -> str:
    return name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else str(name)
