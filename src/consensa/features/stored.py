"""Open features on disk: NPY, Zarr and Parquet, larger than memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable

from consensa._machine.array_files import (
    format_of,
    open_npy_array,
    open_zarr_array,
    unstored_chunks,
)
from consensa._machine.memory import bytes_of
from consensa.exceptions import UnstoredChunksWarning
from consensa.features._parquet_features import ParquetFeatures
from consensa.features.stored_features import ArrayFeatures, StoredFeatures

__all__ = ["open_features", "open_file"]


def _open_zarr(path: str) -> ArrayFeatures:
    """A Zarr array; warn if its metadata and not its chunks say some of the features."""
    array = open_zarr_array(path)
    absent, all_of_them = unstored_chunks(array, path)
    if absent:
        message = (
            f"{absent} of the {all_of_them} chunks of {path} are not stored: all their features "
            f"are read as {array.fill_value!s}. Zarr omits a chunk that has no other value; but "
            f"if chunks were lost, these features are wrong. Write features with fill_value=nan, "
            f"so that lost chunks are missing values."
        )
        warnings.warn(message, UnstoredChunksWarning, stacklevel=3)
    return ArrayFeatures(array, path)


_OPENERS: dict[str, Callable[[str], StoredFeatures]] = {
    "npy": lambda path: ArrayFeatures(open_npy_array(path), path),
    "zarr": _open_zarr,
    "parquet": ParquetFeatures,
}


def open_features(
    path: str | os.PathLike[str],
    *,
    memory: float | str | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> StoredFeatures:
    """Open features on disk without reading them.

    Parameters
    ----------
    path : path or URL
        A ``.npy`` file, a Parquet file, a folder of Parquet files in the order of their names,
        or a ``.zarr`` folder. URLs of object stores are opened with fsspec.
    memory : number, str or None, default=None
        Memory that the process may use, in bytes or as text such as ``"4G"``; None is half of the
        free memory.
    resume : path or None, default=None
        Folder for the state of the run. If the run is interrupted, the same call goes on where it
        stopped, with the same labels. The folder is created if it is not there.

    Returns
    -------
    StoredFeatures
        Features for `consensa.cluster` and the ``fit`` of every estimator. Rows are read in
        blocks when they are needed.

    Raises
    ------
    InvalidInputError
        If there is no such file, it has another format, or its columns are not numbers.

    See Also
    --------
    consensa.cluster : Clusters them.
    consensa.open_labels : The same for a label matrix.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np
    >>> import consensa as cs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "features.npy"
    >>> np.save(path, np.array([[0.0, 0.1], [0.2, 0.0], [9.0, 8.8], [8.9, 9.1]]))
    >>> cs.cluster(cs.open_features(path), 2, random_state=0).labels
    array([0, 0, 1, 1])
    """
    opened = open_file(path, memory=memory, resume=resume)
    opened.check_columns()
    return opened


def open_file(
    path: str | os.PathLike[str],
    *,
    memory: float | str | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> StoredFeatures:
    """The same for a file of which some columns are selected later: only those are checked."""
    text = os.fspath(path)
    opened = _OPENERS[format_of(text)](text)
    opened.memory = None if memory is None else bytes_of(memory)
    opened.resume = resume
    return opened
