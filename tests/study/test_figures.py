"""The figures of the study: their cells, their data and their pictures."""

from __future__ import annotations

import csv
import warnings
from dataclasses import replace

import numpy as np
import pytest

from consensa import coassociation, lta
from consensa.exceptions import ConsensaWarning, NotEnoughMemoryError
from consensa.plotting.axes import save_figure
from consensa.study import RunOptions, protocol_of
from consensa.study._matrices import _MATRICES, separation, summarized
from consensa.study._sweeps import sweep_picture
from consensa.study.draws import draw, scores
from consensa.study.experiments import Experiments
from consensa.study.figures import FIGURES, Plan, compute_cell, write_figure
from consensa.study.material import read_material, read_sets
from consensa.study.protocol import Protocol
from consensa.study.run import run_study
from consensa.study.store import Store

VALUES = {"penalty": (0.002, 1.5), "size": (3.0, 5.0, 500.0)}
PROTOCOL = protocol_of(sets=["tiny"], methods=["lta", "eac"], draws=2, members=5)
PLANS = {name: Plan(PROTOCOL, VALUES.get(name, ())) for name in FIGURES}


@pytest.fixture(scope="module")
def out(folder, tmp_path_factory):
    """A folder with every figure of a small set."""
    path = tmp_path_factory.mktemp("figures")
    run_study(Experiments(figures=PLANS), RunOptions(path, folder, jobs=0))
    return path


@pytest.fixture(scope="module")
def tiny(folder, out):
    return read_sets(["tiny"], RunOptions(out, folder))["tiny"]


def lines_of(out, stem):
    with (out / f"{stem}.csv").open() as file:
        return list(csv.DictReader(file))


