r"""Numbers as people write them: decimal commas, thousands, percent and currency.

The same text can be two numbers: ``1,234`` is 1.234 with a decimal comma and 1234 with a decimal
point. A text tells its decimal mark if only one of the two readings is a number: ``70,0`` is
written with a comma, ``1.5`` and ``1,234.5`` with a point.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import NamedTuple

__all__ = ["MARKS", "Written", "common_unit", "has_thousands", "kind_of_unit", "written"]

MARKS = (".", ",")  # decimal marks
_SPACES = " \u00a0\u2007\u2009\u202f"
_CURRENCY = r"[$€£¥₹₽₩₺₫₴₪฿]|EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|kr|zł|Fr\."
_SIGN = "[+\\-\u2212]?"
_ENTRY = re.compile(
    rf"(?P<open>\()?(?P<sign>{_SIGN})\s*(?P<before>{_CURRENCY})?\s*(?P<inner>{_SIGN})"
    rf"(?P<body>[0-9.,'’{_SPACES}]*[0-9][.,]?)(?P<power>[eE][+-]?[0-9]+)?"
    rf"\s*(?P<after>%|{_CURRENCY})?(?P<close>\))?",
    flags=re.IGNORECASE,
)

_WITH_UNIT = re.compile(r"(?P<number>.*[0-9.,])\s*(?P<unit>[A-Za-zµ°Ωμ²³/]+)")


class Written(NamedTuple):
    """A number as it is written.

    Attributes
    ----------
    point : float or None
        The number if the decimal mark is a point; None if it is none then.
    comma : float or None
        The number if the decimal mark is a comma.
    unit : str
        Percent sign or currency; empty without one.
    """

    point: float | None
    comma: float | None
    unit: str

    def by(self, mark: str) -> float | None:
        """The number with this decimal mark."""
        return self.point if mark == "." else self.comma

    @property
    def mark(self) -> str | None:
        """The decimal mark that the text tells; None if it tells none."""
        if (self.point is None) == (self.comma is None):
            return None
        return "." if self.comma is None else ","

    @property
    def is_ambiguous(self) -> bool:
        """Whether it is two different numbers."""
        return self.mark is None and self.point != self.comma


def written(text: str) -> Written | None:
    """Read a number as people write it; None for any other text.

    Examples
    --------
    >>> from consensa.tables._numbers import written
    >>> written("1.234,5 €")
    Written(point=None, comma=1234.5, unit='€')
    >>> written("1,234").is_ambiguous
    True
    """
    found = _ENTRY.fullmatch(text.strip())
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    signs = [sign for sign in (found["sign"], found["inner"], found["open"]) if sign]
    units = [unit for unit in (found["before"], found["after"]) if unit]
    if len(signs) > 1 or len(units) > 1:
        return None
    factor = -1.0 if signs and signs[0] in "-\u2212(" else 1.0
    values = [_value(found["body"], found["power"] or "", mark) for mark in MARKS]
    if values == [None, None]:
        return None
    point, comma = (None if value is None else factor * value for value in values)
    return Written(point, comma, units[0].upper() if units else "")


def common_unit(texts: Collection[str]) -> str | None:
    """The unit that follows every one of these numbers, such as kg; None if there is none.

    Numbers that are all the same tell no unit: 5a may be a name.

    Examples
    --------
    >>> from consensa.tables._numbers import common_unit
    >>> common_unit({"1.5 kg", "12 kg"}), common_unit({"3rd", "2nd"})
    ('kg', None)
    """
    found = [_WITH_UNIT.fullmatch(text.strip()) for text in texts]
    units = {None if match is None else match["unit"] for match in found}
    unit = units.pop() if len(texts) > 1 and len(units) == 1 else None
    if unit is None or any(written(match["number"]) is None for match in found if match):
        return None
    return unit


def kind_of_unit(unit: str) -> str:
    """The words for a unit: percent, currency, or its name."""
    if unit == "%":
        return "percent"
    is_currency = re.fullmatch(_CURRENCY, unit, flags=re.IGNORECASE) is not None
    return "currency" if is_currency else f"unit {unit!r}"


def has_thousands(text: str, mark: str) -> bool:
    """Whether a number has marks between its thousands, with this decimal mark.

    Examples
    --------
    >>> from consensa.tables._numbers import has_thousands
    >>> has_thousands("1.234,5 €", ","), has_thousands("12,5", ",")
    (True, False)
    """
    found = _ENTRY.fullmatch(text.strip())
    match = None if found is None else _forms(mark).fullmatch(found["body"])
    return match is not None and match["group"] is not None


def _value(body: str, power: str, mark: str) -> float | None:
    match = _forms(mark).fullmatch(body)
    if match is None:
        return None
    digits = "".join(c for c in match["whole"] if c.isdigit())
    return float(f"{digits or '0'}.{match['rest'] or '0'}{power}")


@cache
def _forms(mark: str) -> re.Pattern[str]:
    """Digits without groups, or in groups of three with one mark between them."""
    other = "," if mark == "." else "."
    between = f"[{re.escape(other)}'’{_SPACES}]"
    groups = rf"[1-9][0-9]{{0,2}}(?P<group>{between})[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*"
    whole = rf"(?P<whole>{groups}|[0-9]*)"
    return re.compile(rf"{whole}(?:{re.escape(mark)}(?P<rest>[0-9]*))?")
