"""Consensa: many clusterings of the same samples in, one better clustering out.

The public names stand in `_public.py`. They are loaded when the first of them is asked for, so
that the command line answers ``--help`` without scikit-learn.
"""

import typing as _typing
from importlib import import_module as _import_module
from importlib.metadata import version as _version

__version__ = _version("consensa")

if _typing.TYPE_CHECKING:
    from consensa._public import *
    from consensa.consensus import *
    from consensa.generation import *
    from consensa.similarity import *
else:

    def __getattr__(name):
        if name == "__all__" or not name.startswith("_"):
            public = _import_module("consensa._public")
            if name in vars(public):
                globals()[name] = vars(public)[name]
                return globals()[name]
            if name in public.__all__:
                return _import_module(f"consensa.{name}")
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)

    def __dir__():
        return sorted({*globals(), *_import_module("consensa._public").__all__})
