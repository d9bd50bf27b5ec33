"""How a study is run: one value from the command line to the worker processes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from consensa._params import Integer, NoneType, OneOf, Real, check_params

__all__ = ["CUBIC_LIMIT", "STORE", "RunOptions"]

CUBIC_LIMIT = 2500  # maximum number of samples for methods of cubic cost
STORE = "study.sqlite"
_DECLARED = {
    "jobs": (Integer(0),),
    "budget": (Real(above=0), NoneType()),
    "device": (OneOf(("cpu", "cuda")), NoneType()),
    "cubic_limit": (Integer(1), NoneType()),
}


@dataclass(frozen=True)
class RunOptions:
    """How a study is run: where its files are and what it may use.

    No result depends on these options; what results depend on is in the protocol.

    Parameters
    ----------
    out : path
        Folder of the store and of the files that are written.
    folder : path or None, default=None
        Folder of the sets; None is the environment variable ``CONSENSA_DATA``.
    jobs : int, default=1
        Number of worker processes; 0 computes in this process.
    budget : float or None, default=None
        Minutes after which no cell is begun and those under way are given up.
    device : {"cpu", "cuda"} or None, default=None
        Where LTA computes.
    cubic_limit : int or None, default=2500
        Maximum number of samples for methods of cubic cost; None is no limit.

    See Also
    --------
    fill : Computes a protocol with these options.
    protocol_of : What is computed.

    Examples
    --------
    >>> from consensa.study import RunOptions
    >>> options = RunOptions("out/study", jobs=4)
    >>> options.jobs, options.cubic_limit
    (4, 2500)
    """

    out: str | os.PathLike[str]
    folder: str | os.PathLike[str] | None = None
    jobs: int = 1
    budget: float | None = None
    device: str | None = None
    cubic_limit: int | None = CUBIC_LIMIT

    def __post_init__(self) -> None:
        check_params("the study", _DECLARED, {name: getattr(self, name) for name in _DECLARED})
        # Paths as text, so that the options can be written as JSON for the workers.
        object.__setattr__(self, "out", os.fspath(self.out))
        if self.folder is not None:
            object.__setattr__(self, "folder", os.fspath(self.folder))

    @property
    def store(self) -> Path:
        """The file that keeps the cells."""
        return Path(self.out) / STORE

    @property
    def pools(self) -> Path:
        """The folder of pools that were made because a set has none."""
        return Path(self.out) / "pools"
