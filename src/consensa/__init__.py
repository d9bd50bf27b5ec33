"""Consensa: many clusterings of the same samples in, one better clustering out.

The public names stand in `_public.py`. They are loaded when the first of them is asked for, so
that the command line answers ``--help`` without scikit-learn. Nothing at all is imported here:
the command line has to stand against Ctrl-C first.
"""

TYPE_CHECKING = False  # that of `typing`, which is not imported

if TYPE_CHECKING:
    from consensa._public import *
    from consensa.consensus import *
    from consensa.generation import *
    from consensa.similarity import *

    __version__: str
else:
    del TYPE_CHECKING

    def __getattr__(name):
        from importlib import import_module

        if name == "__version__":
            globals()[name] = import_module("importlib.metadata").version("consensa")
            return globals()[name]
        if name == "__all__" or not name.startswith("_"):
            public = import_module("consensa._public")
            if name in vars(public):
                globals()[name] = vars(public)[name]
                return globals()[name]
            if name in public.__all__:
                return import_module(f"consensa.{name}")
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)

    def __dir__():
        from consensa import _public

        return sorted({*globals(), "__version__", *_public.__all__})
