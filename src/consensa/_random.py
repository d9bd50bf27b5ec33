"""Randomness comes in at one door and never from NumPy's global state."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["random_source"]


def random_source(random_state: Any) -> np.random.RandomState:
    """A generator from a seed, the generator given, or a fresh one for None.

    scikit-learn's own function answers None with the global generator, and every draw from
    it changes what other people's code gets.
    """
    return np.random.RandomState() if random_state is None else check_random_state(random_state)
