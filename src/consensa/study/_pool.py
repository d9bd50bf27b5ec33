"""Worker processes that compute cells, of which any may die without taking the study along.

Threads of `concurrent.futures` hand out the cells, and each of them talks to a process of its
own. Its `ProcessPoolExecutor` and loky's cannot do the same: when one of their workers dies, all
cells under way fail with it, and nothing says which one was to blame; workers whose parent was
killed stay behind; and before Python 3.14 the standard pool cannot end a running cell.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress

from consensa.study._worker import Compute, greeting, read_answer
from consensa.study.cells import Cell, Record
from consensa.study.options import RunOptions

__all__ = ["in_workers"]

# One thread a worker, so that no answer depends on how many there are.
_ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS",
    )
}  # fmt: skip
_SERVE = "from consensa.study._worker import serve; serve()"


def in_workers(
    todo: Sequence[Cell], compute: Compute, options: RunOptions, deadline: float | None
) -> Generator[Record]:
    """Records as the workers finish them; closing the iterator ends the workers."""
    if not todo:
        return
    workers = [_Worker(greeting(compute, options)) for _ in range(min(options.jobs, len(todo)))]
    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def computed(cell: Cell) -> Record:
        worker = idle.get()  # there is one for each thread
        record = worker.compute(cell)
        idle.put(worker)
        return record

    threads = ThreadPoolExecutor(len(workers), thread_name_prefix="consensa-study")
    left = None if deadline is None else deadline - time.monotonic()
    try:
        cells = [threads.submit(computed, cell) for cell in todo]
        for finished in as_completed(cells, timeout=left):
            yield finished.result()
    except TimeoutError:
        return
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.stop()
        threads.shutdown()
        for worker in workers:
            worker.bury()


class _Worker:
    """A process that is started for its first cell, and again after it died."""

    def __init__(self, hello: str) -> None:
        self.hello = hello
        self.process: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()
        self.stopped = False

    def compute(self, cell: Cell) -> Record:
        """What the process made of a cell; whatever goes wrong with the process is a reason."""
        start = time.monotonic()
        try:
            line = self._ask(cell.key)
            if line.endswith("\n"):  # or it died while it wrote
                return read_answer(cell, line)
            reason = self.bury()
        except OSError as error:
            reason = f"its process could not be started: {error}"
        except Exception as error:
            self._kill()
            self.bury()
            reason = f"its process gave an answer that cannot be read: {error}"
        return Record(cell, "failed", reason=reason, seconds=time.monotonic() - start)

    def stop(self) -> None:
        """End the process, whatever it is doing, and start no other."""
        with self.lock:
            self.stopped = True
        self._kill()

    def bury(self) -> str:
        """Clear up after a process that is ending, and say how it ended."""
        if self.process is None:
            return "its process was not started"
        status = self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # what was still to be written to it
                stream.close()  # type: ignore[union-attr]
        self.process = None
        if status == -signal.SIGKILL:
            return "its process was killed, most likely because memory ran out"
        return f"its process ended with status {status} and without an answer"

    def _kill(self) -> None:
        process = self.process  # its own thread may bury it meanwhile
        if process is not None:
            process.kill()

    def _ask(self, key: str) -> str:
        """The answer of the process; nothing if it died."""
        with self.lock:
            if self.stopped:
                return ""
            self.process = process = self.process or _start(self.hello)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(key + "\n")
            process.stdin.flush()
            return process.stdout.readline()
        except OSError:
            return ""


def _start(hello: str) -> subprocess.Popen[str]:
    """A worker that imports from where this process does; Ctrl-C reaches only its parent."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | _ONE_THREAD | {"PYTHONPATH": path},
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(hello + "\n")
    return process
