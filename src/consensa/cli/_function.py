"""``--function package.module:name``: a function of the user in place of a method."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from consensa.exceptions import ConsensaError, InvalidInputError, InvalidParameterError

__all__ = ["load_function"]


def load_function(path: str) -> Callable[..., Any]:
    """The function of a path such as ``package.module:name``; modules here are found first.

    An error in it becomes one of ours that names it, so that no traceback is shown.
    """
    module, colon, name = path.partition(":")
    if not (module and colon and name):
        message = f"--function must be MODULE:NAME, such as mypackage.consensus:run. Got {path!r}."
        raise InvalidParameterError(message)
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = importlib.import_module(module)
    except Exception as error:
        message = (
            f"--function must name a module that can be imported. {module!r} cannot: "
            f"{type(error).__name__}: {error}. Modules are searched in the current folder and "
            f"among the installed packages."
        )
        raise InvalidParameterError(message) from error
    finally:
        sys.path.remove(str(Path.cwd()))
    function: Any = found
    for part in name.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        message = f"--function must name a function. {module!r} has no function {name!r}."
        raise InvalidParameterError(message)
    return _in_words(function, path)


def _in_words(function: Callable[..., Any], path: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (ConsensaError, MemoryError):
            raise
        except Exception as error:
            message = (
                f"{path} failed with {type(error).__name__}: {error}. It must take the label "
                f"matrix (rows are samples) and the number of clusters, and return the labels."
            )
            raise InvalidInputError(message) from error

    return called
