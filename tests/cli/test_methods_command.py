"""``consensa methods``, ``--help`` and ``--version``."""

from __future__ import annotations

import pytest

import consensa as cs
from consensa._defaults import DEFAULT_METHOD
from consensa.consensus.catalogue import find_methods, methods_that


def test_every_method_has_a_row_and_the_default_is_marked(consensa):
    done = consensa("methods")
    assert done.status == 0
    for name, estimator in find_methods().items():
        (row,) = [line for line in done.out.splitlines() if line.split()[:1] == [name]]
        free = "yes" if estimator.info.order_free else "no"
        assert row.replace("(default)", "").split()[:3] == [name, str(estimator.info.year), free]
    assert f"{DEFAULT_METHOD} (default)" in done.out
    assert done.out.count("(default)") == 1


def test_what_a_method_can_do_is_told_in_both_tables(consensa):
    lines = consensa("methods", "--markdown").out.replace("*", "").splitlines()
    titles, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    cells_of = {row[0].split()[0]: dict(zip(titles, row, strict=True)) for row in rows}
    for name, estimator in find_methods().items():
        cells, info = cells_of[name], estimator.info
        each = info.square_arrays_per_partition
        square = f"{info.square_arrays}" + (f" + {each} m" if each else "")
        assert cells["n × n"] == (square if info.square_arrays else "no")
        for title, can in (("by rows", info.by_rows), ("Dask", info.dask), ("GPU", info.gpu)):
            assert cells[title] == ("yes" if can else "no")
    told = consensa("methods").out
    assert told.count("works by blocks of rows") == len(methods_that("by_rows"))
    assert told.count("works on a GPU") == len(methods_that("gpu"))


def test_methods_are_the_estimators_of_the_library():
    assert {"EAC", "LTA"} <= set(find_methods())
    assert all(getattr(cs.consensus, name) is found for name, found in find_methods().items())


@pytest.mark.parametrize("command", [(), ("cluster",), ("combine",), ("methods",), ("demo",)])
def test_help_is_given(consensa, command):
    done = consensa(*command, "--help")
    assert done.status == 0
    assert "Usage: consensa" in done.out


def test_the_version_is_given(consensa):
    assert consensa("--version").out.strip() == f"consensa {cs.__version__}"
