"""Where the bytes of a table come from: a file, packed or not, or standard input.

Packed files, text in other encodings than UTF-8 and standard input are written to a temporary
folder as plain files, so that every format has one reader, of a plain file.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
import shutil
import sys
import tempfile
import weakref
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from consensa._machine.memory import require_bytes
from consensa._machine.reading import reading, require_regular_file
from consensa.exceptions import InvalidInputError

__all__ = ["STANDARD_INPUT", "Content", "files_of_zip", "open_content", "to_utf8"]

STANDARD_INPUT = Path("-")
_BLOCK = 2**20
# Ending, first bytes, how to open, and how it is called.
_PACKED: dict[str, tuple[bytes, Callable[[Any], Any], str]] = {
    ".gz": (b"\x1f\x8b", gzip.open, "gzip"),
    ".bz2": (b"BZh", bz2.open, "bz2"),
    ".xz": (b"\xfd7zXZ\0", lzma.open, "xz"),
    ".zst": (b"\x28\xb5\x2f\xfd", lambda path: pa.input_stream(path, compression="zstd"), "zstd"),
}
_ZIP = ".zip"
_BY_PANDAS = (".gz", ".bz2", ".xz")  # zstd needs one more library there, and ZIP only one file
_UTF8 = "utf-8-sig"  # with or without a byte order mark
_BEGINNINGS = {
    codecs.BOM_UTF8: _UTF8,
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f]")  # in no text, whatever its encoding


class _Folder:
    """A temporary folder, removed with this object or when Python ends."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="consensa-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(frozen=True, eq=False)
class Content:
    """A plain file that holds a table.

    Attributes
    ----------
    source : Path
        What the user named; messages name it too.
    path : Path
        The plain file: the source itself, or a temporary file.
    ending : str
        Ending of the plain file, in lower case: .csv for x.csv.gz; empty if there is none.
    found : tuple of str
        What was recognized, in words.
    encoding : str or None
        Encoding of a text that is not UTF-8.
    folder : object
        Temporary folder of the plain file, removed with this object.
    """

    source: Path
    path: Path
    ending: str
    found: tuple[str, ...] = ()
    encoding: str | None = None
    folder: Any = None

    @property
    def is_input(self) -> bool:
        """Whether the table comes from standard input."""
        return self.source == STANDARD_INPUT

    @property
    def is_disguised(self) -> bool:
        """Whether pandas alone fails: the name does not tell how it is packed, zstd or ZIP."""
        words = (*(word for _, _, word in _PACKED.values()), "zip")
        packed = any(word in self.found for word in words)
        return self.is_input or (packed and self.source.suffix.lower() not in _BY_PANDAS)

    @property
    def name(self) -> str:
        """The source as it is called in messages."""
        return "standard input" if self.is_input else str(self.source)


def open_content(path: Path) -> Content:
    """The plain file of a path, or of standard input for ``-``."""
    if path == STANDARD_INPUT:
        content = _from_input()
    else:
        require_regular_file(path)
        content = Content(path, path, path.suffix.lower())
        if content.ending == _ZIP:
            content = _only_file(content)
    for ending, (magic, opened, word) in _PACKED.items():
        if content.ending == ending or _beginning(content.path, len(magic)) == magic:
            return _unpacked(content, ending, opened, word)
    return content


def _beginning(path: Path, length: int) -> bytes:
    with path.open("rb") as file:
        return file.read(length)


def _from_input() -> Content:
    if sys.stdin is None or sys.stdin.isatty():
        message = "FILE is -, standard input, and there is none. Pipe a table into the command."
        raise InvalidInputError(message)
    folder = _Folder()
    target = folder.path / "input"
    stream: Any = sys.stdin
    _copy(getattr(stream, "buffer", stream), target)
    if target.stat().st_size == 0:
        message = "Standard input must contain a table. It is empty."
        raise InvalidInputError(message)
    return Content(STANDARD_INPUT, target, "", folder=folder)


