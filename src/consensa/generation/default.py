"""The default generator."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from consensa import generation
from consensa._defaults import DEFAULT_GENERATOR, DEFAULT_N_PARTITIONS
from consensa.exceptions import InvalidParameterError
from consensa.generation.base import BaseGenerator

__all__ = ["default_generator", "read_generator", "with_parameter"]


def default_generator(
    n_partitions: int | None = None, *, n_jobs: int | None = None
) -> BaseGenerator:
    """The default generator, with the default number of partitions unless given."""
    kind: type[BaseGenerator] = getattr(generation, DEFAULT_GENERATOR)
    count = DEFAULT_N_PARTITIONS if n_partitions is None else n_partitions
    return kind(count) if n_jobs is None else kind(count, n_jobs=n_jobs)


def read_generator(generator: Any) -> Any:
    """The given generator; the default one for None."""
    return default_generator() if generator is None else generator


def with_parameter(generator: Any, name: str, value: Any, *, owner: str) -> Any:
    """The given generator, or the default one, with another value of a parameter.

    `owner` has a parameter of this name, which is that of the generator.
    """
    generator = read_generator(generator)
    if not hasattr(generator, "get_params") or name not in generator.get_params(deep=False):
        given = generator if isinstance(generator, str) else type(generator).__name__
        message = (
            f"The {name!r} parameter of {owner} needs a generator that has it, such as "
            f"{DEFAULT_GENERATOR}. Got {given!r}."
        )
        raise InvalidParameterError(message)
    return clone(generator).set_params(**{name: value})
