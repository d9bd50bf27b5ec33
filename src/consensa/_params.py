"""Declared parameter constraints, and the one place where parameter errors are raised.

A class or function declares the valid values of its parameters next to its signature:
``{"linkage": (OneOf(LINKAGES),), "tol": (Real(above=0), NoneType())}``. A value is
valid if one of the constraints accepts it. Methods and generators declare only what their types
do not say: numbers are positive (`completed`). The error message, the invalid values of the
common tests and the help of the command line are derived from the declaration.

The parameters of an estimator are the fields of its class (`ParameterFields`).
"""

from __future__ import annotations

import difflib
import inspect
import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, dataclass_transform

import numpy as np

from consensa.exceptions import InvalidParameterError

__all__ = [
    "Boolean",
    "Constraint",
    "Declaration",
    "HasMethod",
    "Integer",
    "IntegerRange",
    "JobCount",
    "ListOf",
    "NoneType",
    "OneOf",
    "ParameterFields",
    "PositiveRange",
    "RandomState",
    "Real",
    "check_params",
    "completed",
]


class Constraint(Protocol):
    """A set of valid values of a parameter."""

    def accepts(self, value: Any) -> bool:
        """Return whether `value` is valid."""

    def describe(self) -> str:
        """Describe the valid values for an error message."""

    def refused(self) -> Any:
        """Return a value that is invalid, also for the other constraints of the parameter."""
        return object()


Declaration = Mapping[str, tuple[Constraint, ...]]


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


@dataclass(frozen=True)
class Integer(Constraint):
    """An integer of at least `least`; NumPy integers count, booleans do not."""

    least: int

    def accepts(self, value: Any) -> bool:
        return _is_integer(value) and value >= self.least

    def describe(self) -> str:
        return f"an integer ≥ {self.least}"

    def refused(self) -> Any:
        return self.least - 1


@dataclass(frozen=True)
class JobCount(Constraint):
    """A value of `n_jobs` as in joblib: a number of processes, or a negative number."""

    def accepts(self, value: Any) -> bool:
        return _is_integer(value) and value != 0

    def describe(self) -> str:
        return "an integer other than 0 (-1 is all cores)"

    def refused(self) -> Any:
        return 0


