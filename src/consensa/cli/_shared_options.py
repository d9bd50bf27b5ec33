"""Options that several commands share, as one value."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, cast, get_type_hints

__all__ = ["given_options", "sharing"]

Command = Callable[..., None]
_Parameter = inspect.Parameter
_NAMED = {"\t": "tab", r"\s+": "space"}  # separators that are typed by their names


def sharing(function: Command) -> Command:
    """A command whose parameters may be dataclasses: their fields are its options.

    The options stand where the parameter stands, and are passed to `function` as one value. A
    field may be such a dataclass again.
    """
    own = inspect.signature(function, eval_str=True).parameters

    @wraps(function)
    def command(**given: Any) -> None:
        function(**{name: _value(name, own[name].annotation, given) for name in own})

    parameters = [option for parameter in own.values() for option in _options_of(parameter)]
    command.__annotations__ = {option.name: option.annotation for option in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def given_options(shared: Any) -> list[str]:
    """The options of a dataclass that have other values than their defaults, as one types them."""
    types = get_type_hints(type(shared), include_extras=True)
    said: list[str] = []
    for field in fields(shared):
        value = getattr(shared, field.name)
        if is_dataclass(value):
            said += given_options(value)
        elif field.default is not MISSING and value != field.default:
            option = types[field.name].__metadata__[0]
            said += _typed(option.default, value)  # where typer keeps the first of its names
    return said


def _typed(name: str, value: Any) -> list[str]:
    """An option with its value; a flag such as ``--header/--no-header`` has none."""
    if isinstance(value, bool):
        yes, _, no = name.partition("/")
        return [yes if value else no]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [f"{name} {shlex.quote(_NAMED.get(each, str(each)))}" for each in values]


def _options_of(parameter: _Parameter) -> Iterator[_Parameter]:
    """The options that a parameter stands for; itself, unless it is a dataclass."""
    kind = parameter.annotation
    if not is_dataclass(kind):
        yield parameter.replace(kind=_Parameter.KEYWORD_ONLY)
        return
    types = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        default = _Parameter.empty if field.default is MISSING else field.default
        own = _Parameter(field.name, _Parameter.KEYWORD_ONLY, default=default)
        yield from _options_of(own.replace(annotation=types[field.name]))


def _value(name: str, kind: Any, given: dict[str, Any]) -> Any:
    """The value of a parameter, from the options that are given."""
    if not is_dataclass(kind):
        return given[name]
    types = get_type_hints(kind, include_extras=True)
    return cast("Any", kind)(
        **{each.name: _value(each.name, types[each.name], given) for each in fields(kind)}
    )
