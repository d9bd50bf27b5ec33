"""Versions of Python and of the numerical libraries, and the machine architecture."""

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
    """Versions of Python and of the numerical libraries, and the machine architecture."""
    return dict(_found())


@cache  # a library on disk may be replaced after this process has loaded it
def _found() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for library, module in _LIBRARIES.items():
        number = _number(library, module)
        if number is not None:
            found[library] = number
    return found


def _number(library: str, module: str) -> str | None:
    """The installed version or, if it is not known, the `__version__` of the module."""
    try:
        return version(library)
    except PackageNotFoundError:
        return getattr(sys.modules.get(module), "__version__", None)
