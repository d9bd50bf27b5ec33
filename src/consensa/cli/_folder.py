"""Folders that commands write to."""

from __future__ import annotations

from pathlib import Path

from consensa.exceptions import InvalidInputError

__all__ = ["make_folder"]


def make_folder(folder: Path, option: str = "--output") -> None:
    """Make a folder if it is not there; before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{option} must be a folder that can be created. {folder}: {error.strerror}."
        raise InvalidInputError(message) from error
