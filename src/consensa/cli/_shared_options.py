"""Options that several commands share, as one value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

__all__ = ["sharing"]

Command = Callable[..., None]
_Parameter = inspect.Parameter


def sharing(function: Command) -> Command:
    """A command whose parameters may be dataclasses: their fields are its options.

    The options stand where the parameter stands, and are passed to `function` as one value.
    """
    own = inspect.signature(function, eval_str=True).parameters
    shared = {
        name: list(_options_of(parameter.annotation))
        for name, parameter in own.items()
        if is_dataclass(parameter.annotation)
    }

    @wraps(function)
    def command(**given: Any) -> None:
        values = {
            name: own[name].annotation(**{each.name: given.pop(each.name) for each in options})
            for name, options in shared.items()
        }
        function(**given, **values)

    parameters = [
        option.replace(kind=_Parameter.KEYWORD_ONLY)
        for name, parameter in own.items()
        for option in shared.get(name, [parameter])
    ]
    command.__annotations__ = {option.name: option.annotation for option in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _options_of(kind: Any) -> Iterator[_Parameter]:
    types = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        default = _Parameter.empty if field.default is MISSING else field.default
        yield _Parameter(
            field.name, _Parameter.KEYWORD_ONLY, default=default, annotation=types[field.name]
        )
