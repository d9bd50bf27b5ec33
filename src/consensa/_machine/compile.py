"""Compiled loops: one policy for numba.

A loop under `@compiled()` is a plain function until it is first called. Only then is numba loaded
and the loop compiled, or read from the cache on disk; no import of Consensa loads numba. Loops may
call other compiled loops of their module. If numba cannot write its cache, as in a read-only
installation without a home directory, or cannot read it, the loop is compiled in memory.

Loading numba and the first loop takes half a second. `compiling_pays` alone decides when to use a
compiled loop instead of NumPy.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pickle import UnpicklingError
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

__all__ = ["REORDERED", "EntryPoint", "compiled", "compiling_pays", "entry_point", "generated"]

# For `fastmath`: there is no NaN, and sums may be reordered for the vector units. numba's cache
# only detects changes of the loop's own file: clear it after a change here.
REORDERED = {"nnan", "nsz", "reassoc", "contract"}

_LOADING = 2**26  # steps of NumPy in the time of loading numba, at 1 to 10 ns each
_steps = 0  # number of steps so far

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
_lock = threading.RLock()


def compiling_pays(steps: int, *, alone: bool = False) -> bool:
    """Whether to run the next `steps` of a loop compiled instead of with NumPy.

    A process starts with NumPy, and changes once its total number of steps takes as long as
    loading numba: at most twice the time of the better choice, for one large problem and for many
    small ones. Both must give bitwise equal results. If they need different memory, set `alone`,
    so that previous steps do not count.
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


def generated(define: Callable[..., Any]) -> Callable[..., Any]:
    """An instruction for compiled loops, for what numba does not turn into vector instructions.

    `define` takes the types of the arguments and writes the code, as `numba.extending.intrinsic`
    wants it. It may only be called in compiled loops.
    """
    return _Generated(define, {})


def entry_point(signature: str) -> Callable[[Callable[..., None]], EntryPoint]:
    """Compile a loop that other loops call by its address, so that they do not depend on it.

    `signature` is that of `numba.cfunc`, with pointers for arrays. The loop must not raise.
    """
    return lambda loop: EntryPoint(loop, {"sig": signature})


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
        except (OSError, EOFError, UnpicklingError):  # the cache: a full disk, a truncated file
            return self._compile(cache=False)(*args, **kwargs)

    def __reduce__(self) -> str:
        return self._loop.__qualname__  # pickled by name, as functions are

    def _compile(self, *, cache: bool) -> Callable[Parameters, Result]:
        """Compile the loop, after the loops that it calls."""
        from numba import njit

        with _lock:
            if self._run is None or not cache:
                loop = self._with_others(cache=cache)
                try:
                    self._run = njit(loop, cache=cache, **self._options)
                except RuntimeError:  # no writable folder for the cache
                    self._run = njit(loop, **self._options)
            return self._run

    def _with_others(self, *, cache: bool) -> Any:
        return _with_globals(self._loop, lambda other: other._compile(cache=cache))


class _Generated(_Compiled[..., Any]):
    """An instruction, and how to write it."""

    def _compile(self, *, cache: bool) -> Callable[..., Any]:
        """The instruction for numba, which has no cache of its own."""
        from numba.extending import intrinsic

        with _lock:
            if self._run is None:
                self._run = intrinsic(self._loop)
            return self._run


class EntryPoint(_Compiled[..., None]):
    """A loop with a C signature."""

    @property
    def address(self) -> int:
        """Where its code is; it is compiled, or read from the cache, when this is first asked."""
        return int(self._compile(cache=True).address)

    def _compile(self, *, cache: bool) -> Any:
        from numba import cfunc

        with _lock:
            if self._run is None:
                try:
                    self._run = cfunc(cache=cache, **self._options)(self._with_others(cache=cache))
                except (OSError, EOFError, RuntimeError, UnpicklingError):  # of the cache
                    self._run = cfunc(**self._options)(self._with_others(cache=False))
            return self._run


def _with_globals(loop: Any, compile_other: Callable[[_Compiled[..., Any]], Any]) -> Any:
    """The same function, with the loops that it calls replaced by their compiled form."""
    others = {
        name: compile_other(other)
        for name in loop.__code__.co_names
        if isinstance(other := loop.__globals__.get(name), _Compiled)
    }
    scope = {**loop.__globals__, **others}
    bound = FunctionType(loop.__code__, scope, loop.__name__, None, loop.__closure__)
    return functools.update_wrapper(bound, loop)
