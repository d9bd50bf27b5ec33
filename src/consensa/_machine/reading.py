"""Read files by libraries: whatever they raise becomes one message about the file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from consensa.exceptions import ConsensaError, InvalidInputError

__all__ = ["reading", "require_regular_file"]

_FIELDS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_MOST = 300  # letters of a reason


@contextmanager
def reading(path: str | os.PathLike[str], sentence: str, remedy: str = "") -> Iterator[None]:
    """Inside, an error of a library is an `InvalidInputError`: path, `sentence` and reason.

    `remedy` is a sentence that says what to do. Damaged files make libraries raise errors of
    nearly every type, so all of them are caught: only the call of the library belongs inside.
    """
    require_regular_file(path)
    try:
        yield
    except ConsensaError:
        raise
    except PermissionError as error:
        message = f"{os.fspath(path)} cannot be read: permission denied."
        raise InvalidInputError(message) from error
    except KeyError as error:
        message = f"{os.fspath(path)} {sentence} It has no {error}."
        raise InvalidInputError(message) from error
    except Exception as error:
        message = f"{os.fspath(path)} {sentence} {_reason(error)}.".replace("..", ".")
        raise InvalidInputError(f"{message} {remedy}".rstrip()) from error


def require_regular_file(path: str | os.PathLike[str]) -> None:
    """Raise an error for a pipe, a socket or a device, which might never end."""
    text = os.fspath(path)
    local = None if "://" in text else Path(text)
    if local is None or local.is_file() or local.is_dir() or not local.exists():
        return
    message = (
        f"{text} must be a regular file. It is a pipe, a socket or a device. Write its content "
        f"to a file first."
    )
    raise InvalidInputError(message)


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    if "allow_pickle" in text:
        return "it contains pickled objects, which may run code and are never loaded"
    if fields := _FIELDS.search(text):  # of pandas
        above = "Remove the lines above the table, such as titles and comments"
        return (
            f"line {fields[2]} has {fields[3]} fields, and the lines above it have {fields[1]}. "
            f"{above if fields[1] == '1' else 'Correct it'}"
        )
    if isinstance(error, UnicodeDecodeError):
        return f"it must be text in UTF-8. Byte {error.start} of it is not"
    return text if len(text) <= _MOST else f"{text[:_MOST]} …"
