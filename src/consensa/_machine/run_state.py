"""A folder with the state of a long run, so that it goes on where it was interrupted.

Each file is complete or not there: arrays are written to NPZ files, which have checksums and
replace the one before atomically. Numbers of rows are written part by part to a file of fixed
size; a line with a checksum is added to a journal after each part. What is damaged is computed
again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import threading
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.atomic import replacing
from consensa._machine.numpy_files import NpzArchive
from consensa.exceptions import InvalidInputError

__all__ = ["RunState", "StoredNumbers", "identity_of_files"]

_ABOUT = "run.json"
_FORMAT = 1


class RunState:
    """The state of a run, in a folder that is created if it is not there.

    Parameters
    ----------
    folder : path
        The folder.
    identity : mapping of str to str
        What the run depends on, by name: the state of a run with another identity is refused.
    """

    def __init__(self, folder: str | os.PathLike[str], identity: Mapping[str, str]) -> None:
        self.folder = Path(folder)
        wanted = {"format": str(_FORMAT), **identity}
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
        known = self._read_identity()
        if known is None:
            self._begin(wanted)
            return
        other = [name for name, value in wanted.items() if known.get(name) != value]
        if other:
            message = (
                f"{self.folder} holds the state of another run: {', '.join(other)} differ"
                f"{'s' if len(other) == 1 else ''}. Resume with the same data and options, or use "
                f"another folder."
            )
            raise InvalidInputError(message)

    def _read_identity(self) -> dict[str, str] | None:
        """What the folder says of its run; None if it is empty."""
        about = self.folder / _ABOUT
        if not about.exists():
            if any(self.folder.iterdir()):
                message = (
                    f"{self.folder} must be an empty folder or the state of a run. It has other "
                    f"files. Use another folder."
                )
                raise InvalidInputError(message)
            return None
        try:
            found = json.loads(about.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = None
        if not isinstance(found, dict):
            message = f"{about} is damaged. Remove the folder {self.folder}, and run again."
            raise InvalidInputError(message)
        return found

    def _begin(self, identity: Mapping[str, str]) -> None:
        with self._writing(), replacing(self.folder / _ABOUT) as temporary:
            temporary.write_text(json.dumps(identity, indent=1), encoding="utf-8")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Inside, a full disk is an error that says how to go on."""
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            remedy = "Free some space" if full else "Make it writable"
            message = (
                f"The state of the run could not be written to {self.folder}: "
                f"{error.strerror or error}. {remedy}, and run again with the same folder: what "
                f"was computed before is kept there."
            )
            raise InvalidInputError(message) from error

    def save(self, name: str, arrays: Mapping[str, Array]) -> None:
        """Write arrays, atomically."""
        path = self.folder / f"{name}.npz"
        with self._writing(), replacing(path) as temporary, temporary.open("wb") as file:
            np.savez(file, **dict(arrays))  # type: ignore[arg-type]

    def load(self, name: str) -> dict[str, Any] | None:
        """Arrays that were saved; None if there are none, or they are damaged."""
        path = self.folder / f"{name}.npz"
        if not path.exists():
            return None
        try:
            if not _is_whole(path):
                return None
            archive = NpzArchive(path)
            return {key: archive.read(key) for key in archive.headers}
        except (OSError, ValueError, zipfile.BadZipFile, zlib.error, EOFError):
            return None
        except RuntimeError:  # of zipfile: encrypted, or of a later version, by a damaged byte
            return None

    def numbers(self, name: str, dtypes: list[Any], n_rows: int) -> StoredNumbers:
        """Numbers of rows that are written part by part."""
        return StoredNumbers(self, name, dtypes, n_rows)


def _is_whole(path: Path) -> bool:
    """Whether a ZIP file has all its members, whose checksums are right.

    A damaged header would make a member something else than an array, or hide the next ones.
    """
    with zipfile.ZipFile(path) as file:
        stated = int.from_bytes(path.read_bytes()[-12:-10], "little")  # at the end of the file
        return len(file.infolist()) == stated and file.testzip() is None


class StoredNumbers:
    """A number of each row for each of several types, in one file for each.

    `arrays` are read-only memory maps; `write` may be called by several threads.
    """

    def __init__(self, state: RunState, name: str, dtypes: list[Any], n_rows: int) -> None:
        self.state, self._lock = state, threading.Lock()
        self._dtypes = [np.dtype(dtype) for dtype in dtypes]
        self._paths = [state.folder / f"{name}-{i}.bin" for i in range(len(dtypes))]
        self._journal = state.folder / f"{name}.txt"
        with state._writing():
            for path, dtype in zip(self._paths, self._dtypes, strict=True):
                if not path.exists() or path.stat().st_size != n_rows * dtype.itemsize:
                    self._journal.unlink(missing_ok=True)
                    with path.open("wb") as file:
                        file.truncate(n_rows * dtype.itemsize)

    @property
    def arrays(self) -> list[Array]:
        """The numbers."""
        return [
            np.memmap(path, dtype, "r")
            for path, dtype in zip(self._paths, self._dtypes, strict=True)
        ]

    def write(self, part: tuple[int, int], numbers: list[Array]) -> None:
        """Write the numbers of a part of the rows, then a line that says so."""
        sum_of_part = 0
        with self._lock, self.state._writing():
            for path, dtype, own in zip(self._paths, self._dtypes, numbers, strict=True):
                data = np.ascontiguousarray(own, dtype).tobytes()
                sum_of_part = zlib.crc32(data, sum_of_part)
                with path.open("r+b") as file:
                    file.seek(part[0] * dtype.itemsize)
                    file.write(data)
            with self._journal.open("a", encoding="ascii") as journal:
                journal.write(f"{part[0]} {part[1]} {sum_of_part}\n")

    def finished(self) -> set[tuple[int, int]]:
        """Parts that were written, and whose checksums are right."""
        if not self._journal.exists():
            return set()
        found = set()
        arrays = self.arrays
        for line in self._journal.read_text(encoding="ascii", errors="replace").splitlines():
            words = line.split()
            if len(words) != 3 or not all(word.isdigit() for word in words):
                continue  # the last line of a run that was killed
            start, stop, wanted = map(int, words)
            here = 0
            for own in arrays:
                here = zlib.crc32(own[start:stop].tobytes(), here)
            if here == wanted:
                found.add((start, stop))
        return found


def identity_of_files(path: str) -> str:
    """A digest of the names, sizes and times of the files at a path, or of a URL."""
    top = Path(path)
    files = sorted(top.rglob("*")) if top.is_dir() else [top]
    said = [
        (file.relative_to(top).as_posix(), file.stat().st_size, file.stat().st_mtime_ns)
        for file in files
        if file.is_file()
    ]
    return hashlib.sha256(json.dumps(said or path).encode()).hexdigest()
