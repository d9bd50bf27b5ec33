"""A result → the Python lines that make it again."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from consensa._result import ConsensusResult

__all__ = ["python_lines"]

_PLAIN = (bool, int, float, str, bytes, type(None))
_WIDTH = 88


class NotWritable(Exception):
    """A value that no line of Python makes again, such as a random generator in use."""


def python_lines(result: ConsensusResult, *, data: str = "X", before: str | None = None) -> str:
    """Lines that make the same labels; `before` are the lines that make the `data` of a fit."""
    if result.made_by is None:
        return "# The result does not say which method made it."
    write = _fit_lines if isinstance(result.made_by, type) else _call_lines
    try:
        return write(result, data, before)
    except NotWritable as error:
        return f"# The lines cannot be written: {error}."


def _fit_lines(result: ConsensusResult, data: str, before: str | None) -> str:
    """Lines that fit the estimator again."""
    writer = _Writer()
    model = writer.call(result.made_by, result.parameters)
    made = before or f"# {data} is what the model was fitted on."
    return _joined(writer, made, f"model = {model}\nlabels = model.fit_predict({data})")


def _call_lines(result: ConsensusResult, data: str, before: str | None) -> str:
    """Lines that call the function of a method on its ensemble again."""
    writer = _Writer()
    call = writer.call(result.made_by, result.parameters, ["ensemble"])
    made = "# ensemble holds the base partitions: result.ensemble of the result at hand."
    return _joined(writer, made, f"labels = {call}.labels")


def _joined(writer: _Writer, made: str, rest: str) -> str:
    """Imports first, each once; then the lines that make the data, then the others."""
    lines = made.splitlines()
    given = {line for line in lines if line.startswith("import ")}
    imports = given | {f"import {module}" for module in writer.modules}
    ordered = sorted(imports, key=lambda line: ("consensa" in line, line))
    body = [line for line in lines if line not in given]
    return "\n".join([*ordered, "", *body, rest])


class _Writer:
    """Writes values as expressions, and remembers the modules that they need."""

    def __init__(self) -> None:
        self.modules: set[str] = set()

    def call(
        self, maker: Any, parameters: Mapping[str, Any], arguments: Sequence[str] = ()
    ) -> str:
        """A call with the parameters that are not defaults, over several lines if it is long."""
        name, written = self._parts(maker, parameters, arguments)
        line = f"{name}({', '.join(written)})"
        if len(line) <= _WIDTH:
            return line
        return f"{name}(\n" + "".join(f"    {argument},\n" for argument in written) + ")"

    def _parts(
        self, maker: Any, parameters: Mapping[str, Any], arguments: Sequence[str] = ()
    ) -> tuple[str, list[str]]:
        # In the order of the signature; scikit-learn sorts parameters by their names.
        signature = inspect.signature(maker).parameters
        ordered = {name: parameters[name] for name in signature if name in parameters}
        named = [
            f"{name}={self.value(value)}"
            for name, value in (ordered | dict(parameters)).items()
            if not _is_default(maker, name, value) or (name == "n_clusters" and value is not None)
        ]
        return self._name(maker), [*arguments, *named]

    def value(self, value: Any) -> str:
        """The expression that makes `value` again."""
        plain = value.item() if isinstance(value, np.generic) else value
        if isinstance(plain, float) and not np.isfinite(plain):
            return f"float('{plain}')"
        if isinstance(plain, _PLAIN):
            return repr(plain)
        if type(plain) is list:
            return f"[{', '.join(map(self.value, plain))}]"
        if type(plain) is tuple:
            return f"({', '.join(map(self.value, plain))}{',' if len(plain) == 1 else ''})"
        if type(plain) is dict:
            pairs = (f"{self.value(key)}: {self.value(item)}" for key, item in plain.items())
            return f"{{{', '.join(pairs)}}}"
        if hasattr(plain, "get_params") and not isinstance(plain, type):
            name, arguments = self._parts(type(plain), plain.get_params(deep=False))
            return f"{name}({', '.join(arguments)})"
        message = f"a {type(plain).__name__} cannot be written as a line of Python"
        raise NotWritable(message)

    def _name(self, maker: Any) -> str:
        module = _public_module(maker)
        self.modules.add(module)
        return f"{module}.{maker.__name__}"


def _is_default(maker: Any, name: str, value: Any) -> bool:
    known = inspect.signature(maker).parameters.get(name)
    return (
        known is not None and type(known.default) is type(value) and bool(known.default == value)
    )


def _public_module(maker: Any) -> str:
    """The shortest module on the way to the maker that has it under its name."""
    parts = maker.__module__.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        there = getattr(sys.modules.get(module), maker.__name__, None)
        if there is maker and module != "__main__":
            return module
    message = f"{maker.__qualname__} cannot be imported from anywhere"
    raise NotWritable(message)
