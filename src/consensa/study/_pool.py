"""Worker processes that compute cells; the study continues if one of them dies.

Threads of `concurrent.futures` distribute the cells; each thread has one process. The
`ProcessPoolExecutor` of the standard library and that of loky do not suffice: if one worker dies,
all cells in progress fail, and the cause is unknown; workers whose parent was killed keep running;
and before Python 3.14 the standard pool cannot stop a running cell.
"""

from __future__ import annotations

import os
import queue
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

# One thread per worker, so that no result depends on the number of threads.
_ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS",
    )
}  # fmt: skip
_LONGEST_WAIT = 1e9  # seconds: 30 years; clocks have an end
_KILLED = -9  # by the signal KILL
_OWN_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # the session of Windows
_SERVE = "from consensa.study._worker import serve; serve()"


def in_workers(
    todo: Sequence[Cell], compute: Compute, options: RunOptions, deadline: float | None
) -> Generator[Record]:
    """Records as they are computed; closing the iterator stops the workers."""
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
    left = None if deadline is None else min(deadline - time.monotonic(), _LONGEST_WAIT)
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
    """A process that is started for its first cell, and again if it died."""

    def __init__(self, hello: str) -> None:
        self.hello = hello
        self.process: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()
        self.stopped = False

    def compute(self, cell: Cell) -> Record:
        """The record of a cell; a failure of the process becomes its reason."""
        start = time.monotonic()
        try:
            line = self._ask(cell.key)
            if line.endswith("\n"):  # else it died while writing
                return read_answer(cell, line)
            reason = self.bury()
        except OSError as error:
            reason = f"its process could not be started: {error}"
        except Exception as error:
            self._kill()
            self.bury()
            reason = f"its process returned an unreadable record: {error}"
        return Record(cell, "failed", reason=reason, seconds=time.monotonic() - start)

    def stop(self) -> None:
        """Kill the process, and start no other."""
        with self.lock:
            self.stopped = True
        self._kill()

    def bury(self) -> str:
        """Clean up after the process, and return how it ended."""
        if self.process is None:
            return "its process was not started"
        status = self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # data that was not written yet
                stream.close()  # type: ignore[union-attr]
        self.process = None
        if status == _KILLED:
            return "its process was killed, probably because memory ran out"
        return f"its process ended with status {status} and without a record"

    def _kill(self) -> None:
        process = self.process  # its own thread may remove it meanwhile
        if process is not None:
            process.kill()

    def _ask(self, key: str) -> str:
        """The line that the process wrote; empty if it died."""
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
    """Start a worker with the import path of this process; Ctrl-C reaches only the parent."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | _ONE_THREAD | {"PYTHONPATH": path},
        start_new_session=True,
        creationflags=_OWN_GROUP,
    )
    assert process.stdin is not None
    process.stdin.write(hello + "\n")
    return process
