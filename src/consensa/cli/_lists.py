"""Options that are lists, separated by commas."""

from __future__ import annotations

from collections.abc import Iterable

from consensa._machine.suggest import suggestion
from consensa.exceptions import InvalidParameterError

__all__ = ["choose", "numbers"]


def choose(
    names: str, known: Iterable[str], option: str, *, all_of: Iterable[str] | None = None
) -> list[str]:
    """Names of a list separated by commas, in any case; "all" is all of them, or `all_of`."""
    every = list(known)
    given = [name.strip().lower() for name in names.split(",") if name.strip()]
    if given == ["all"]:
        return every if all_of is None else list(all_of)
    for name in given:
        if name not in every:
            message = (
                f"{option} must be names from {', '.join(every)}, separated by commas. "
                f"Got {name!r}.{suggestion(name, every)}"
            )
            raise InvalidParameterError(message)
    if not given:
        message = f"{option} must name at least one of {', '.join(every)}."
        raise InvalidParameterError(message)
    return given


def numbers(
    text: str, option: str, *, whole: bool = False, below: float = float("inf")
) -> tuple[float, ...]:
    """Positive numbers separated by commas, ascending, each once."""
    kind = "integers above 0" if whole else "numbers above 0"
    kind += f" and below {below:g}" if below < float("inf") else ""
    try:
        values = sorted({float(part) for part in text.split(",") if part.strip()})
    except ValueError:
        values = []
    fit = [value for value in values if 0 < value < below]
    if not values or fit != values or (whole and any(value % 1 for value in values)):
        message = f"{option} must be {kind}, separated by commas. Got {text!r}."
        raise InvalidParameterError(message)
    return tuple(values)
