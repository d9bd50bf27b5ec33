"""What holds for the tests and for the examples in the docstrings alike."""

from __future__ import annotations

import os
import sys

import pytest

# Scripts and parameters of POSIX, which cannot even be imported on Windows.
collect_ignore = ["tests/consensus/under_memory_limit.py"] if os.name == "nt" else []


def pytest_collection_modifyitems(items):
    """Skip tests of POSIX elsewhere."""
    if os.name == "posix":
        return
    for item in items:
        if item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="needs signals, pipes or limits of POSIX"))


@pytest.fixture(autouse=True)
def _close_figures():
    """Close what an example drew: matplotlib warns of more than twenty open figures."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