@dataclass(frozen=True)
class Real(Constraint):
    """A finite real number, greater than `above`, at least `least`, at most `most`."""

    above: float | None = None
    least: float | None = None
    most: float | None = None

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
            return False
        number: Any = value  # not float(value): an integer may be too large for it
        return (
            -math.inf < number < math.inf
            and (self.above is None or number > self.above)
            and (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
        )

    def describe(self) -> str:
        bounds = [
            f"{sign} {bound:g}"
            for sign, bound in ((">", self.above), ("≥", self.least), ("≤", self.most))
            if bound is not None
        ]
        return " ".join(["a finite number", " and ".join(bounds)]).rstrip()

    def refused(self) -> Any:
        return math.nan


@dataclass(frozen=True)
class OneOf(Constraint):
    """One of a few strings."""

    options: Iterable[str]

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in tuple(self.options)

    def describe(self) -> str:
        return " or ".join(repr(option) for option in self.options)

    def refused(self) -> Any:
        return "no such option"


@dataclass(frozen=True)
class Boolean(Constraint):
    """True or False."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (bool, np.bool_))

    def describe(self) -> str:
        return "True or False"

    def refused(self) -> Any:
        return "yes"


@dataclass(frozen=True)
class NoneType(Constraint):
    """None."""

    def accepts(self, value: Any) -> bool:
        return value is None

    def describe(self) -> str:
        return "None"


@dataclass(frozen=True)
class IntegerRange(Constraint):
    """A pair (low, high) of integers with ``least ≤ low ≤ high``."""

    least: int

    def accepts(self, value: Any) -> bool:
        return (
            isinstance(value, (tuple, list))
            and len(value) == 2
            and all(_is_integer(end) for end in value)
            and self.least <= value[0] <= value[1]
        )

    def describe(self) -> str:
        return f"a pair (low, high) of integers with {self.least} ≤ low ≤ high"

    def refused(self) -> Any:
        return (self.least, self.least - 1)


@dataclass(frozen=True)
class PositiveRange(Constraint):
    """A pair (low, high) of numbers with ``0 < low ≤ high``."""

    def accepts(self, value: Any) -> bool:
        return (
            isinstance(value, (tuple, list))
            and len(value) == 2
            and all(isinstance(end, numbers.Real) and math.isfinite(end) for end in value)
            and 0 < value[0] <= value[1]
        )

    def describe(self) -> str:
        return "a pair (low, high) of numbers with 0 < low ≤ high"

    def refused(self) -> Any:
        return (2.0, 1.0)


@dataclass(frozen=True)
class RandomState(Constraint):
    """A value of `random_state` as in scikit-learn."""

    def accepts(self, value: Any) -> bool:
        return (
            value is None
            or isinstance(value, np.random.RandomState)
            or (_is_integer(value) and 0 <= value < 2**32)
        )

    def describe(self) -> str:
        return "an integer from 0 to 2**32 - 1, a numpy.random.RandomState or None"

    def refused(self) -> Any:
        return -1


@dataclass(frozen=True)
class HasMethod(Constraint):
    """An object with a method of this name (not a class)."""

    name: str

    def accepts(self, value: Any) -> bool:
        return not isinstance(value, type) and callable(getattr(value, self.name, None))

    def describe(self) -> str:
        return f"an object with a method {self.name!r}"


@dataclass(frozen=True)
class ListOf(Constraint):
    """A non-empty list, tuple or range of values that one of these constraints accepts."""

    options: tuple[Constraint, ...]

    def accepts(self, value: Any) -> bool:
        return (
            isinstance(value, (list, tuple, range))
            and len(value) > 0
            and all(any(option.accepts(thing) for option in self.options) for thing in value)
        )

    def describe(self) -> str:
        return f"a non-empty list of {' or '.join(o.describe() for o in self.options)}"

    def refused(self) -> Any:
        return []


# Valid values by type, for a parameter that is not declared.
_BY_TYPE: Declaration = {
    "int": (Integer(1),),
    "float": (Real(above=0),),
    "bool": (Boolean(),),
}


def completed(
    own: Declaration, parameters: Iterable[inspect.Parameter]
) -> dict[str, tuple[Constraint, ...]]:
    """Constraints on each parameter, in their order: those of its type unless it has its own."""
    found = {}
    for parameter in parameters:
        kind = getattr(parameter.annotation, "__name__", parameter.annotation)
        constraints = own.get(parameter.name) or _BY_TYPE.get(kind)
        if constraints is None:
            message = f"Declare the valid values of {parameter.name!r}; its type is {kind}."
            raise TypeError(message)
        found[parameter.name] = constraints
    return found


def check_params(owner: str, declared: Declaration, values: Mapping[str, Any]) -> None:
    """Raise `InvalidParameterError` for the first invalid value."""
    for name, constraints in declared.items():
        value = values[name]
        if any(constraint.accepts(value) for constraint in constraints):
            continue
        wanted = ", or ".join(constraint.describe() for constraint in constraints)
        message = (
            f"The '{name}' parameter of {owner} must be {wanted}. Got {value!r} instead."
            f"{_nearest(value, constraints)}"
        )
        raise InvalidParameterError(message)


def _nearest(value: Any, constraints: tuple[Constraint, ...]) -> str:
    """Suggest the option that is nearest to a mistyped string."""
    if not isinstance(value, str):
        return ""
    options = [o for c in constraints if isinstance(c, OneOf) for o in c.options]
    near = difflib.get_close_matches(value, options, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
class ParameterFields:
    """Mixin of estimators that declare each parameter once, as a field: ``theta: float = 0.4``.

    `__init__` is generated as that of a dataclass: it stores the parameters and does nothing else,
    as scikit-learn requires. Parameters are keyword-only, except ``field(kw_only=False)``. A class
    with its own `__init__` keeps it.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        hints = _hints(cls)
        if "__init__" in vars(cls) or all("ClassVar" in str(hint) for hint in hints.values()):
            return
        inherited: Any = cls.__init__
        text = cls.__doc__
        cls.__annotations__ = hints
        dataclass(eq=False, repr=False, kw_only=True)(cls)
        cls.__doc__ = text  # a dataclass without one, as with ``python -OO``, gets its signature
        _show_own_first(cls.__init__, inspect.signature(inherited).parameters.values())


def _hints(cls: type) -> dict[str, Any]:
    """Types of the fields, and not their names: the module of a subclass may not know these."""
    try:
        return inspect.get_annotations(cls, eval_str=True)
    except NameError:  # a name that is imported for type checkers only
        return inspect.get_annotations(cls)


def _show_own_first(init: Any, parameters: Iterable[inspect.Parameter]) -> None:
    """Order keyword-only parameters in the signature as in the docstring: own ones first.

    A dataclass has them after the inherited ones. A parameter for which the base class has no
    default belongs to the subclass that gives it one.
    """
    signature = inspect.signature(init)
    inherited = [each.name for each in parameters if each.default is not each.empty]

    def place(parameter: inspect.Parameter) -> tuple[int, int]:
        named = parameter.kind is parameter.KEYWORD_ONLY and parameter.name in inherited
        return parameter.kind, inherited.index(parameter.name) + 1 if named else 0

    ordered = sorted(signature.parameters.values(), key=place)
    init.__signature__ = signature.replace(parameters=ordered)
