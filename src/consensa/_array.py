"""The only module that knows array libraries.

Public functions infer the array namespace `xp` of their arguments on the first line and
hand it to private helpers. Lists and everything that is not an array become NumPy.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from consensa._optional import require
from consensa.exceptions import InvalidInputError, InvalidParameterError

__all__ = [
    "DEVICES",
    "Array",
    "as_array",
    "device",
    "free_device_bytes",
    "from_rows",
    "is_array",
    "is_numpy",
    "is_on_gpu",
    "namespace",
    "tensors_on",
    "to_device",
    "to_library",
    "to_numpy",
    "torch_device",
    "unmasked",
]

Array = np.ndarray[Any, Any]
DEVICES = ("cpu", "cuda")  # that a parameter `device` names


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


def is_on_gpu(array: Any) -> bool:
    """Say whether `array` is a torch tensor on a CUDA device: what the CUDA engine takes."""
    return bool(array_api_compat.is_torch_array(array) and array.is_cuda)


def free_device_bytes(array: Any) -> int:
    """Bytes that can still be allocated on the CUDA device of `array`."""
    torch = require("torch", extra="gpu", purpose="A CUDA device")
    free = torch.cuda.mem_get_info(array.device)[0]
    kept = torch.cuda.memory_reserved(array.device) - torch.cuda.memory_allocated(array.device)
    return int(free + kept)  # torch keeps what was freed, to use it again


def as_array(value: Any) -> Any:
    """`value` itself if it is an array of any library, else a NumPy array of it."""
    return value if is_array(value) else np.asarray(value)


def from_rows(rows: Any, name: str) -> np.ndarray[Any, Any]:
    """A NumPy array of a list of rows; an error in words if their lengths differ."""
    try:
        return np.asarray(rows)
    except ValueError as error:
        message = f"{name} must have rows of equal length. {error}"
        raise InvalidInputError(message) from error


def to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """Copy `array` to the host as NumPy; NumPy arrays come back as they are."""
    if isinstance(array, np.ndarray):
        return array
    if array_api_compat.is_torch_array(array):
        return np.asarray(array.detach().cpu())
    if array_api_compat.is_cupy_array(array):
        return np.asarray(array.get())
    return np.asarray(array)


def unmasked(array: Any, nothing: Any) -> Any:
    """`array` with `nothing`, None or NaN, in place of the masked entries of NumPy.

    What has no mask comes back as it is.
    """
    if not isinstance(array, np.ma.MaskedArray):
        return array
    mask = np.ma.getmaskarray(array)
    if not mask.any():
        return array.data
    numbers = nothing is not None and array.dtype.kind in "biuf"
    kind = object if not numbers else array.dtype if array.dtype.kind == "f" else np.float64
    entries = array.data.astype(kind)
    entries[mask] = nothing
    return entries


def to_library(array: np.ndarray[Any, Any], like: Any) -> Any:
    """Move a NumPy array to the library and device of `like`, if it is an array of one."""
    if not is_array(like) or is_numpy(xp := namespace(like)):
        return array
    return xp.asarray(array, device=device(like))


def to_device(array: Any, name: str) -> Any:
    """Move an array to ``"cpu"`` or ``"cuda"``; what is there already comes back as it is.

    NumPy arrays go to CUDA as torch tensors.
    """
    if name == "cpu":
        return array.cpu() if is_on_gpu(array) else array
    there = _cuda()
    if array_api_compat.is_torch_array(array):
        return array.to(there)
    return tensors_on(there, array)[1][0]


def torch_device(name: str | None, like: Any) -> Any:
    """Torch's device of this name, or that of `like` for None; None where NumPy computes."""
    if name is None:
        return like.device if is_on_gpu(like) else None
    return _cuda() if name == "cuda" else None


def tensors_on(there: Any, *arrays: Any) -> tuple[Any, tuple[Any, ...]]:
    """Torch, and copies of NumPy arrays on one of its devices."""
    torch = require("torch", extra="gpu", purpose="A device")
    return torch, tuple(torch.tensor(to_numpy(array), device=there) for array in arrays)


def _cuda() -> Any:
    """The CUDA device, or an error if there is none."""
    torch = require("torch", extra="gpu", purpose="device='cuda'")
    if not torch.cuda.is_available():
        message = "device='cuda' needs a CUDA device, and torch finds none. Use device='cpu'."
        raise InvalidParameterError(message)
    return torch.device("cuda")