def quietly_lta(drawn, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        return lta(drawn.ensemble, 3, random_state=drawn.random_state, **options)


def test_every_figure_has_its_data_and_its_pictures(out):
    stems = {"penalty", "size", "base", "matrices-tiny", "convergence-tiny", "degrees"}
    for stem in stems:
        assert (out / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
        svg = (out / f"{stem}.svg").read_text()
        assert "</svg>" in svg
        assert len(svg) < 300_000
    assert {path.stem for path in out.glob("*.png")} == stems
    names = {"penalty", "size", "base", "matrices", "matrices-cells", "convergence", "degrees"}
    assert {path.stem for path in out.glob("*.csv")} == names


@pytest.mark.parametrize("order", ["stored", "shuffled"])
def test_the_penalty_is_that_of_the_line(out, tiny, order):
    drawn = draw(tiny, order, 1, members=5, seed=0)
    expected = scores(drawn.truth, quietly_lta(drawn, penalty=1.5).labels)
    (line,) = [
        line
        for line in lines_of(out, "penalty")
        if (line["order"], line["draw"], line["penalty"], line["row"])
        == (order, "1", "1.5", "Ours-SC")
    ]
    for name, value in expected.items():
        assert float(line[name]) == pytest.approx(value, abs=1e-6)


def test_what_the_tables_have_is_not_computed_again(tiny):
    datasets = {"tiny": tiny}
    of_tables = {cell.key for cell in PROTOCOL.cells(datasets)}
    penalty = FIGURES["penalty"].cells(PLANS["penalty"], datasets)
    assert of_tables < {cell.key for cell in penalty}  # λ = 0.002, and EAC
    assert {cell.settings["penalty"] for cell in penalty if cell.experiment == "penalty"} == {1.5}
    base = FIGURES["base"].cells(PLANS["base"], datasets)
    assert len({cell.key for cell in base} - of_tables) == 1  # the pool
    size = FIGURES["size"].cells(PLANS["size"], datasets)
    assert of_tables < {cell.key for cell in size}


def test_sizes_are_those_that_the_pool_has(out):
    found = {line["members"] for line in lines_of(out, "size")}
    assert found == {"3", "5"}  # the pool has 12
    assert len(lines_of(out, "size")) == 2 * 2 * 2 * 3  # sizes, orders, draws, rows


def test_every_partition_of_the_pool_is_scored(out, tiny):
    base = [line for line in lines_of(out, "base") if line["row"] == "base partitions"]
    assert len(base) == 12
    for line, labels in zip(base, tiny.members.T, strict=True):
        assert float(line["nmi"]) == pytest.approx(scores(tiny.y, labels)["nmi"], abs=1e-6)


def test_the_trace_is_that_of_the_solver(out, tiny):
    for order in ("stored", "shuffled"):
        drawn = draw(tiny, order, 0, members=5, seed=0)
        trace = quietly_lta(drawn, penalty=0.002).trace
        lines = [line for line in lines_of(out, "convergence") if line["order"] == order]
        assert [int(line["iteration"]) for line in lines] == list(range(1, trace.n_iter + 1))
        gaps = [float(line["gap_affinity"]) for line in lines]
        np.testing.assert_allclose(gaps, trace.gaps[:, 2], rtol=1e-5)
        objective = [float(line["objective"]) for line in lines]
        np.testing.assert_allclose(objective, trace.objective, rtol=1e-5)


def test_the_matrices_are_those_of_the_paper_and_only_the_refined_has_an_order(out):
    found = [(line["matrix"], line["order"]) for line in lines_of(out, "matrices")]
    assert found == [
        ("coherent links", "either"), ("co-association", "either"), ("LWCA", "either"),
        ("SPCE", "either"), ("refined", "stored"), ("refined", "shuffled"), ("ideal", "either"),
    ]  # fmt: skip
    ideal = lines_of(out, "matrices")[-1]
    numbers = [float(ideal[key]) for key in ("within", "between", "correlation_with_ideal")]
    assert numbers == pytest.approx([1, 0, 1])


def test_both_orders_show_the_same_samples_in_the_same_places(tiny):
    cells = []
    for order in ("stored", "shuffled"):
        drawn = draw(tiny, order, 0, members=5, seed=0)
        cells.append(summarized(coassociation(drawn.ensemble), drawn, 20)["cells"])
    assert cells[0] == cells[1]
    assert len(cells[0]) == 15  # blocks of 3 of 45 samples


def test_a_matrix_is_scaled_by_its_largest_entry_off_the_diagonal(tiny):
    drawn = draw(tiny, "stored", 0, members=5, seed=0)
    matrix = np.full((45, 45), 0.2)
    np.fill_diagonal(matrix, 1.0)
    before = matrix.copy()
    assert np.unique(summarized(matrix, drawn, 45)["cells"]).tolist() == [1.0]
    np.testing.assert_array_equal(matrix, before)


def test_separation_is_that_of_a_loop_over_pairs():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=14)
    matrix = rng.random((14, 14))
    matrix = matrix + matrix.T
    pairs = [(i, j) for i in range(14) for j in range(14) if i != j]
    values = np.array([matrix[i, j] for i, j in pairs])
    same = np.array([truth[i] == truth[j] for i, j in pairs])
    found = dict(separation(matrix, truth))
    assert found["within"] == pytest.approx(values[same].mean())
    assert found["between"] == pytest.approx(values[~same].mean())
    expected = np.corrcoef(values, same)[0, 1]
    assert found["correlation_with_ideal"] == pytest.approx(expected)
    assert dict(separation(np.ones((4, 4)), truth[:4]))["correlation_with_ideal"] == 0


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_pictures_need_nothing_but_the_files_of_data(out, tmp_path, name):
    figure = FIGURES[name]
    with_data = {"matrices": ["matrices", "matrices-cells"]}.get(name, [name])
    pictures = figure.pictures({stem: lines_of(out, stem) for stem in with_data})
    assert pictures
    for stem, picture in pictures.items():
        save_figure(picture.figure, tmp_path / stem)
        assert (tmp_path / f"{stem}.svg").read_bytes() == (out / f"{stem}.svg").read_bytes()
        assert len(picture.alt) > 40


def test_a_sweep_draws_the_means_of_its_lines():
    def line(row, order, draw, members, nmi):
        return {"dataset": "d", "row": row, "order": order, "draw": draw, "members": members,
                "nmi": nmi}  # fmt: skip

    lines = [
        line("A", "stored", 0, 5, "0.2"),
        line("A", "stored", 1, 5, "0.4"),
        line("A", "stored", 0, 10, "0.9"),
        line("A", "stored", 1, 10, ""),  # failed
        line("B", "stored", 0, "", "0.5"),  # has no members: the same for all
    ]
    picture = sweep_picture("size", lines, "members", label="members", score="NMI")["size"]
    (ax,) = (ax for ax in picture.figure.axes if ax.get_title() == "d")
    drawn = {c.get_label(): c.lines[0].get_ydata() for c in ax.containers}
    np.testing.assert_allclose(drawn["A, stored"], [0.3, 0.9])
    np.testing.assert_allclose(drawn["B, stored"], [0.5, 0.5])
    assert "A, stored: 0.30 at 5, 0.90 at 10, best 0.90" in picture.alt


def test_a_figure_that_is_done_is_not_computed_again_and_gives_the_same_bytes(out, folder):
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.suffix != ".sqlite"}
    again = run_study(Experiments(figures=PLANS), RunOptions(out, folder, jobs=0))
    assert again.report.computed == 0
    after = {path.name: path.read_bytes() for path in out.iterdir() if path.suffix != ".sqlite"}
    assert before == after


