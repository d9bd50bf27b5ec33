"""Text from outside cannot command the terminal."""

from __future__ import annotations

import pytest

from consensa._machine.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b31m", r"\x9b31m"),  # ESC [ in one character
        ("a\rb\x07\x00", r"a\rb\x07\x00"),
        ("txt.\u202eexe", r"txt.\u202eexe"),
        ("caf\udce9.csv", r"caf\udce9.csv"),  # a byte of a file name that is not UTF-8
        ("Zoë, 名前,\tएक\n", "Zoë, 名前,\tएक\n"),
        (3.5, "3.5"),
    ],
)
def test_what_could_command_it_is_written_by_its_number(text, shown):
    assert printable(text) == shown
