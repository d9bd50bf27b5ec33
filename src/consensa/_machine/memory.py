"""Check that the memory of a step is available, before it is allocated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import psutil

from consensa._array import free_device_bytes, is_on_gpu
from consensa._machine.context import having
from consensa.exceptions import InvalidParameterError, NotEnoughMemoryError

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows
    resource = None

__all__ = [
    "available_bytes",
    "bytes_of",
    "human_bytes",
    "limited_memory",
    "out_of_memory",
    "peak_checked",
    "require_bytes",
    "require_square",
]

_CGROUP = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")
_LITTLE = 2**25  # bytes
_LEAST = 2**27  # bytes for anything at all
_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 2**10, "mi": 2**20, "gi": 2**30}
_SIZE = r"(\d+\.?\d*(?:e\d+)?)\s*([kmgt]?i?)(b|byte|bit)?(?:/s)?"
_most_bytes: ContextVar[float | None] = ContextVar("most_bytes", default=None)
_checked_samples: ContextVar[int] = ContextVar("checked_samples", default=0)


class _Files(NamedTuple):
    """Names of the files of a control group, and of the file cache in its statistics."""

    limit: str
    used: str
    cached: str


_VERSION_1 = _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_VERSION_2 = _Files("memory.max", "memory.current", "inactive_file")


def available_bytes() -> int:
    """Number of bytes that this process can still allocate.

    The least of the free memory of the machine, the rest of the limits of this process
    (``ulimit -v`` and ``-d``), and the rest of the limit of each control group that it is in, such
    as that of a container; inside `limited_memory`, also the rest of that limit.
    """
    free = int(psutil.virtual_memory().available)
    most = _most_bytes.get()
    left = [] if most is None else [int(most) - int(psutil.Process().memory_info().rss)]
    return max(min([free, *left, *_within_own_limits(), *_within_groups()]), 0)


def _within_own_limits() -> Iterator[int]:
    """Bytes left of the address space and of the data segment, where they are limited."""
    if resource is None:
        return
    used = psutil.Process().memory_info()
    for limit, field in ((resource.RLIMIT_AS, "vms"), (resource.RLIMIT_DATA, "data")):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY and hasattr(used, field):
            yield most - getattr(used, field)


def _within_groups() -> Iterator[int]:
    """Bytes left of each control group, from that of this process up to the root."""
    try:
        lines = _OWN_CGROUP.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    # A container may see only its own group, at the root, under a path that does not exist there.
    groups = {(_CGROUP, _VERSION_2), (_CGROUP / "memory", _VERSION_1)}
    for line in lines:
        _, controllers, path = line.split(":", 2)
        root, files = (_CGROUP, _VERSION_2)
        if controllers:
            if "memory" not in controllers.split(","):
                continue
            root, files = (_CGROUP / "memory", _VERSION_1)
        own = root / path.lstrip("/")
        groups |= {(folder, files) for folder in (own, *own.parents) if root in folder.parents}
    for folder, files in groups:
        if (left := _left_in_group(folder, files)) is not None:
            yield left


def _left_in_group(folder: Path, files: _Files) -> int | None:
    """Bytes left of the limit of a group; its file cache is freed on demand."""
    try:
        limit = (folder / files.limit).read_text().strip()
        used = int((folder / files.used).read_text())
        statistics = (folder / "memory.stat").read_text().splitlines()
        cached = dict(line.split(" ", 1) for line in statistics).get(files.cached, "0")
        return None if limit == "max" else int(limit) - used + int(cached)
    except (OSError, ValueError):
        return None


def human_bytes(count: float) -> str:
    """Format a number of bytes with a unit: ``'1.5 GiB'``."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:,.0f} TiB"


def bytes_of(size: float | str) -> float:
    """A number of bytes, with or without a unit: 64GB, 16GiB, 10Gbit."""
    found = re.fullmatch(_SIZE, str(size).strip().lower())
    number = float(found[1]) if found else 0.0
    if found is None or found[2] not in _UNITS or not 0 < number < math.inf:
        message = f"expected a size, such as 64GB, 16GiB or 10Gbit. Got {size!r}."
        raise InvalidParameterError(message)
    return number * _UNITS[found[2]] / (8 if found[3] == "bit" else 1)


@contextmanager
def limited_memory(most: float | None) -> Iterator[None]:
    """Inside, no more is available than is left of so many bytes for this process."""
    used = int(psutil.Process().memory_info().rss)
    if most is not None and most < used + _LEAST:
        message = (
            f"A limit of {human_bytes(most)} of memory is too low: this process uses "
            f"{human_bytes(used)} before it begins. Allow at least "
            f"{human_bytes(2 * used + _LEAST)}."
        )
        raise NotEnoughMemoryError(message)
    with having(_most_bytes, most):
        yield


def peak_checked(n_samples: int) -> AbstractContextManager[None]:
    """Inside, n × n arrays of up to so many samples are not checked one by one.

    All that a method makes of them was checked together, at its peak.
    """
    return having(_checked_samples, n_samples)


@contextmanager
def out_of_memory(step: str) -> Iterator[None]:
    """An allocation that fails inside becomes a `NotEnoughMemoryError` that names the step."""
    try:
        yield
    except NotEnoughMemoryError:
        raise
    except MemoryError as error:
        details = f" {error}." if str(error) else ""
        message = (
            f"{step} ran out of memory.{details} Use fewer samples, partitions or clusters, or a "
            f"machine with more memory."
        )
        raise NotEnoughMemoryError(message) from error


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


def require_bytes(
    needed: float, *, step: str, why: str, remedy: str, like: Any = None, often: bool = False
) -> None:
    """Raise `NotEnoughMemoryError` unless so many bytes are free, here or on the device.

    A step that is taken `often` does not ask for the free memory if it needs little.
    """
    if often and needed <= _LITTLE:
        return
    on_device = like is not None and is_on_gpu(like)
    available = free_device_bytes(like) if on_device else available_bytes()
    if needed <= available:
        return
    where, most = " on the device" if on_device else "", _most_bytes.get()
    if most is not None and not on_device:
        where = f" of the {human_bytes(most)} that the process may use"
    message = (
        f"{step} needs about {human_bytes(needed)} ({why}), and {human_bytes(available)} are "
        f"available{where}. {remedy}"
    )
    raise NotEnoughMemoryError(message)
