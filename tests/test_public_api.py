"""The public names, and that they are what they say."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import consensa

MODULES = ["consensa"] + [
    f"consensa.{module.name}"
    for module in pkgutil.iter_modules(consensa.__path__)
    if not module.name.startswith("_")
]
every_module = pytest.mark.parametrize("name", MODULES)


@every_module
def test_all_is_exact(name):
    module = importlib.import_module(name)
    for public in module.__all__:
        assert hasattr(module, public), f"{name}.__all__ names {public}, which is not there"
    assert len(set(module.__all__)) == len(module.__all__)
    defined = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_")
        and not inspect.ismodule(value)
        and str(getattr(value, "__module__", "")).startswith("consensa")
    }
    assert defined <= set(module.__all__), f"{name} leaks {defined - set(module.__all__)}"


def test_the_names_of_the_quick_start_are_there():
    for name in ("Ensemble", "RandomKMeans", "LTA", "EAC", "lta", "eac", "coassociation"):
        assert name in consensa.__all__


def test_public_functions_take_at_most_three_positional_arguments():
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            function = getattr(module, name)
            if not inspect.isfunction(function):
                continue
            positional = [
                p
                for p in inspect.signature(function).parameters.values()
                if p.kind is p.POSITIONAL_OR_KEYWORD
            ]
            most = 4 if name == "order_sensitivity" else 3  # its signature is given
            assert len(positional) <= most, f"{module_name}.{name}"


def test_every_method_has_a_function_and_an_estimator_of_one_name():
    names = set(consensa.consensus.__all__)
    classes = {name for name in names if isinstance(getattr(consensa.consensus, name), type)}
    functions = names - classes
    assert {name.lower() for name in classes} == functions
    assert names <= set(consensa.__all__)


@pytest.mark.parametrize("name", [name for name in consensa.consensus.__all__ if name.islower()])
def test_a_function_and_its_estimator_have_the_same_options_and_defaults(name):
    function = getattr(consensa.consensus, name)
    estimators = {other.lower(): getattr(consensa, other) for other in consensa.consensus.__all__
                  if not other.islower()}  # fmt: skip
    of_function = inspect.signature(function).parameters
    of_class = inspect.signature(estimators[name]).parameters
    assert list(of_function)[:2] == ["ensemble", "n_clusters"]
    options = list(of_function)[2:]
    assert set(of_class) == {"n_clusters", "generator", "n_jobs", "random_state", *options}
    for option in options:
        assert of_function[option].default == of_class[option].default, option
        assert of_function[option].kind is of_class[option].kind is inspect.Parameter.KEYWORD_ONLY
