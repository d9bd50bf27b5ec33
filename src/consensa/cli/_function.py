"""``--function package.module:name``: a function of the user in place of a method."""

from __future__ import annotations

import functools
import importlib
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from consensa.exceptions import ConsensaError, InvalidInputError, InvalidParameterError

__all__ = ["load_function"]

_ENDS = (Exception, SystemExit)  # how a module or a function of the user may end


def load_function(path: str) -> Callable[..., Any]:
    """The function of a path such as ``package.module:name``; modules here are found first.

    An error in it becomes one of ours that names it, so that no traceback is shown. What it prints
    from Python goes to stderr, as all messages do.
    """
    module, colon, name = path.partition(":")
    if not (module and colon and name):
        message = f"--function must be MODULE:NAME, such as mypackage.consensus:run. Got {path!r}."
        raise InvalidParameterError(message)
    if module.endswith(".py") or "/" in module or "\\" in module or module.startswith("."):
        dotted = module.removesuffix(".py").replace("\\", "/").strip("./").replace("/", ".")
        advice = f"; in the folder where the module begins, say {dotted}:{name}" if dotted else ""
        message = (
            f"--function must be MODULE:NAME with the name of a module, not its file or folder. "
            f"Got {path!r}{advice}."
        )
        raise InvalidParameterError(message)
    # The function may import modules beside it when it is called, and so may its processes.
    sys.path.insert(0, str(Path.cwd()))
    try:
        with redirect_stdout(sys.stderr):
            found = importlib.import_module(module)
    except _ENDS as error:
        message = (
            f"--function must name a module that can be imported. {module!r} cannot: "
            f"{_description(error)} Modules are searched in the current folder and among the "
            f"installed packages."
        )
        raise InvalidParameterError(message) from error
    return _in_words(_function_of(found, name, path), path)


def _function_of(module: Any, name: str, path: str) -> Any:
    """What a module has by this name, if it is a function or can be called like one."""
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            where = getattr(module, "__file__", None) or "no file"
            message = (
                f"--function must name a function. {module.__name__!r} ({where}) has no function "
                f"{name!r}."
            )
            raise InvalidParameterError(message)
        found = getattr(found, part)
    if hasattr(getattr(found, "info", None), "order_free"):
        message = (
            f"--function must name a function f(labels, n_clusters). {path} is a method of "
            f"Consensa: say --method {name} instead."
        )
        raise InvalidParameterError(message)
    if hasattr(found, "fit_predict") or not callable(found):
        kind = f"the class {found.__name__}" if isinstance(found, type) else type(found).__name__
        message = f"--function must name a function f(labels, n_clusters). {path} is {kind}" + (
            "; call its fit_predict in a function." if hasattr(found, "fit_predict") else "."
        )
        raise InvalidParameterError(message)
    return found


def _in_words(function: Callable[..., Any], path: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            with redirect_stdout(sys.stderr):
                return function(*args, **kwargs)
        except ConsensaError:
            raise
        except MemoryError as error:
            message = f"{path} needs more than there is. {error}".strip()
            raise MemoryError(message) from error
        except _ENDS as error:
            message = f"{path} failed: {_description(error)}"
            if error.__traceback__ is None or error.__traceback__.tb_next is None:  # not entered
                message += (
                    " It must take two arguments by position, the label matrix (rows are samples) "
                    "and the number of clusters."
                )
            raise InvalidInputError(message) from error

    called.__name__ = path
    return called


def _description(error: BaseException) -> str:
    """The error, and the line of the user's code where it arose."""
    if isinstance(error, SystemExit):
        what = f"it called sys.exit({error.code!r})"
    else:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    place = _place(error)
    return f"{what.rstrip('.')} ({place})." if place else f"{what.rstrip('.')}."


def _place(error: BaseException) -> str | None:
    """The last line that is neither ours nor of a library; None if there is none."""
    standard_library = Path(importlib.__file__).parents[1]
    places = [
        f"{_shortest(frame.filename)}, line {frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__
        and not frame.filename.startswith("<")
        and "site-packages" not in frame.filename
        and not Path(frame.filename).is_relative_to(standard_library)
    ]
    return places[-1] if places else None


def _shortest(file: str) -> str:
    """A file of the current folder without the folder."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
