"""Compiled loops: one policy for numba.

A loop under `@compiled()` is a plain function until it is first called. Only then is numba loaded
and the loop compiled, or read from the cache on disk; no import of Consensa loads numba. Loops may
call other compiled loops of their module. Where numba cannot write its cache, as in a read-only
installation without a home, or cannot read it, the loop is compiled in memory.

Loading numba and the first loop takes half a second. `compiling_pays` decides, here and nowhere
else, when a loop that NumPy can do as well is worth that.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pickle import UnpicklingError
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

__all__ = ["REORDERED", "compiled", "compiling_pays"]

# For `fastmath`: no NaN gets into the loop, and sums may be taken in the order that suits the
# vector units. numba's cache notices changes of the loop's own file only, so clear it after a
# change here.
REORDERED = {"nnan", "nsz", "reassoc", "contract"}

_LOADING = 2**26  # steps that NumPy does while numba is loaded: one to ten nanoseconds each
_steps = 0  # that were asked for so far

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
_lock = threading.RLock()


def compiling_pays(steps: int, *, alone: bool = False) -> bool:
    """Whether to do the next `steps` of a loop compiled, and not by NumPy.

    A process begins with NumPy, and changes once all its steps together take as long as loading
    numba: at most twice the time of the better choice, for one large problem as for many small
    ones. Both ways must give the same numbers to the last bit. Where they need different memory,
    ask for these steps `alone`, so that what was done before does not matter.
    """
    global _steps
    _steps += steps
    return (steps if alone else _steps) > _LOADING


def compiled(
    **options: Any,
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Compile a loop when it is first called; `options` are those of `numba.njit`.

    It runs without the GIL. Constants that the loop uses must be assigned in its own file.
    """
    return lambda loop: _Compiled(loop, {"nogil": True, **options})


class _Compiled(Generic[Parameters, Result]):
    """A loop, and how to compile it."""

    def __init__(self, loop: Callable[Parameters, Result], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, loop)
        self._loop, self._options = loop, options
        self._run: Callable[Parameters, Result] | None = None

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        run = self._run or self._compile(cache=True)
        try:
            return run(*args, **kwargs)
        except (OSError, EOFError, UnpicklingError):  # the cache: a full disk, a file cut off
            return self._compile(cache=False)(*args, **kwargs)

    def __reduce__(self) -> str:
        return self._loop.__qualname__  # pickled by name, as functions are

    def _compile(self, *, cache: bool) -> Callable[Parameters, Result]:
        """The compiled loop, and before it those that it calls."""
        from numba import njit

        with _lock:
            if self._run is None or not cache:
                loop = _with_globals(self._loop, lambda other: other._compile(cache=cache))
                try:
                    self._run = njit(loop, cache=cache, **self._options)
                except RuntimeError:  # no folder for the cache can be written to
                    self._run = njit(loop, **self._options)
            return self._run


def _with_globals(loop: Any, compile_other: Callable[[_Compiled[..., Any]], Any]) -> Any:
    """The same function, with the compiled form of the compiled loops that it calls."""
    others = {
        name: compile_other(other)
        for name in loop.__code__.co_names
        if isinstance(other := loop.__globals__.get(name), _Compiled)
    }
    bound = FunctionType(loop.__code__, {**loop.__globals__, **others}, loop.__name__)
    return functools.update_wrapper(bound, loop)
