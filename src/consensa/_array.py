"""The only module that knows array libraries.

Public functions infer the array namespace `xp` of their arguments on the first line and
hand it to private helpers. Lists and everything that is not an array become NumPy.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

__all__ = ["as_array", "device", "is_array", "is_numpy", "namespace", "to_library", "to_numpy"]


def is_array(value: Any) -> bool:
    """Say whether `value` is an array of a library that follows the array API standard."""
    return bool(array_api_compat.is_array_api_obj(value))


def namespace(*arrays: Any) -> Any:
    """Namespace of the library that `arrays` belong to, completed to the standard."""
    return array_api_compat.array_namespace(*arrays)


def is_numpy(xp: Any) -> bool:
    """Say whether a namespace is NumPy's."""
    return bool(array_api_compat.is_numpy_namespace(xp))


def device(array: Any) -> Any:
    """Device that `array` lives on."""
    return array_api_compat.device(array)


def as_array(value: Any) -> Any:
    """`value` itself if it is an array of any library, else a NumPy array of it."""
    return value if is_array(value) else np.asarray(value)


def to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """Copy `array` to the host as NumPy; NumPy arrays come back as they are."""
    if isinstance(array, np.ndarray):
        return array
    if array_api_compat.is_torch_array(array):
        return np.asarray(array.detach().cpu())
    if array_api_compat.is_cupy_array(array):
        return np.asarray(array.get())
    return np.asarray(array)


def to_library(array: np.ndarray[Any, Any], like: Any) -> Any:
    """Move a NumPy array to the library and device of `like`."""
    xp = namespace(like)
    return array if is_numpy(xp) else xp.asarray(array, device=device(like))
