"""Write files atomically."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["discard_unfinished", "replacing", "writing"]

_unfinished: set[Path] = set()


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path next to `path` that replaces `path` on success.

    An error or an interrupt removes the temporary file and leaves `path` unchanged. Symbolic
    links are followed; a target that is not a regular file, such as a terminal, is written to
    directly.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        yield target
        return
    handle, name = tempfile.mkstemp(target.suffix, f".{target.stem}-", target.parent)
    os.close(handle)
    temporary = Path(name)
    _unfinished.add(temporary)
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.chmod(_mode_of_new_file(target))
        temporary.replace(target)
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
