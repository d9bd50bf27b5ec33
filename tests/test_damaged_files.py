"""A damaged file of any format is read, or refused in words: no traceback, no hang."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from damaged_files import SEEDS, damaged, read_everywhere, write
from hypothesis import HealthCheck, given, settings

# `make fuzz` sets a larger number, and draws other files each time.
EXAMPLES = int(os.environ.get("CONSENSA_FUZZ_EXAMPLES", "0"))
LAST = Path(__file__).parents[1] / "out" / "fuzz" / "last.txt"
BUDGET = settings(
    max_examples=EXAMPLES or 150,
    derandomize=not EXAMPLES,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("name", sorted(SEEDS))
def test_the_files_are_read_before_they_are_damaged(name, tmp_path):
    read_everywhere(write(tmp_path, name, SEEDS[name]))


# Files that were found to crash the process, to raise errors of libraries, or to be read wrongly.
HEADER = b"\x93NUMPY\x01\x00v\x00%-117s\n"
PAST = {
    "an exponent with which pandas crashes": ("labels.csv", b"p,q\n1e3999999999,a\n1,b\n"),
    "an exponent of more than 32 bits": ("points.tsv", b"x\ty\n0e4294967297\t1\n1\t2\n"),
    "empty beside 64 bits": ("labels.csv", b"p,q\n9223372036854775809,1\n,1\n"),
    "a name of 64 bits": ("names.csv", b",p,q\n9223372036854775809,1,a\nx,1,b\n"),
    "a number that is no character": (
        "names.npy",
        HEADER % b"{'descr': '<U1', 'fortran_order': False, 'shape': (2, 1), }"
        + b"a\0\0\0\xff\xff\xff\xff",
    ),
    "a header with an escape": (
        "labels.npy",
        HEADER % b"{'\\descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }" + bytes(4),
    ),
    "a header of Python 2": (
        "labels.npy",
        HEADER % b"{'descr': '<i2', 'fortran_order': False, 'shape': (2L, 1L), }" + bytes(4),
    ),
    "a header that is no dictionary": ("labels.npy", HEADER % b"[" + bytes(4)),
}


@pytest.mark.parametrize(("name", "content"), PAST.values(), ids=PAST.keys())
def test_what_was_found_once_stays_found(tmp_path, name, content):
    read_everywhere(write(tmp_path, name, {"": content}))


@BUDGET
@given(damaged())
def test_a_damaged_file_is_read_or_refused_in_words(drawn):
    if EXAMPLES:  # a crash of the process would leave no trace of the file
        LAST.parent.mkdir(parents=True, exist_ok=True)
        LAST.write_text(repr(drawn))
    name, files = drawn
    with tempfile.TemporaryDirectory() as folder:
        read_everywhere(write(folder, name, files))
