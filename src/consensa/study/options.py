"""Options of a run, passed from the command line to the worker processes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from consensa._array import DEVICES
from consensa._params import Integer, NoneType, OneOf, Real, check_params

__all__ = ["CUBIC_LIMIT", "STORE", "RunOptions"]

CUBIC_LIMIT = 2500  # maximum number of samples for methods of cubic cost
STORE = "study.sqlite"
_DECLARED = {
    "jobs": (Integer(0),),
    "budget": (Real(above=0), NoneType()),
    "device": (OneOf(DEVICES), NoneType()),
    "cubic_limit": (Integer(1), NoneType()),
}


@dataclass(frozen=True)
class RunOptions:
    """Options of a run: folders, processes, budget and device.

    No result depends on these options, but only on the protocol.

    Parameters
    ----------
    out : path
        Folder of the store and of the output files.
    folder : path or None, default=None
        Folder of the sets; None is the environment variable ``CONSENSA_DATA``.
    jobs : int, default=1
        Number of worker processes; 0 computes in this process.
    budget : float or None, default=None
        Minutes after which no cell is started and those in progress are stopped.
    device : {"cpu", "cuda"} or None, default=None
        Device of LTA and GTLEC.
    cubic_limit : int or None, default=2500
        Maximum number of samples for methods of cubic cost; None is no limit.

    See Also
    --------
    fill : Compute a protocol with these options.
    protocol_of : Create a protocol.

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
        """The file of the cells."""
        return Path(self.out) / STORE

    @property
    def pools(self) -> Path:
        """The folder of generated pools."""
        return Path(self.out) / "pools"
