"""The defaults: what is used where nobody chooses. Everything that has a default reads it here.

Names and numbers only, so that every room can read them; `generation.default` and
`consensus.catalogue` turn the names into objects.
"""

from __future__ import annotations

__all__ = ["DEFAULT_GENERATOR", "DEFAULT_METHOD", "DEFAULT_N_PARTITIONS"]

DEFAULT_GENERATOR = "LandmarkSpectral"  # scales the columns, follows shapes that are not round
DEFAULT_N_PARTITIONS = 20
DEFAULT_METHOD = "TEA"  # its answer does not depend on the order of the rows
