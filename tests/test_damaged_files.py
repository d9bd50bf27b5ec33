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


@BUDGET
@given(damaged())
def test_a_damaged_file_is_read_or_refused_in_words(drawn):
    if EXAMPLES:  # a crash of the process would leave no trace of the file
        LAST.parent.mkdir(parents=True, exist_ok=True)
        LAST.write_text(repr(drawn))
    name, files = drawn
    with tempfile.TemporaryDirectory() as folder:
        read_everywhere(write(folder, name, files))
