"""Ctrl-C: at once, with status 130 and no half-written file, whatever is being computed.

Python looks at signals between two of its own instructions. SciPy's linkage and LAPACK's
eigensolver run for minutes without reaching one, and hold the interpreter's lock meanwhile,
so that no thread could act either. Hence two processes. The worker runs the command; a thread
of it, woken by the signal, removes unfinished files and ends it. The guard waits for the
worker, and ends it if it has not ended by itself: then it is inside a long computation, and
no file is being written.

Before there are two processes, nothing is written, and a signal ends this one. It must be able to
do so from the first moment on: what takes time to import is imported inside the functions.
"""

from __future__ import annotations

import os
import signal
import sys

__all__ = ["end_at_once_when_signalled", "guarded"]

TYPE_CHECKING = False  # that of `typing`, which is not imported
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import FrameType

    import psutil

_GRACE = 0.5  # seconds for the worker to end by itself
_STOPPED = b"\nconsensa: stopped.\n"
_SHOW_CURSOR = "\x1b[?25h"  # progress bars hide it


def end_at_once_when_signalled() -> None:
    """End this process on a signal, with its status and no traceback."""
    for signum in _signals():
        signal.signal(signum, _end_at_once)


def _end_at_once(signum: int, frame: FrameType | None) -> None:
    try:
        os.write(2, _STOPPED)
    finally:
        os._exit(128 + signum)


def guarded(work: Callable[[], int]) -> int:
    """Run `work` so that a signal stops it at once; give its status, or 128 + the signal."""
    # Windows cannot fork, and the system libraries of macOS do not survive it. One process stops
    # at a signal too, but only after the running step of SciPy or LAPACK.
    if not hasattr(os, "fork") or sys.platform == "darwin":
        _end_when_signalled(None)
        return work()
    import socket
    import warnings

    guard_end, worker_end = socket.socketpair()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or both processes would write what is buffered
    signal.signal(signal.SIGCHLD, lambda *_: None)  # an ignored signal cannot be waited for
    awaited = {*_signals(), signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    with warnings.catch_warnings():
        # Python ≥ 3.12 warns of threads. OpenBLAS has some, and stops them around a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        worker = os.fork()
    if worker == 0:
        guard_end.close()
        _quieten_joblib()
        _end_when_signalled(worker_end)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, awaited)
        return work()
    worker_end.close()
    # The signals stay blocked and are taken one by one: none arrives between two instructions.
    while True:
        signum = signal.sigwait(awaited)
        if signum != signal.SIGCHLD:
            _end(worker, signum)
            return 128 + signum
        ended, status = os.waitpid(worker, os.WNOHANG)
        if ended:
            return _status(status)


def _signals() -> list[int]:
    """Signals that end the program: not those that nohup tells it to ignore.

    Ctrl-C is always one. A shell script ignores it for commands in the background, but who
    sends it to this process means it.
    """
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    known = [getattr(signal, name) for name in names if hasattr(signal, name)]
    return [
        signum
        for signum in known
        if signum == signal.SIGINT or signal.getsignal(signum) is not signal.SIG_IGN
    ]


def _quieten_joblib() -> None:
    """Let the process that clears up after joblib's workers do so without a word."""
    before = os.environ.get("PYTHONWARNINGS")
    quiet = "ignore:resource_tracker:UserWarning"
    os.environ["PYTHONWARNINGS"] = f"{before},{quiet}" if before else quiet


def _end_when_signalled(lifeline: socket.socket | None) -> None:
    """Start the thread that ends this process on a signal, or when its guard is gone."""
    import select
    import socket
    import threading

    from consensa._machine.atomic import discard_unfinished

    signals = _signals()
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    for signum in signals:
        signal.signal(signum, lambda *_: None)  # the thread acts; here is nothing to do
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)

    def watch() -> None:
        _ = wake  # kept open as long as this thread lives
        while True:
            ready = select.select([end for end in (woken, lifeline) if end], [], [])[0]
            received = woken.recv(1)[0] if woken in ready else signal.SIGTERM
            if received in signals or woken not in ready:
                discard_unfinished()
                if lifeline is None:  # or the guard says it
                    os.write(2, _STOPPED)
                os._exit(128 + received)

    threading.Thread(target=watch, name="consensa-signals", daemon=True).start()


def _status(status: int) -> int:
    """Exit status of the worker, or 128 + the signal that ended it, as shells count."""
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGKILL:
        print("consensa: killed, most likely because memory ran out.", file=sys.stderr)
    return code if code >= 0 else 128 - code


def _end(worker: int, signum: int) -> None:
    """End the worker and the processes it started."""
    import time
    from contextlib import suppress

    import psutil

    helpers: list[psutil.Process] = []
    with suppress(psutil.Error):
        helpers = psutil.Process(worker).children(recursive=True)
    os.kill(worker, signum)  # a terminal sends Ctrl-C to both, `kill` only to the guard
    deadline = time.monotonic() + _GRACE
    while not os.waitpid(worker, os.WNOHANG)[0]:
        if time.monotonic() > deadline:
            os.kill(worker, signal.SIGKILL)
            os.waitpid(worker, 0)
            break
        time.sleep(0.01)
    for helper in helpers:
        # joblib's workers end; its tracker ignores this and removes their temporary files.
        with suppress(psutil.Error):
            helper.terminate()
    if sys.stderr.isatty():
        sys.stderr.write(_SHOW_CURSOR)
    print(_STOPPED.decode(), end="", file=sys.stderr)
