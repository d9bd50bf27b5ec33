"""Write files atomically."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["check_writable", "discard_unfinished", "replacing", "writing"]

_unfinished: set[Path] = set()
_MOST_NAME = 40  # bytes of the name that its temporary file has too; names have at most 255


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path next to `path` that replaces `path` on success.

    An error or an interrupt removes the temporary file and leaves `path` unchanged. Symbolic
    links are followed; a target that is not a regular file, such as a terminal, is written to
    directly.
    """
    target = _target(path)
    if target.exists() and not target.is_file():
        yield target
        return
    with _temporary_beside(target) as temporary:
        yield temporary
        with temporary.open("r+b") as written:  # Windows flushes no handle that only reads
            os.fsync(written.fileno())
        temporary.chmod(_mode_of_new_file(target))
        temporary.replace(target)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the `OSError` that `replacing` would raise, before there is anything to write.

    A loop of links, a folder, a missing or read-only folder, a file without permission. Whether
    the disk has room enough is known only when the file is written.
    """
    target = _target(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    if target.is_file() or not target.exists():
        with _temporary_beside(target):
            pass


def _target(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to, through symbolic links; there need not be one yet."""
    with suppress(FileNotFoundError):
        os.stat(path)  # raises for a loop of links
    return Path(os.path.realpath(path))


@contextmanager
def _temporary_beside(target: Path) -> Iterator[Path]:
    """A new file in the same folder, removed at the end unless it was renamed."""
    begin = os.fsencode(target.stem)[:_MOST_NAME].decode(errors="ignore")
    handle, name = tempfile.mkstemp(target.suffix[:_MOST_NAME], f".{begin}-", target.parent)
    temporary = Path(name)
    _unfinished.add(temporary)
    try:
        os.close(handle)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
        _unfinished.discard(temporary)


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a temporary path that becomes `path`; a full disk leaves what was there."""
    try:
        with replacing(path) as temporary:
            yield temporary
    except OSError as error:
        from consensa.exceptions import InvalidInputError  # loads scikit-learn

        before = "The existing file is unchanged" if path.exists() else "Nothing was written"
        message = f"{path} could not be written: {error.strerror or error}. {before}."
        raise InvalidInputError(message) from error


def discard_unfinished() -> None:
    """Remove the temporary files of unfinished writes, before the process is terminated."""
    for temporary in tuple(_unfinished):
        temporary.unlink(missing_ok=True)


def _mode_of_new_file(target: Path) -> int:
    """Permissions of `target`, or those of an ordinary new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
