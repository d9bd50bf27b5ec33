"""Options that belong together: a command takes them as one parameter, a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

from consensa._defaults import DEFAULT_GENERATOR, DEFAULT_N_PARTITIONS
from consensa.cli import _options as options
from consensa.cli._generators import base_partitions
from consensa.generation.base import BaseGenerator
from consensa.tables import Request

__all__ = ["FeatureOptions", "GeneratorOptions", "LabelOptions", "with_groups"]


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """How a label matrix is read."""

    truth: options.Truth = None
    row_id: options.Id = None
    columns: options.Columns = None
    drop: options.Drop = None
    header: options.Header = None
    array: options.ArrayName = None
    sheet: options.Sheet = None
    encoding: options.Encoding = None
    separator: options.Separator = None
    transpose: options.Transpose = False

    def request(self, *, labels: bool) -> Request:
        """What is asked of the file."""
        return Request.of(
            self.header,
            self.array,
            labels=labels,
            truth=self.truth,
            row_id=self.row_id,
            sheet=self.sheet,
            encoding=self.encoding,
            separator=self.separator,
            transpose=self.transpose,
            **self._more(),
        )

    def _more(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, kw_only=True)
class FeatureOptions(LabelOptions):
    """How features are read and prepared."""

    keep: options.Keep = None
    missing: options.Missing = "impute"
    na: options.NotAvailable = None
    dates: options.Dates = False
    decimal: options.Decimal = None

    def _more(self) -> dict[str, Any]:
        return {"missing": tuple(self.na or ()), "decimal": self.decimal}


@dataclass(frozen=True, kw_only=True)
class GeneratorOptions:
    """How base partitions are generated."""

    partitions: options.Partitions = DEFAULT_N_PARTITIONS
    generator: options.Generator = DEFAULT_GENERATOR
    scale: options.Scale = "auto"
    pca: options.Components = None
    jobs: options.Jobs = None

    def of(self, n_samples: int) -> BaseGenerator:
        """The generator, for this number of samples."""
        return base_partitions(
            self.partitions,
            self.jobs,
            n_samples,
            name=self.generator,
            scaling=self.scale,
            n_components=self.pca,
        )


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with the fields of its dataclasses as options.

    Typer reads options from the signature of a function, one a parameter.
    """
    own = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, Any] = {
        name: p.annotation for name, p in own.items() if is_dataclass(p.annotation)
    }
    parameters = []
    for name, parameter in own.items():
        parameters += _options_of(groups[name]) if name in groups else [_by_name(parameter)]

    @wraps(command)
    def call(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **made)

    vars(call)["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _by_name(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
