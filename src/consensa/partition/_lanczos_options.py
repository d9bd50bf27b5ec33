"""Options of SciPy's Lanczos iteration that make its restarts reproducible."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh

__all__ = ["lanczos_options"]

_RESTARTS_FROM_RNG = "rng" in inspect.signature(eigsh).parameters  # since SciPy 1.17


def lanczos_options(rng: np.random.RandomState) -> dict[str, Any]:
    """Options of `eigsh`: equal eigenvalues make it restart, by itself from fresh entropy.

    They take one number from `rng` with every SciPy, so that what is drawn afterwards is the same.
    """
    seed = rng.randint(2**31)
    return {"rng": np.random.default_rng(seed)} if _RESTARTS_FROM_RNG else {}
