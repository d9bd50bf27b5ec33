"""The reference, made from ``__all__`` of each public module: a page a module, a page a name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator

import consensa

__all__ = ["PublicName", "homes", "pages", "public_modules", "public_names", "table_of_modules"]

_FIRST = [
    "consensa",
    "consensa.consensus",
    "consensa.generation",
    "consensa.selection",
    "consensa.metrics",
    "consensa.plotting",
]
_TEMPLATE = """{title}
{underline}

.. currentmodule:: {module}

.. {directive}:: {name}
{options}
"""


@dataclass(frozen=True)
class PublicName:
    """A name that users may import.

    Attributes
    ----------
    module : str
        The shortest module that has it.
    name : str
        The name in that module.
    thing : object
        What it names.
    """

    module: str
    name: str
    thing: Any

    @property
    def path(self) -> str:
        """What its page and its links are called."""
        return f"{self.module}.{self.name}"


def public_modules() -> list[str]:
    """`consensa` and its modules without an underscore, those that most people need first."""
    found = pkgutil.iter_modules(consensa.__path__)
    names = ["consensa"] + [f"consensa.{m.name}" for m in found if not m.name.startswith("_")]
    return [*_FIRST, *sorted(set(names) - set(_FIRST))]


def public_names(module: str) -> list[PublicName]:
    """Names of ``__all__`` that are no modules, each at home in the shortest place."""
    package = importlib.import_module(module)
    things = {name: getattr(package, name) for name in package.__all__}
    return [
        PublicName("consensa" if _is_at_top(name, thing) else module, name, thing)
        for name, thing in things.items()
        if not inspect.ismodule(thing)
    ]


def _is_at_top(name: str, thing: Any) -> bool:
    return name in consensa.__all__ and getattr(consensa, name) is thing


def table_of_modules() -> str:
    """Markdown: what each module is for, and the list that puts their pages into the site."""
    rows = ["| module | what is in it |", "|---|---|"]
    for name in public_modules():
        first = (importlib.import_module(name).__doc__ or "").partition("\n")[0]
        rows.append(f"| [`{name}`](generated/{name}.rst) | {first.replace('``', '`')} |")
    listed = [f"generated/{name}" for name in public_modules()]
    return "\n".join([*rows, "", "```{toctree}", ":hidden:", "", *listed, "```"])


def homes() -> dict[str, str]:
    """Page of each name, however docstrings call it: whole, by module, or alone."""
    found: dict[str, str] = {}
    for module in reversed(public_modules()):  # the shortest place last, and so it wins
        for name in public_names(module):
            short = f"{module.removeprefix('consensa.')}.{name.name}"
            found |= dict.fromkeys((f"{module}.{name.name}", short, name.name), name.path)
    return found


def pages() -> dict[str, str]:
    """Text of every page by its file name."""
    modules = public_modules()
    made = {f"{name}.rst": _module_page(name) for name in modules}
    for module in modules:
        for name in public_names(module):
            made[f"{name.path}.rst"] = _name_page(name)
    return made


def _module_page(module: str) -> str:
    """What the module is for, and a table of its names."""
    names = public_names(module)
    others = [other for other in public_modules() if other != "consensa"]
    if module == "consensa":  # the rest stands on the pages of the modules
        elsewhere = {name.path for other in others for name in public_names(other)}
        names = [name for name in names if name.path not in elsewhere]
    lines = [module, "=" * len(module), "", f".. automodule:: {module}", ""]
    kinds = {
        "Classes": [name for name in names if inspect.isclass(name.thing)],
        "Functions": [name for name in names if inspect.isroutine(name.thing)],
    }
    known = [name for group in kinds.values() for name in group]
    kinds["Constants"] = [name for name in names if name not in known]
    for kind, group in kinds.items():
        if group:
            lines += [f".. rubric:: {kind}", "", ".. autosummary::", "   :nosignatures:", ""]
            lines += [f"   {_in_module(name, module)}" for name in group]
            lines += ["", ".. toctree::", "   :hidden:", ""]
            lines += [f"   {name.name} <{name.path}>" for name in group]
            lines += [""]
    if module == "consensa":
        lines += ["Everything of these modules can be imported from ``consensa`` itself:", ""]
        lines += [f"- :doc:`{other}`" for other in others if _is_whole_at_top(other)]
    return "\n".join(lines) + "\n"


def _in_module(name: PublicName, module: str) -> str:
    return name.name if name.module == module else f"~{name.path}"


def _is_whole_at_top(module: str) -> bool:
    return all(name.module == "consensa" for name in public_names(module))


def _name_page(name: PublicName) -> str:
    directive, options = "autofunction", []
    if inspect.isclass(name.thing):
        directive, options = "autoclass", ["   :members:"]
        if issubclass(name.thing, BaseEstimator):
            options += [
                "   :inherited-members: BaseEstimator",
                "   :exclude-members: get_metadata_routing",
            ]
        elif issubclass(name.thing, consensa.Ensemble):
            options += ["   :inherited-members:"]  # its counts are in another file
        elif issubclass(name.thing, tuple):
            options = []  # its fields stand in the docstring
    elif not inspect.isroutine(name.thing):
        directive = "autodata"
    return _TEMPLATE.format(
        title=name.name,
        underline="=" * len(name.name),
        module=name.module,
        directive=directive,
        name=name.name,
        options="\n".join(options),
    )
