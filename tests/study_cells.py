"""What the cells of the runner's tests compute; workers import it by its name."""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from pathlib import Path

from consensa.exceptions import NotEnoughMemoryError, TooSlowError


def square(cell, options):
    """The square of the draw; each computation is a line of the log."""
    with Path(options.out, "log").open("a") as file:
        file.write(f"{cell.draw}\n")
    return {"square": cell.draw**2, "threads": os.environ.get("OMP_NUM_THREADS")}


def slowly(cell, options):
    time.sleep(1.0)
    return square(cell, options)


def trouble(cell, options):
    """Each method goes wrong in its own way."""
    sys.stdout.write("a library that prints\n")
    if cell.method == "warns":
        warnings.warn("mind the gap", UserWarning, stacklevel=1)
    if cell.method == "large":
        message = "needs 9 GiB"
        raise NotEnoughMemoryError(message)
    if cell.method == "slow":
        message = "n = 9 is above the limit"
        raise TooSlowError(message)
    if cell.method == "wrong":
        message = "no such thing"
        raise ValueError(message)
    if cell.method == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if cell.method == "nan":
        return {"value": float("nan")}
    return {"value": 1.5}
