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
from dataclasses import asdict
from typing import Any

from consensa._machine.versions import versions
from consensa.exceptions import NotEnoughMemoryError, TooSlowError
from consensa.study.cells import Cell, Record, canonical
from consensa.study.options import RunOptions

__all__ = ["Compute", "answer", "greeting", "read_answer", "serve"]

Compute = Callable[[Cell, RunOptions], Mapping[str, Any]]


def greeting(compute: Compute, options: RunOptions) -> str:
    """The first line that a worker reads: the function, and the options."""
    function = f"{compute.__module__}:{compute.__qualname__}"
    return canonical({"function": function, "options": asdict(options)})


def answer(cell: Cell, compute: Compute, options: RunOptions) -> Record:
    """Compute a cell; errors become a state and a reason."""
    start = time.perf_counter()
    said: dict[str, Any]
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("default")
        try:
            payload = dict(compute(cell, options))
            canonical(payload)  # fails here if it cannot be stored
            said = {"state": "done", "payload": payload}
        except (NotEnoughMemoryError, TooSlowError) as error:
            said = {"state": "too large", "reason": str(error)}
        except MemoryError as error:
            said = {"state": "too large", "reason": f"memory ran out: {error}"}
        except Exception as error:
            said = {"state": "failed", "reason": f"{type(error).__name__}: {error}"}
    notes = tuple(sorted({f"{w.category.__name__}: {w.message}" for w in given}))
    seconds = round(time.perf_counter() - start, 4)
    return Record(cell, **said, notes=notes, seconds=seconds, versions=versions())


def read_answer(cell: Cell, line: str) -> Record:
    """The record of a line of a worker."""
    said = json.loads(line)
    return Record(cell, **(said | {"notes": tuple(said["notes"])}))


def serve() -> None:
    """Compute the cells from stdin until it is closed."""
    # Output of libraries must not be read as a record.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    hello = json.loads(sys.stdin.readline())
    module, _, name = hello["function"].partition(":")
    lines = _read_ahead()
    compute = getattr(importlib.import_module(module), name)
    options = RunOptions(**hello["options"])
    versions()  # read now: an upgrade during the run could change them
    while True:
        record = answer(Cell.from_key(lines.get()), compute, options)
        said = {name: value for name, value in vars(record).items() if name != "cell"}
        answers.write(json.dumps(said, allow_nan=False) + "\n")
        answers.flush()


def _read_ahead() -> queue.SimpleQueue[str]:
    """Lines of stdin; when it is closed, the parent is gone and the worker exits."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line.rstrip("\n"))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return lines
