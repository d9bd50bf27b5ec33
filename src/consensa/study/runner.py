"""Compute the missing cells of a store; each is stored as soon as it is computed."""

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
    """Compute the missing cells, in the given order, and store each at once.

    Parameters
    ----------
    store : Store
        Store of the cells; only this process writes to it.
    cells : iterable of Cell
        Cells to compute. Those that failed or were too large before are computed again.
    compute : function
        ``compute(cell, options)`` returns the payload: a dictionary of JSON values. It must be
        a function of a module, so that the workers can import it.
    options : RunOptions
        Number of worker processes, budget, and options for `compute`.
    progress : function or None, default=None
        Called with a `Progress` after each cell.

    Returns
    -------
    RunReport
        Numbers of computed cells, and the missing ones.
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
    # Always closed: an error while a record is stored stops the workers too.
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
