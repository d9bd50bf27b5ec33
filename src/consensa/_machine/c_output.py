"""Output of C libraries, kept out of the standard output of the program."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["c_output_on_stderr"]

_STDOUT, _STDERR = 1, 2
_lock = threading.RLock()  # a descriptor belongs to the process, not to a thread


@contextmanager
def c_output_on_stderr() -> Iterator[None]:
    """Send what a C library prints inside the context to stderr, where messages belong.

    A library that prints into stdout would print into a table that is piped to a file. It writes
    to the descriptor and not to `sys.stdout`, and so the descriptor is redirected. What other
    threads print meanwhile goes to stderr too; nothing is lost.
    """
    with _lock:
        try:
            kept = os.dup(_STDOUT)
        except OSError:  # closed: there is nothing to print into
            yield
            return
        try:
            _flush_c_buffers()
            _redirect_to_stderr()
            try:
                yield
            finally:
                _flush_c_buffers()
                os.dup2(kept, _STDOUT)
        finally:
            os.close(kept)


def _redirect_to_stderr() -> None:
    try:
        os.dup2(_STDERR, _STDOUT)
    except OSError:  # stderr is closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STDOUT)
        os.close(nowhere)


def _flush_c_buffers() -> None:
    """Write what the C library has buffered, while the descriptor is still what it was."""
    ctypes.CDLL("ucrtbase" if os.name == "nt" else None).fflush(None)
