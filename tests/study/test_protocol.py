"""Draws, orders and rows: every method sees the same, and the paper's names are kept."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import consensus, lta, pta, voting
from consensa.datasets import Dataset
from consensa.ensemble.appearance import number_by_appearance
from consensa.exceptions import (
    InvalidInputError,
    InvalidParameterError,
    OrderSensitivityWarning,
    TooSlowError,
)
from consensa.metrics import accuracy, normalized_mutual_information
from consensa.study import draws
from consensa.study.draws import METRICS, draw, load_with_pool, scores
from consensa.study.figures import FIGURES
from consensa.study.material import read_sets
from consensa.study.methods import METHODS
from consensa.study.options import RunOptions
from consensa.study.protocol import Protocol, compute, protocol_of


@pytest.fixture
def tiny(folder):
    return load_with_pool("tiny", str(folder), None)


def test_both_orders_draw_the_same_partitions_and_the_rows_move_together(tiny):
    stored = draw(tiny, "stored", 3, members=5, seed=7)
    shuffled = draw(tiny, "shuffled", 3, members=5, seed=7)
    assert_array_equal(stored.rows, np.arange(45))
    assert sorted(shuffled.rows) == list(range(45))
    assert (shuffled.rows != stored.rows).any()
    moved = stored.ensemble.codes[shuffled.rows]
    for column, expected in zip(shuffled.ensemble.codes.T, moved.T, strict=True):
        assert_array_equal(number_by_appearance(column), number_by_appearance(expected))
    assert_array_equal(shuffled.truth, tiny.y[shuffled.rows])
    assert stored.random_state == shuffled.random_state


def test_a_draw_holds_different_columns_of_the_pool(tiny):
    drawn = draw(tiny, "stored", 0, members=12, seed=0)
    pool = {tuple(number_by_appearance(column)) for column in tiny.members.T}
    found = {tuple(number_by_appearance(column)) for column in drawn.ensemble.codes.T}
    assert found == pool


def test_draws_differ_and_come_again(tiny):
    codes = [draw(tiny, "stored", k, members=5, seed=s).ensemble.codes for k, s in
             [(0, 0), (1, 0), (0, 1), (0, 0)]]  # fmt: skip
    assert_array_equal(codes[0], codes[3])
    assert (codes[0] != codes[1]).any()
    assert (codes[0] != codes[2]).any()


def test_a_draw_larger_than_the_pool_is_refused(tiny):
    with pytest.raises(InvalidInputError, match="The pool of tiny has 12"):
        draw(tiny, "stored", 0, members=13, seed=0)
    with pytest.raises(InvalidInputError, match="has 0"):
        draw(Dataset("bare", tiny.X, tiny.y, None, "local"), "stored", 0, members=1, seed=0)


def test_every_method_of_the_library_is_there_and_the_papers_come_first():
    functions = {name for name in consensus.__all__ if name.islower()}
    assert set(METHODS) == functions
    rows = [row for method in METHODS.values() for row in method.rows]
    paper = [
        "PTA-AL", "PTA-CL", "PTA-SL", "PTGP", "LWSC", "LWEA", "LWGP", "ECPCS-HC", "ECPCS-MC",
        "DREC", "SPCE", "SEC", "Ours-EA", "Ours-SC",
    ]  # fmt: skip
    assert rows[:14] == paper
    assert len(set(rows)) == len(rows)


def test_every_method_sees_the_same_draw(tiny, folder, monkeypatch):
    seen = []
    actual = draws.draw

    def spy(*args, **options):
        seen.append(actual(*args, **options))
        return seen[-1]

    monkeypatch.setattr(draws, "draw", spy)
    protocol = Protocol(("tiny",), ("eac", "lwea", "voting"), members=4, draws=1)
    for cell in protocol.cells({"tiny": tiny}):
        compute(cell, RunOptions("out", folder))
    assert len(seen) == 6
    for drawn in seen[:3]:
        assert_array_equal(drawn.ensemble.codes, seen[0].ensemble.codes)


def test_one_solve_of_lta_gives_both_of_the_papers_cuts(tiny):
    drawn = draw(tiny, "stored", 0, members=6, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = METHODS["lta"].run(drawn.ensemble, 3, 5, None)
        cuts = {
            row: lta(drawn.ensemble, 3, penalty=0.002, partition=cut, random_state=5).labels
            for row, cut in {"Ours-SC": "spectral", "Ours-EA": "average"}.items()
        }
    for row, labels in cuts.items():
        assert_array_equal(number_by_appearance(found.labels[row]), labels)
    assert METHODS["lta"].settings == {"penalty": 0.002}
    assert set(found.details) == {"iterations", "converged", "order_information"}


def test_a_method_whose_answers_changed_has_other_cells():
    changed = METHODS["voting"]
    assert changed.settings == {"revision": voting.info.revision}
    assert METHODS["lwea"].settings == {}


def test_one_similarity_of_pta_gives_its_three_linkages(tiny):
    drawn = draw(tiny, "shuffled", 0, members=6, seed=0)
    found = METHODS["pta"].run(drawn.ensemble, 3, 0, None)
    names = {"PTA-AL": "average", "PTA-CL": "complete", "PTA-SL": "single"}
    assert set(found.labels) == set(names)
    for row, linkage in names.items():
        expected = pta(drawn.ensemble, 3, linkage=linkage).labels
        assert_array_equal(number_by_appearance(found.labels[row]), expected)


def test_scores_are_the_papers_seven_and_the_arithmetic_nmi():
    truth, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])
    found = scores(truth, labels)
    assert tuple(found) == METRICS
    assert found["acc"] == accuracy(truth, labels)
    assert found["nmi"] == pytest.approx(2 / 3)  # 1 bit over the larger entropy, 1.5 bits
    assert found["nmi_arithmetic"] == normalized_mutual_information(truth, labels)


def test_methods_of_cubic_cost_are_not_run_on_large_sets(tiny, folder):
    cell = Protocol(("tiny",), ("gtlec",), members=4).cell(tiny, "stored", 0, "gtlec")
    with pytest.raises(TooSlowError, match="n = 45 is above the limit of 44"):
        compute(cell, RunOptions("out", folder, cubic_limit=44))
    with pytest.warns(OrderSensitivityWarning):
        found = compute(cell, RunOptions("out", folder, cubic_limit=45))
    assert found["rows"]["GTLEC"]["acc"] > 0


def test_cells_of_other_data_are_not_computed(tiny, folder):
    other = Dataset("tiny", None, tiny.y, tiny.members[:, ::-1], "local")
    cell = Protocol(("tiny",), ("eac",), members=4).cell(other, "stored", 0, "eac")
    with pytest.raises(InvalidInputError, match="have changed since the study started"):
        compute(cell, RunOptions("out", folder))


def test_a_set_without_a_pool_gets_one_by_the_papers_recipe_and_keeps_it(
    folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(draws, "_POOL_SIZE", 7)
    made = read_sets(["bare"], RunOptions(tmp_path, folder))["bare"]
    assert made.members.shape == (45, 7)
    counts = [len(np.unique(column)) for column in made.members.T]
    assert min(counts) >= 2
    assert max(counts) <= 6  # the root of 45
    draws._load.cache_clear()
    monkeypatch.setattr(draws, "RandomKMeans", None)  # nothing is made again
    again = read_sets(["bare"], RunOptions(tmp_path, folder))["bare"]
    assert again.fingerprint == made.fingerprint


def test_small_sets_come_first_and_draws_stay_whole(tiny):
    large = Dataset("large", None, np.repeat(tiny.y, 2), np.repeat(tiny.members, 2, 0), "local")
    protocol = Protocol(("large", "tiny"), ("eac", "lwea"), draws=2)
    cells = protocol.cells({"tiny": tiny, "large": large})
    assert [cell.dataset for cell in cells] == ["tiny"] * 8 + ["large"] * 8
    first = [(cell.draw, cell.order, cell.method) for cell in cells[:4]]
    assert first == [
        (0, "stored", "eac"), (0, "stored", "lwea"), (0, "shuffled", "eac"),
        (0, "shuffled", "lwea"),
    ]  # fmt: skip


def test_names_are_taken_in_any_case_and_unknown_ones_refused():
    chosen = protocol_of(sets=["MF", " Texture"], methods=["LWEA", "Lta", "lwea"])
    assert chosen.sets == ("mf", "texture")
    assert chosen.methods == ("lwea", "lta")
    with pytest.raises(InvalidParameterError, match="Did you mean 'lwea'"):
        protocol_of(methods=["lwae"])
    with pytest.raises(InvalidParameterError, match="orders"):
        protocol_of(orders=["sorted"])
    with pytest.raises(InvalidParameterError, match="draws"):
        protocol_of(draws=0)


@pytest.mark.parametrize("name", ["summary", "cells", "index", *FIGURES])
def test_a_set_with_the_name_of_a_file_of_the_study_is_refused(name):
    """Its tables would be overwritten by that file."""
    with pytest.raises(InvalidInputError, match=f"No set of a study can be called '{name}'"):
        protocol_of(sets=["tiny", name.upper()])
