"""The generator of base partitions that a command uses."""

from __future__ import annotations

from typing import Any

from consensa import generation
from consensa._defaults import DEFAULT_GENERATOR
from consensa._machine.suggest import listed, suggestion
from consensa.exceptions import InvalidParameterError
from consensa.generation.base import BaseGenerator

__all__ = ["base_partitions"]

_LABELS_WORTH_PROCESSES = 50_000  # they take about 5 s, and starting processes 2 s


def base_partitions(
    n_partitions: int,
    jobs: int | None,
    n_samples: int,
    *,
    name: str = DEFAULT_GENERATOR,
    scaling: str = "auto",
    n_components: int | None = None,
) -> BaseGenerator:
    """Generator of base partitions; it uses all cores if that saves time."""
    kind = _choose_generator(name)
    worth_it = n_partitions * n_samples > _LABELS_WORTH_PROCESSES
    given: dict[str, Any] = {"n_jobs": jobs or (-1 if worth_it else 1)}
    known = kind(n_partitions).get_params(deep=False)
    for option, parameter, value, usual in (
        ("--scale", "scaling", scaling, "auto"),
        ("--pca", "n_components", n_components, None),
    ):
        if value == usual:
            continue
        if parameter not in known:
            message = f"{option} is not available with --generator {kind.__name__}."
            raise InvalidParameterError(message)
        given[parameter] = value
    return kind(n_partitions, **given)


def _choose_generator(name: str) -> type[BaseGenerator]:
    """Generator of this name, in upper or lower case."""
    every = (getattr(generation, own) for own in generation.__all__)
    known = {own.__name__: own for own in every if issubclass(own, BaseGenerator)}
    by_lower = {own.lower(): kind for own, kind in known.items()}
    if name.lower() in by_lower:
        return by_lower[name.lower()]
    message = f"--generator must be one of {listed(known)}. Got {name!r}.{suggestion(name, known)}"
    raise InvalidParameterError(message)