def files_of_zip(path: Path) -> list[str]:
    """Names of the files in a ZIP file, without those that macOS adds."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    return [name for name in names if not name.startswith(("__MACOSX/", "."))]


def _only_file(content: Content) -> Content:
    """The only file of a ZIP file; the file itself if it has several, as an NPZ file has."""
    with _telling(content, "cannot be unpacked as ZIP:"):
        names = files_of_zip(content.path)
        if len(names) != 1:
            return content
        folder = _Folder()
        target = folder.path / "unpacked"
        with zipfile.ZipFile(content.path) as archive, archive.open(names[0]) as packed:
            _copy(packed, target)
    ending = Path(names[0]).suffix.lower()
    return replace(content, path=target, ending=ending, found=("zip",), folder=folder)


def _unpacked(content: Content, ending: str, opened: Callable[[Any], Any], word: str) -> Content:
    folder = _Folder()
    target = folder.path / "unpacked"
    with _telling(content, f"cannot be unpacked as {word}:"), opened(content.path) as packed:
        _copy(packed, target)
    own = content.source.with_suffix("") if content.ending == ending else content.source
    inner = "" if content.is_input else own.suffix.lower()
    return replace(content, path=target, ending=inner, found=(*content.found, word), folder=folder)


def _copy(opened: IO[bytes], target: Path) -> None:
    """Copy a stream into a file, as long as there is memory to read it again."""
    done = 0
    with target.open("wb") as file:
        while block := opened.read(_BLOCK):
            data = block if isinstance(block, bytes) else block.encode()
            done += len(data)
            require_bytes(
                done, step="The unpacked table", why="it is read at once", remedy="Read a part."
            )
            file.write(data)


@contextmanager
def _telling(content: Content, sentence: str) -> Iterator[None]:
    with reading(content.name, sentence):
        yield


def to_utf8(content: Content, asked: str | None) -> Content:
    """The same text in UTF-8; the encoding is the one `asked` for, or recognized."""
    encoding = _known(asked) if asked else _recognized(content)
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        return content
    folder = _Folder()
    target = folder.path / "text"
    with (
        _telling(content, f"is not text in {encoding}:"),
        content.path.open(encoding=encoding, newline="") as text,
        target.open("w", encoding="utf-8", newline="") as file,
    ):
        shutil.copyfileobj(text, file, _BLOCK)
    words = f"{encoding}, a guess (--encoding)" if encoding == "cp1252" and not asked else encoding
    return replace(
        content,
        path=target,
        found=(*content.found, words),
        encoding=encoding,
        folder=(content, folder),
    )


def _known(name: str) -> str:
    try:
        codecs.lookup(name).incrementaldecoder  # noqa: B018
        "".encode(name)
    except (LookupError, ValueError, TypeError) as error:
        message = (
            f"--encoding must be an encoding that Python knows, such as utf-8, utf-16, cp1252 or "
            f"latin-1. Got {name!r}."
        )
        raise InvalidInputError(message) from error
    return name


def _recognized(content: Content) -> str:
    """By a byte order mark; UTF-8 if it is valid; UTF-16 by its zeros; cp1252 otherwise."""
    with content.path.open("rb") as file:
        start = file.read(2**16)
        for mark, encoding in _BEGINNINGS.items():
            if start.startswith(mark):
                return encoding
        wide = _zeros(start)
        if wide is not None:
            return wide
        if b"\0" in start:
            return _UTF8  # the reader says that it is binary
        file.seek(0)
        try:
            for _ in codecs.iterdecode(iter(lambda: file.read(_BLOCK), b""), "utf-8"):
                pass
        except UnicodeDecodeError as error:
            return _one_byte_each(content, error)
    return _UTF8


def _zeros(start: bytes) -> str | None:
    """UTF-16 without a mark: every second byte of plain text is zero, and no other."""
    sample = start[: len(start) // 2 * 2]
    if not len(sample) >= 4 or sample.count(0) < 0.4 * len(sample):
        return None
    for name, zeros, letters in (
        ("le", sample[1::2], sample[::2]),
        ("be", sample[::2], sample[1::2]),
    ):
        if zeros.count(0) >= 0.9 * len(zeros) and 0 not in letters:
            return f"utf-16-{name}"
    return None


def _one_byte_each(content: Content, error: UnicodeDecodeError) -> str:
    """The encoding of Western Windows, unless there are bytes that it does not have."""
    data = content.path.read_bytes()
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        raise _unknown(content.name, data) from error
    if _CONTROL.search(data):
        raise _unknown(content.name, data) from error
    return "cp1252"


def _unknown(name: str, data: bytes) -> InvalidInputError:
    """The error of the first byte that is not UTF-8, counted from the start of the file."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = (
            f"{name} must be text in UTF-8. Byte {error.start} of it is not. Name its encoding "
            f"with --encoding, such as cp437 or mac-roman."
        )
        return InvalidInputError(message)
    raise AssertionError  # the caller found one
