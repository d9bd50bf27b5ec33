"""The one place where seeds become random generators, never NumPy's global one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["random_source"]


def random_source(random_state: Any) -> np.random.RandomState:
    """Random generator from a seed; a given generator is returned, None gives a new one.

    scikit-learn's `check_random_state` returns the global generator for None, and drawing from
    it would change the random numbers of other code.
    """
    return np.random.RandomState() if random_state is None else check_random_state(random_state)
