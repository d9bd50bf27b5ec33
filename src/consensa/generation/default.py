"""The default generator."""

from __future__ import annotations

from typing import Any

from consensa import generation
from consensa._defaults import DEFAULT_GENERATOR, DEFAULT_N_PARTITIONS
from consensa.generation.base import BaseGenerator

__all__ = ["default_generator", "read_generator"]


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
