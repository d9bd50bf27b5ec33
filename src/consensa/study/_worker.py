"""The process that computes cells: a line of JSON in, a line of JSON out."""

from __future__ import annotations

import importlib
import json
import os
import queue
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from consensa._machine.versions import versions
from consensa.exceptions import NotEnoughMemoryError, TooSlowError
from consensa.study._store import Cell, canonical

__all__ = ["answer", "name_of", "serve"]


def name_of(function: Callable[..., Any]) -> str:
    """Where a worker finds a function: ``module:name``."""
    return f"{function.__module__}:{function.__qualname__}"


def answer(
    cell: Cell, compute: Callable[..., Mapping[str, Any]], context: Mapping[str, Any]
) -> dict[str, Any]:
    """Compute a cell; whatever goes wrong becomes a state and a reason."""
    start = time.perf_counter()
    said: dict[str, Any]
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("default")
        try:
            payload = dict(compute(cell, **context))
            canonical(payload)  # or it could not be kept
            said = {"state": "done", "payload": payload}
        except (NotEnoughMemoryError, TooSlowError) as error:
            said = {"state": "too large", "reason": str(error)}
        except MemoryError as error:
            said = {"state": "too large", "reason": f"memory ran out: {error}"}
        except Exception as error:
            said = {"state": "failed", "reason": f"{type(error).__name__}: {error}"}
    notes = sorted({f"{w.category.__name__}: {w.message}" for w in given})
    seconds = round(time.perf_counter() - start, 4)
    return said | {"notes": notes, "seconds": seconds, "versions": versions()}


def serve() -> None:
    """Answer the cells on stdin until it is closed."""
    # What a library prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    hello = json.loads(sys.stdin.readline())
    module, _, name = hello["function"].partition(":")
    lines = _read_ahead()
    compute = getattr(importlib.import_module(module), name)
    versions()  # read now: an upgrade under way would leave some of them out later
    while True:
        said = answer(Cell.from_key(lines.get()), compute, hello["context"])
        answers.write(json.dumps(said, allow_nan=False) + "\n")
        answers.flush()


def _read_ahead() -> queue.SimpleQueue[str]:
    """Lines of stdin as they come; when it is closed the parent is gone, and so are we."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line.rstrip("\n"))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return lines
