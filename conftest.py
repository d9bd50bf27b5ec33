"""What holds for the tests and for the examples in the docstrings alike."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    """Close what an example drew: matplotlib warns of more than twenty open figures."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