def test_an_interrupted_run_ends_with_the_same_data(out, folder, tmp_path):
    size = Experiments(figures={"size": PLANS["size"]})
    options = RunOptions(tmp_path, folder, jobs=0)

    class Stopped(Exception):
        pass

    def stop_after_three(step):
        if step.computed == 3:
            raise Stopped

    with pytest.raises(Stopped):
        run_study(size, options, progress=stop_after_three)
    material = read_material(["tiny"], options)
    write_figure("size", PLANS["size"], material, tmp_path)  # of what there is
    assert 0 < len(lines_of(tmp_path, "size")) < len(lines_of(out, "size"))
    assert run_study(size, options).report.known == 3
    assert (tmp_path / "size.csv").read_bytes() == (out / "size.csv").read_bytes()


def test_a_matrix_that_is_too_large_is_said_to_be_and_left_out(folder, tmp_path, monkeypatch):
    def refuse(*_, **__):
        message = "five arrays do not fit"
        raise NotEnoughMemoryError(message)

    monkeypatch.setitem(_MATRICES, "SPCE", refuse)
    plans = {"matrices": Plan(Protocol(("tiny",), ("lta",), ("stored",), 1, 5))}
    options = RunOptions(tmp_path, folder, jobs=0)
    outcome = run_study(Experiments(figures=plans), options)
    assert [record.state for record in outcome.report.problems] == ["too large"]
    (drawn,) = outcome.figures
    states = {line["matrix"]: line["state"] for line in lines_of(tmp_path, "matrices")}
    assert states.pop("SPCE") == "too large"
    assert set(states.values()) == {"done"}
    assert "SPCE" not in drawn.pictures[0][1]


def test_nothing_computed_is_no_picture_and_an_empty_file(folder, tmp_path):
    material = read_material(["tiny"], RunOptions(tmp_path, folder))
    for name, plan in PLANS.items():
        each = write_figure(name, plan, material, tmp_path)
        assert each.pictures == []
        assert all(path.read_text().strip() == "" for path in each.data)


def test_other_data_are_refused(folder, out):
    options = RunOptions(out, folder)
    with Store(options.store) as store:
        cell = next(r.cell for r in store.records().values() if r.cell.experiment == "penalty")
    changed = dict(cell.settings) | {"data": "0" * 12}
    with pytest.raises(ValueError, match="have changed since the study started"):
        compute_cell(replace(cell, settings=changed), options)
