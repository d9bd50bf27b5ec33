"""Folders that commands write to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from consensa._machine.atomic import check_writable
from consensa.exceptions import InvalidInputError

__all__ = ["make_folder"]


def make_folder(folder: Path, option: str = "--output", *, files: Iterable[str]) -> None:
    """Make a folder, and check that these files can be written to it; before any work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{option} must be a folder that can be created. {folder}: {error.strerror}."
        raise InvalidInputError(message) from error
    for name in files:
        try:
            check_writable(folder / name)
        except OSError as error:
            message = (
                f"{option} must be a folder that can be written to. {folder / name}: "
                f"{error.strerror}."
            )
            raise InvalidInputError(message) from error
