"""What computed an answer: Python, the libraries, the kind of machine."""

from __future__ import annotations

import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

__all__ = ["versions"]

_LIBRARIES = {
    "consensa": "consensa", "numpy": "numpy", "scipy": "scipy", "scikit-learn": "sklearn",
    "numba": "numba", "torch": "torch",
}  # fmt: skip


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that compute, and the kind of machine."""
    return dict(_found())


@cache  # what is on disk may be replaced while this process computes with what it has read
def _found() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for library, module in _LIBRARIES.items():
        number = _number(library, module)
        if number is not None:
            found[library] = number
    return found


def _number(library: str, module: str) -> str | None:
    """The version that was installed or, where that is not known, that the module names."""
    try:
        return version(library)
    except PackageNotFoundError:
        return getattr(sys.modules.get(module), "__version__", None)
