"""One message for every optional library that is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["require"]


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import `module`, or raise an error that names the extra of Consensa that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        from consensa.exceptions import MissingExtraError  # loads scikit-learn

        message = (
            f"{purpose} needs {module.partition('.')[0]}, which is not installed. "
            f"Install it with: pip install 'consensa[{extra}]'"
        )
        raise MissingExtraError(message) from error
