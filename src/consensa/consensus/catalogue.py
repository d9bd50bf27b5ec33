"""The methods, found in the package ``consensa.consensus``."""

from __future__ import annotations

import difflib
from typing import Any

from sklearn.base import clone

from consensa._defaults import DEFAULT_METHOD
from consensa.consensus.base import BaseConsensus
from consensa.exceptions import InvalidParameterError

__all__ = ["find_methods", "methods_that", "read_method"]


def find_methods() -> dict[str, type[BaseConsensus]]:
    """All consensus estimators by name."""
    from consensa import consensus

    public = ((name, getattr(consensus, name)) for name in consensus.__all__)
    return {
        name: thing
        for name, thing in public
        if isinstance(thing, type) and issubclass(thing, BaseConsensus)
    }


def methods_that(can: str) -> dict[str, type[BaseConsensus]]:
    """Estimators whose `MethodInfo` has this property, such as ``"dask"``."""
    return {name: found for name, found in find_methods().items() if getattr(found.info, can)}


def read_method(method: Any, *, owner: str) -> BaseConsensus:
    """A new unfitted estimator from a name, a class, an estimator, or None."""
    known = find_methods()
    if method is None:
        return known[DEFAULT_METHOD]()
    if isinstance(method, BaseConsensus):
        return clone(method)
    if isinstance(method, type) and issubclass(method, BaseConsensus):
        return method()
    by_lower = {name.lower(): estimator for name, estimator in known.items()}
    if isinstance(method, str) and method.lower() in by_lower:
        return by_lower[method.lower()]()
    near = difflib.get_close_matches(str(method).lower(), by_lower, n=1)
    message = (
        f"The 'method' parameter of {owner} must be an estimator of consensa.consensus or the "
        f"name of one: {', '.join(known)}. Got {method!r}."
        + (f" Did you mean {by_lower[near[0]].__name__!r}?" if near else "")
    )
    raise InvalidParameterError(message)
