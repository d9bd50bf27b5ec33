"""Check that the memory of a step is available, before it is allocated."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from consensa._array import free_device_bytes, is_on_gpu
from consensa._machine.context import having
from consensa.exceptions import NotEnoughMemoryError

__all__ = ["available_bytes", "human_bytes", "peak_checked", "require_bytes", "require_square"]

_CGROUP = Path("/sys/fs/cgroup")
_checked_samples: ContextVar[int] = ContextVar("checked_samples", default=0)


def available_bytes() -> int:
    """Number of bytes that this process can still allocate, within the container's limit."""
    free = int(psutil.virtual_memory().available)
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        used = int((_CGROUP / "memory.current").read_text())
        cached = _cgroup_reclaimable()
    except (OSError, ValueError):
        return free
    return free if limit == "max" else min(free, max(int(limit) - used + cached, 0))


def _cgroup_reclaimable() -> int:
    """File cache that counts towards the container's limit, but is freed on demand."""
    for line in (_CGROUP / "memory.stat").read_text().splitlines():
        name, _, value = line.partition(" ")
        if name == "inactive_file":
            return int(value)
    return 0


def human_bytes(count: float) -> str:
    """Format a number of bytes with a unit: ``'1.5 GiB'``."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:,.0f} TiB"


def peak_checked(n_samples: int) -> AbstractContextManager[None]:
    """Inside, n × n arrays of up to so many samples are not checked one by one.

    All that a method makes of them was checked together, at its peak.
    """
    return having(_checked_samples, n_samples)


def require_square(
    n_samples: int,
    dtype: object,
    *,
    arrays: float,
    step: str,
    of: str = "samples",
    like: Any = None,
) -> None:
    """Raise `NotEnoughMemoryError` unless `arrays` n × n arrays fit in memory.

    If `like` is an array on a device, the memory of the device is checked.
    """
    on_device = like is not None and is_on_gpu(like)
    if of == "samples" and not on_device and n_samples <= _checked_samples.get():
        return
    kind: Any = np.dtype(dtype)  # type: ignore[call-overload]
    require_bytes(
        arrays * n_samples**2 * kind.itemsize,
        step=f"{step} of n = {n_samples} {of}",
        why=f"{arrays:g} matrices of n × n {kind.name}",
        remedy=f"Use fewer {of}, dtype float32 where the method takes it, or a machine with more "
        f"memory.",
        like=like,
    )


def require_bytes(needed: float, *, step: str, why: str, remedy: str, like: Any = None) -> None:
    """Raise `NotEnoughMemoryError` unless so many bytes are free, here or on the device."""
    on_device = like is not None and is_on_gpu(like)
    available = free_device_bytes(like) if on_device else available_bytes()
    if needed <= available:
        return
    where = " on the device" if on_device else ""
    message = (
        f"{step} needs about {human_bytes(needed)} ({why}), and {human_bytes(available)} are "
        f"available{where}. {remedy}"
    )
    raise NotEnoughMemoryError(message)
