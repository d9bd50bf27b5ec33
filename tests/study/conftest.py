"""A small set for the tests of the study."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with two sets of 45 samples in 3 classes; the second has no pool."""
    path = tmp_path_factory.mktemp("data")
    rng = np.random.RandomState(0)
    y = np.repeat([1, 2, 3], 15)
    X = rng.normal(size=(45, 2)) + 4 * y[:, None]
    noise = rng.uniform(size=(45, 12)) < 0.25
    members = np.where(noise, rng.randint(4, size=(45, 12)), y[:, None])
    np.savez(path / "tiny.npz", X=X, y=y, members=members)
    np.savez(path / "bare.npz", X=X, y=y)
    return path
