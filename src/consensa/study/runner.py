"""Compute the cells that a store lacks; each is kept as soon as it is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing

from consensa._machine.progress import track
from consensa.study._pool import in_workers
from consensa.study._worker import Compute, answer
from consensa.study.cells import Cell, Record
from consensa.study.options import RunOptions
from consensa.study.progress import Progress, RunReport, TimeLeft
from consensa.study.store import Store

__all__ = ["run_cells"]


def run_cells(
    store: Store,
    cells: Iterable[Cell],
    compute: Compute,
    options: RunOptions,
    *,
    progress: Callable[[Progress], None] | None = None,
) -> RunReport:
    """Compute what is not done yet, in the order given; write each cell when it is finished.

    Parameters
    ----------
    store : Store
        Where the cells are kept; only this process writes to it.
    cells : iterable of Cell
        What is wanted. Those that failed or were too large before are tried again.
    compute : function
        ``compute(cell, options)`` gives the payload: a dictionary that JSON can write. It
        must be a function of a module, so that the workers can import it.
    options : RunOptions
        Number of worker processes, budget of time, and what `compute` reads of it.
    progress : function or None, default=None
        Called with a `Progress` after each cell.

    Returns
    -------
    RunReport
        What was done and what is missing.
    """
    deadline = None if options.budget is None else time.monotonic() + 60 * options.budget
    wanted = {cell.key: cell for cell in cells}
    before = store.records()
    damaged = store.remove_damaged()
    done = {key for key, record in before.items() if record.state == "done"}
    todo = [cell for key, cell in wanted.items() if key not in done]
    clock = TimeLeft(before.values(), todo, options.jobs)
    problems: list[Record] = []
    finished: set[str] = set()
    work = in_workers if options.jobs else _in_this_process
    # Closed in any case: an error while a record is stored ends the workers too.
    with (
        track("cells", len(todo)) as advance,
        closing(work(todo, compute, options, deadline)) as records,
    ):
        for record in records:
            store.put(record)
            finished.add(record.cell.key)
            if record.state != "done":
                problems.append(record)
            clock.ended(record)
            advance()
            if progress is not None:
                progress(Progress(record, len(finished), len(todo), clock.seconds_left()))
    missing = tuple(cell for cell in todo if cell.key not in finished)
    known = len(wanted) - len(todo)
    return RunReport(len(finished), known, tuple(problems), damaged, missing)


def _in_this_process(
    todo: Sequence[Cell], compute: Compute, options: RunOptions, deadline: float | None
) -> Generator[Record]:
    for cell in todo:
        if deadline is not None and time.monotonic() >= deadline:
            return
        yield answer(cell, compute, options)
