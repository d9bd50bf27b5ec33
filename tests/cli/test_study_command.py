"""``consensa study``: what people type, and what they are told."""

from __future__ import annotations

from dataclasses import fields, replace
from inspect import signature

import numpy as np
import pytest

from consensa.cli._study_figures import study
from consensa.cli._study_options import Device, Shared, choose_sets
from consensa.consensus.catalogue import methods_that
from consensa.datasets import SETS
from consensa.study.options import STORE, RunOptions


@pytest.fixture
def data(tmp_path):
    rng = np.random.RandomState(0)
    y = np.repeat([1, 2, 3], 12)
    noise = rng.uniform(size=(36, 8)) < 0.2
    members = np.where(noise, rng.randint(4, size=(36, 8)), y[:, None])
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez(folder / "tiny.npz", y=y, members=members)
    return folder


@pytest.fixture
def small(consensa, data, tmp_path, monkeypatch):
    """The command on the small set, computed in this process."""
    from consensa.cli import _study

    actual = _study.run_study

    def here(experiments, options, **more):
        return actual(experiments, replace(options, jobs=0), **more)

    monkeypatch.setattr(_study, "run_study", here)
    fixed = ["--sets", "tiny", "--data", data, "--members", "4", "--draws", "2"]

    def call(*arguments, out="out"):
        return consensa("study", "tables", *fixed, "--out", tmp_path / out, *arguments)

    return call


def test_tables_are_written_and_the_number_of_cells_is_told(small, tmp_path):
    first = small("--methods", "EAC,pta")
    assert first.status == 0
    assert "8 cells computed in this run, 0 already known." in first.err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"tiny.md", "tiny.csv", "tiny.html", "summary.csv", "cells.csv", STORE} <= names
    text = (tmp_path / "out" / "tiny.md").read_text()
    for row in ("PTA-AL", "PTA-CL", "PTA-SL", "EAC"):
        assert f"| {row} |" in text
    again = small("--methods", "eac,pta")
    assert "0 cells computed in this run, 8 already known." in again.err


def test_one_order_can_be_asked_for(small, tmp_path):
    outcome = small("--methods", "eac", "--order", "shuffled")
    assert "2 cells computed" in outcome.err
    assert "as stored" not in (tmp_path / "out" / "tiny.md").read_text()


def test_a_budget_stops_it_and_says_what_is_missing(small):
    outcome = small("--methods", "eac", "--budget", "0.001", "--draws", "5000")
    assert outcome.status == 0
    assert "The budget was used up:" in outcome.err
    assert "The same command continues." in outcome.err


def test_stores_are_gathered(small, consensa, tmp_path):
    small("--methods", "eac", out="one")
    small("--methods", "lwea", out="two")
    outcome = consensa("study", "gather", tmp_path / "two" / STORE, "--out", tmp_path / "one")
    assert outcome.status == 0
    assert "4 cells imported, 0 already known." in outcome.err
    assert (
        "0 cells computed in this run, 8 already known"
        in small("--methods", "eac,lwea", out="one").err
    )


def test_names_of_sets_are_taken_in_any_case(small, data, tmp_path):
    (data / "tiny.npz").rename(data / "Upper.npz")
    outcome = small("--methods", "eac", "--sets", "uPPER")
    assert outcome.status == 0, outcome.err
    assert "4 cells computed in this run" in outcome.err
    assert (tmp_path / "out" / "upper.md").exists()


@pytest.mark.parametrize("word", ["all", "ALL", " All "])
def test_all_is_the_sets_of_the_paper_in_any_case(data, word):
    assert choose_sets(word, data) == list(SETS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sets", "minst5k"], "Got 'minst5k'. Did you mean 'mnist5k'?"),
        (["--methods", "lwae"], "Got 'lwae'. Did you mean 'lwea'?"),
        (["--methods", ","], "--methods must name at least one of"),
        (["--draws", "0"], "an integer of at least 1 is expected. Got '0'"),
        (["--members", "9"], "The pool of tiny has 8"),
        (["--data", "nowhere"], "must be an existing folder. Got nowhere"),
        (["--device", "tpu"], "'tpu' is not one of 'cpu', 'cuda'"),
    ],
)
def test_what_is_wrong_is_said(small, arguments, said):
    outcome = small("--methods", "eac", *arguments)
    assert outcome.status == 2
    assert said in outcome.err


def test_the_help_names_the_methods_that_take_a_device():
    (option,) = Device.__metadata__
    for name in methods_that("gpu"):
        assert name in option.help
        assert name in RunOptions.__doc__


def test_every_part_of_the_study_has_the_shared_options():
    shared = {field.name for field in fields(Shared)}
    commands = {command.callback for command in study.registered_commands}
    names = {command.__name__: set(signature(command).parameters) for command in commands}
    gather = names.pop("gather")
    assert len(names) == 9
    assert all(shared < parameters for parameters in names.values())
    assert gather == {"others", "out"}


def test_a_store_that_is_not_there_is_said(consensa, tmp_path):
    outcome = consensa("study", "gather", tmp_path / "no.sqlite", "--out", tmp_path)
    assert outcome.status == 2
    assert "There is no store" in outcome.err
