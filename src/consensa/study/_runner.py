"""Compute the cells that a store lacks, several at a time, each kept as soon as it is there.

Each worker is a process of its own that takes a cell as a line of JSON and answers with a
line: it computes with one thread, so that the answer does not depend on how many there are;
it may be killed for its memory without taking the study along; and it ends when its parent is
gone. Only the parent writes to the store.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from consensa._machine.progress import track
from consensa.study._store import Cell, Record, Store, canonical
from consensa.study._worker import answer, name_of

__all__ = ["Progress", "RunReport", "run_cells"]

Compute = Callable[..., Mapping[str, Any]]
_ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS",
    )
}  # fmt: skip
_SERVE = "from consensa.study._worker import serve; serve()"


@dataclass(frozen=True)
class Progress:
    """How far a run is, after each cell.

    Attributes
    ----------
    record : Record
        The cell that has just ended.
    computed : int
        Cells computed in this run.
    wanted : int
        Cells that this run has to compute.
    seconds_left : float
        Estimate of the time that the rest takes.
    """

    record: Record
    computed: int
    wanted: int
    seconds_left: float


@dataclass(frozen=True)
class RunReport:
    """What a run did.

    Attributes
    ----------
    computed : int
        Cells computed in this run, those that failed included.
    known : int
        Cells that were done already.
    problems : tuple of Record
        Cells of this run that failed or were too large.
    damaged : int
        Cells that were found damaged in the store and removed, wanted in this run or not.
    missing : tuple of Cell
        Cells for which no time was left.
    """

    computed: int
    known: int
    problems: tuple[Record, ...]
    damaged: int
    missing: tuple[Cell, ...]

    def sentences(self) -> list[str]:
        """The report in words."""
        said = [f"{self.computed} cells computed in this run, {self.known} known before."]
        if self.damaged:
            said.append(
                f"{self.damaged} stored cells were damaged (their checksum did not fit) and "
                f"removed; what this study wants of them is computed again."
            )
        counts = Counter((r.state, r.cell.dataset, r.cell.method, r.reason) for r in self.problems)
        for (state, dataset, method, reason), count in counts.items():
            said.append(f"{state}: {method} on {dataset}, {count} cells: {reason}")
        if self.missing:
            by_set = Counter(cell.dataset for cell in self.missing)
            where = ", ".join(f"{count} of {name}" for name, count in by_set.items())
            said.append(
                f"The time was up: {len(self.missing)} cells are missing ({where}). The same "
                f"command goes on where this one stopped."
            )
        return said


def run_cells(
    store: Store,
    cells: Iterable[Cell],
    compute: Compute,
    *,
    context: Mapping[str, Any] | None = None,
    jobs: int = 1,
    budget: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> RunReport:
    """Compute what is not done yet, in the order given; write each cell when it is finished.

    Parameters
    ----------
    store : Store
        Where the cells are kept.
    cells : iterable of Cell
        What is wanted. Those that failed or were too large before are tried again.
    compute : function
        ``compute(cell, **context)`` gives the payload: a dictionary that JSON can write. It
        must be a function of a module, so that the workers can import it.
    context : mapping or None, default=None
        What the computation needs and its result does not depend on, such as a folder.
    jobs : int, default=1
        Number of worker processes; 0 computes in this process.
    budget : float or None, default=None
        Seconds after which no cell is begun and those under way are given up.
    progress : function or None, default=None
        Called with a `Progress` after each cell.

    Returns
    -------
    RunReport
        What was done and what is missing.
    """
    deadline = None if budget is None else time.monotonic() + budget
    wanted = {cell.key: cell for cell in cells}
    before = store.records()
    damaged = store.remove_damaged()
    done = {key for key, record in before.items() if record.state == "done"}
    todo = [cell for key, cell in wanted.items() if key not in done]
    clock = _TimeLeft(before.values(), todo, jobs)
    problems: list[Record] = []
    finished: set[str] = set()
    work = _in_this_process if jobs == 0 else _in_workers
    with track("cells", len(todo)) as advance:
        for record in work(todo, compute, dict(context or {}), jobs, deadline):
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


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _in_this_process(
    todo: Sequence[Cell],
    compute: Compute,
    context: dict[str, Any],
    jobs: int,
    deadline: float | None,
) -> Iterator[Record]:
    for cell in todo:
        if _is_over(deadline):
            return
        yield _read(cell, answer(cell, compute, context))


def _in_workers(
    todo: Sequence[Cell],
    compute: Compute,
    context: dict[str, Any],
    jobs: int,
    deadline: float | None,
) -> Iterator[Record]:
    """Records as the workers finish them; leaving the loop ends the workers."""
    to_do: queue.SimpleQueue[Cell] = queue.SimpleQueue()
    for cell in todo:
        to_do.put(cell)
    records: queue.SimpleQueue[Record] = queue.SimpleQueue()
    function = name_of(compute)
    masters = [_Master(function, context, to_do, records) for _ in range(min(jobs, len(todo)))]
    try:
        for master in masters:
            master.start()
        for _ in todo:
            left = None if deadline is None else max(deadline - time.monotonic(), 0)
            try:
                yield records.get(timeout=left)
            except queue.Empty:
                return
    finally:
        for master in masters:
            master.stop()


class _Master(threading.Thread):
    """Hands cells to one worker process, and starts another one where it dies."""

    def __init__(
        self,
        function: str,
        context: dict[str, Any],
        to_do: queue.SimpleQueue[Cell],
        records: queue.SimpleQueue[Record],
    ) -> None:
        super().__init__(name="consensa-study", daemon=True)
        self.hello = canonical({"function": function, "context": context})
        self.to_do, self.records = to_do, records
        self.worker: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()
        self.stopped = False

    def run(self) -> None:
        while not self.stopped:
            try:
                cell = self.to_do.get_nowait()
            except queue.Empty:
                break
            record = self._compute(cell)
            if not self.stopped:
                self.records.put(record)
        self.stop()

    def stop(self) -> None:
        """End the worker, whatever it is doing."""
        self.stopped = True
        self._kill()

    def _compute(self, cell: Cell) -> Record:
        """What the worker made of a cell; whatever goes wrong with the worker is a reason.

        The parent waits for a record of every cell, so nothing may be raised here.
        """
        start = time.monotonic()
        try:
            line = self._ask(cell.key)
            if line.endswith("\n"):  # or it died while it wrote
                return _read(cell, json.loads(line))
            reason = self._bury()
        except OSError as error:
            reason = f"its process could not be started: {error}"
        except Exception as error:
            self._kill()
            reason = f"its process gave an answer that cannot be read: {error}"
        return Record(cell, "failed", reason=reason, seconds=time.monotonic() - start)

    def _kill(self) -> None:
        with self.lock:
            if self.worker is not None:
                self.worker.kill()
                self._bury()

    def _bury(self) -> str:
        """Clear up after a worker that is ending, and say how it ended."""
        worker, self.worker = self.worker, None
        if worker is None:
            return "its process was not started"
        status = worker.wait()
        for stream in (worker.stdin, worker.stdout):
            with suppress(OSError):  # what was still to be written to it
                stream.close()  # type: ignore[union-attr]
        if status == -signal.SIGKILL:
            return "its process was killed, most likely because memory ran out"
        return f"its process ended with status {status} and without an answer"

    def _ask(self, key: str) -> str:
        """The answer of the worker; nothing if it died."""
        with self.lock:
            if self.stopped:
                return ""
            if self.worker is None:
                self.worker = _start(self.hello)
            worker = self.worker
        assert worker.stdin is not None
        assert worker.stdout is not None
        try:
            worker.stdin.write(key + "\n")
            worker.stdin.flush()
            return worker.stdout.readline()
        except OSError:
            return ""


def _start(hello: str) -> subprocess.Popen[str]:
    """A worker that imports from where this process does; Ctrl-C reaches only its parent."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    worker = subprocess.Popen(
        [sys.executable, "-c", _SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | _ONE_THREAD | {"PYTHONPATH": path},
        start_new_session=True,
    )
    assert worker.stdin is not None
    worker.stdin.write(hello + "\n")
    return worker


def _read(cell: Cell, said: Mapping[str, Any]) -> Record:
    """The record that a worker's answer makes."""
    return Record(cell, **(dict(said) | {"notes": tuple(said["notes"])}))


class _TimeLeft:
    """Estimate of the time left from how long cells of the same set and method took."""

    def __init__(self, known: Iterable[Record], todo: Sequence[Cell], jobs: int) -> None:
        self.jobs = max(jobs, 1)
        self.left = Counter((cell.dataset, cell.method) for cell in todo)
        self.taken: dict[tuple[str, str], list[float]] = defaultdict(list)
        for record in known:
            self._note(record)

    def _note(self, record: Record) -> None:
        if record.state == "done":
            self.taken[record.cell.dataset, record.cell.method].append(record.seconds)

    def ended(self, record: Record) -> None:
        self.left[record.cell.dataset, record.cell.method] -= 1
        self._note(record)

    def seconds_left(self) -> float:
        means = {kind: sum(times) / len(times) for kind, times in self.taken.items()}
        usual = sum(means.values()) / len(means) if means else 0.0
        total = sum(count * means.get(kind, usual) for kind, count in self.left.items())
        return total / self.jobs
