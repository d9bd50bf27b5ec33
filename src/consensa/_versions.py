"""What computed an answer: Python, the libraries, the kind of machine."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["versions"]

_LIBRARIES = ("consensa", "numpy", "scipy", "scikit-learn", "numba", "torch")


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that compute, and the kind of machine."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
