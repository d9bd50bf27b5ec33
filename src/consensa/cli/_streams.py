"""The standard streams of the process, whatever its caller made of them.

They may be closed (``>&-``), take ASCII only, lie on a full disk, or have a reader that leaves
early (``| head -1``). What cannot be written to stdout is an error; messages that cannot be
written to stderr are dropped, because they must not stop the work that they describe.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any

__all__ = ["open_streams"]

_ERRORS = "backslashreplace"  # a character that the terminal cannot show is printed as its number


def open_streams() -> None:
    """Replace stdout and stderr by streams that tolerate all this; open closed ones."""
    if os.name == "nt":
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=_ERRORS)
        return
    # A closed descriptor would be given to the next file, and output be written into it. One that
    # can only be read refuses what is written to stdout, as a closed one does.
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # the lowest free one, which is this
    sys.stdin = sys.stdin or io.TextIOWrapper(
        io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8"
    )
    sys.stdout = _text(_Answers(1, "wb", closefd=False), sys.stdout)
    sys.stderr = _text(_Messages(2, "wb", closefd=False), sys.stderr)


class _Messages(io.FileIO):
    """Stderr. After an error these data and all that follow are dropped."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())  # or the same data fails again when the process ends
            os.close(nowhere)
            self._tell(error)
            return len(data)

    def _tell(self, error: OSError) -> None:
        """Ignore it: there is no other stream to report it on."""


class _Answers(_Messages):
    """Stdout. If its reader has closed it, the rest is dropped; other errors are raised once."""

    def _tell(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError):
            reason = "It is closed" if error.errno == errno.EBADF else error.strerror
            raise OSError(error.errno, reason, "standard output") from error


def _text(raw: io.FileIO, before: Any) -> io.TextIOWrapper:
    """A text stream with the encoding of the one before."""
    if before is not None:
        before.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=getattr(before, "encoding", None) or "utf-8",
        errors=_ERRORS,
        newline="\n",
        line_buffering=raw.isatty() or raw.fileno() == 2,
    )
