"""The default generator, number of partitions and method, defined once.

Only names and numbers, so that every package can import them; `generation.default` and
`consensus.catalogue` turn the names into objects.
"""

from __future__ import annotations

__all__ = ["DEFAULT_GENERATOR", "DEFAULT_METHOD", "DEFAULT_N_PARTITIONS"]

DEFAULT_GENERATOR = "DiverseKinds"  # chooses the scaling, finds clusters of any shape
DEFAULT_N_PARTITIONS = 48
DEFAULT_METHOD = "TEA"  # order-free
