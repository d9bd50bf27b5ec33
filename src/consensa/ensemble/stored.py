"""Open label matrices on disk: NPY, Zarr and Parquet, larger than memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from consensa._array import is_array
from consensa._machine.array_files import format_of
from consensa.ensemble._parquet import ParquetLabels
from consensa.ensemble._stored_array import StoredArray, from_zarr, open_npy, open_zarr
from consensa.ensemble.stored_labels import StoredLabels

__all__ = ["as_stored", "open_labels"]

_LAZY = ("zarr", "h5py")
_OPENERS: dict[str, Callable[[str], StoredLabels]] = {
    "npy": open_npy,
    "zarr": open_zarr,
    "parquet": ParquetLabels,
}


def open_labels(path: str | os.PathLike[str]) -> StoredLabels:
    """Open a label matrix on disk without reading it.

    Parameters
    ----------
    path : path or URL
        A ``.npy`` file, a Parquet file, a folder of Parquet files in the order of their names,
        or a ``.zarr`` folder. URLs of object stores are opened with fsspec.

    Returns
    -------
    StoredLabels
        A label matrix for `Ensemble.from_labels` and the ``fit`` of every estimator. Rows are
        read in blocks when they are needed.

    Raises
    ------
    InvalidInputError
        If there is no such file, or it has another format.

    See Also
    --------
    Ensemble.from_labels : Also accepts memory-mapped arrays.

    Notes
    -----
    Nothing is copied: methods that work by blocks of rows (see ``consensa methods``) accept labels
    that are larger than memory. Zarr needs ``pip install 'consensa[dask]'``, Parquet
    ``pip install 'consensa[cli]'``.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np
    >>> from consensa import Ensemble, open_labels
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.npy"
    >>> np.save(path, np.array([[0, 0], [0, 1], [1, 1]], np.int16))
    >>> Ensemble.from_labels(open_labels(path))
    Ensemble(n_samples=3, n_partitions=2, n_clusters=4)
    """
    text = os.fspath(path)
    return _OPENERS[format_of(text)](text)


def as_stored(labels: Any) -> StoredLabels | None:
    """`labels` as a stored matrix, if they are memory-mapped, or a Zarr or HDF5 array."""
    if isinstance(labels, StoredLabels):
        return labels
    if isinstance(labels, np.memmap) and labels.ndim == 2 and labels.dtype.kind in "biuf":
        return StoredArray(labels, str(labels.filename))
    looks_stored = all(hasattr(labels, name) for name in ("shape", "dtype", "chunks"))
    if looks_stored and not is_array(labels) and type(labels).__module__.startswith(_LAZY):
        opened = from_zarr if type(labels).__module__.startswith("zarr") else StoredArray
        return opened(labels, str(getattr(labels, "name", type(labels).__name__)))
    return None
