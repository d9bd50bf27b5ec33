"""The generator of base partitions that a command uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from consensa import generation
from consensa._defaults import DEFAULT_GENERATOR, DEFAULT_N_PARTITIONS
from consensa._machine.suggest import listed, suggestion
from consensa.cli import _options as options
from consensa.exceptions import InvalidParameterError
from consensa.generation.base import BaseGenerator

__all__ = ["Generating", "base_partitions"]

_WORTH_ALL_CORES = 50_000  # labels; fewer are generated on one core


@dataclass(frozen=True)
class Generating:
    """The options of every command that generates base partitions."""

    partitions: options.Partitions = DEFAULT_N_PARTITIONS
    generator: options.Generator = DEFAULT_GENERATOR
    scale: options.Scale = "auto"
    pca: options.Components = None
    device: options.Device = None
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
            device=self.device,
        )


def base_partitions(
    n_partitions: int,
    jobs: int | None,
    n_samples: int,
    *,
    name: str = DEFAULT_GENERATOR,
    scaling: str = "auto",
    n_components: int | None = None,
    device: str | None = None,
) -> BaseGenerator:
    """Generator of base partitions; it uses all cores if that saves time."""
    kind = _choose_generator(name)
    worth_it = n_partitions * n_samples > _WORTH_ALL_CORES
    given: dict[str, Any] = {"n_jobs": jobs or (-1 if worth_it else 1)}
    known = kind(n_partitions).get_params(deep=False)
    for option, parameter, value, usual in (
        ("--scale", "scaling", scaling, "auto"),
        ("--pca", "pca_components", n_components, None),
        ("--device", "device", device, None),
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
