"""Fixtures that several test files share."""

from __future__ import annotations

import json
import os
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import settings

matplotlib.use("Agg")
# How long one example takes says nothing on a machine that is shared.
settings.register_profile("consensa", deadline=None)
settings.load_profile("consensa")

REFERENCE = Path(__file__).parent / "reference"


def outside(variable: str, file: str) -> Path:
    """Path of a file that is not part of the project, or skip with the reason."""
    folder = os.environ.get(variable)
    path = None if folder is None else Path(folder) / file
    if path is not None and path.exists():
        return path
    reason = f"needs {file}, which is not part of the project: set {variable} to its folder"
    if os.environ.get("CONSENSA_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def reference_small():
    """Answers of the authors' programs on 60 samples."""
    return dict(np.load(REFERENCE / "ref_small.npz"))


@pytest.fixture(scope="session")
def reference_small59():
    """Answers of the authors' LTA program on 59 samples."""
    return dict(np.load(REFERENCE / "ref_small59.npz"))


@pytest.fixture(scope="session")
def reference_binalpha():
    """Answers of the authors' programs on BinAlpha: arrays, and 20 entries of each matrix."""
    arrays = dict(np.load(outside("CONSENSA_REFERENCE", "ref_binalpha.npz")))
    summary = json.loads(outside("CONSENSA_REFERENCE", "ref_binalpha_summary.json").read_text())
    return arrays, summary["matrices"]


@pytest.fixture
def planted():
    """60 samples in 3 clusters; 8 partitions with a tenth of their labels flipped."""
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 20)
    labels = np.stack([truth] * 8, axis=1)
    flipped = rng.uniform(size=labels.shape) < 0.1
    labels[flipped] = rng.randint(3, size=flipped.sum())
    return labels, truth
