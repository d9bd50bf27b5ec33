"""Text from outside, such as names of files, columns and samples, made safe to show."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Control characters, among them ESC, which begins the commands of a terminal; characters that
# reverse the direction of the text after them; halves of surrogate pairs, which are no text and
# stand for the bytes of a file name that is not UTF-8. Newlines and tabs remain.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: object) -> str:
    r"""The text, with each character that could command the terminal written by its number.

    Examples
    --------
    >>> from consensa._machine.printable import printable
    >>> print(printable("\x1b[2Jname"))
    \x1b[2Jname
    """
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), str(text))
