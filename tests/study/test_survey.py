"""What the pages say of the survey and of the audit is what the CSV files have."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
AUDIT = ROOT / "docs/results/audit/audit.csv"


def module():
    spec = importlib.util.spec_from_file_location("survey", ROOT / "benchmarks/survey.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_table_of_the_page_is_that_of_the_csv_files():
    survey = module()
    tables = [survey.read(survey.FOLDER / name) for name in ("survey.csv", "audit.csv")]
    page = (survey.FOLDER / "README.md").read_text(encoding="utf-8")
    assert "\n".join(survey.table(*tables)) in page


def test_what_the_audit_has_not_run_is_a_dash_in_the_table():
    survey = module()
    line = {"row": "SPCE", "metric": "nmi", "stored": "", "shuffled": ""}
    audit = [
        line | {"dataset": "mf", "verdict": "too large"},
        line | {"dataset": "semeion", "verdict": "not run", "stored": "0.25"},
        line | {"dataset": "texture", "verdict": "none", "stored": "0.5", "shuffled": "0.5"},
    ]
    rows = survey.table(survey.read(survey.FOLDER / "survey.csv"), audit)
    (row,) = [text for text in rows if text.startswith("| SPCE |")]
    ours = dict(zip(survey.SETS, row.strip("| ").split(" | ")[1:], strict=True))
    ours = {name: cell.split(" / ")[1:] for name, cell in ours.items()}
    assert ours["mf"] == ours["isolet"] == ["–"]  # isolet has no line
    assert ours["semeion"] == ["0.250", "–"]
    assert ours["texture"] == ["0.500"]


def test_means_leave_out_what_timed_out_and_variants_stay_apart():
    labels = ["(3) GTLEC_MM23_1", "(3) CELTA_AAAI21_1", "(3) CELTA_AAAI21_2", "(9) Unknown_1"]
    matrix = {
        "methodLabels": labels,
        "datasets": ["Other", "MF", "MNIST", "Semeion", "Caltech20", "Texture", "ISOLET"],
        "values": [[0.5, None, *["TO"] * 5], [0.1] * 7, [0.2] * 7, [0.9] * 7],
    }
    lines = module().printed({"matrix": {"mean": dict.fromkeys(("NMI", "ARI", "ACC"), matrix)}})
    assert lines[0] == ("GTLEC", "1", "nmi", "mean", 1, "0.500000")
    means = {line[:3]: line[5] for line in lines if line[3] == "mean"}
    assert means["LTA", "1", "nmi"] == "0.100000"
    assert means["LTA", "2", "acc"] == "0.200000"
    assert {line[0] for line in lines} == {"GTLEC", "LTA"}
    assert sum(line[0] == "GTLEC" for line in lines) == 3


def test_methods_are_ranked_on_the_sets_that_one_of_them_has():
    matrix = {
        "methodLabels": ["(3) GTLEC_MM23_1", "(3) CELTA_AAAI21_1", "(9) Unknown_1"],
        "datasets": ["Other", "MF", "MNIST"],
        "values": [[0.5, 0.25, "TO"], [0.75, 0.5, 0.0], [0.9, None, 0.9]],
    }
    count, best = module().best_on_sets_of({"matrix": {"mean": {"NMI": matrix}}}, "(3) GTLEC")
    assert count == 2
    assert best == [(0.625, "(3) CELTA_AAAI21_1"), (0.375, "(3) GTLEC_MM23_1")]


def test_the_page_begins_with_the_means_of_lta_and_gtlec():
    lines = [line for line in module().read(AUDIT) if line["metric"] == "nmi"]
    means = {
        (row, order): sum(float(line[order]) for line in lines if line["row"] == row) / 7
        for row in {line["row"] for line in lines}
        for order in ("stored", "shuffled")
    }
    page = " ".join((AUDIT.parent / "README.md").read_text(encoding="utf-8").split())
    for order in ("stored", "shuffled"):
        lta, gtlec = (means.pop((row, order)) for row in ("Ours-SC", "GTLEC"))
        assert f"{lta:.3f} and {gtlec:.3f}" in page
        del means["Ours-EA", order]
        others = [mean for (_, of), mean in means.items() if of == order]
        above = sum(mean > max(lta, gtlec) for mean in others)
        assert above == 0 if order == "stored" else above > len(others) / 2
    assert f"of {len({line['method'] for line in lines})} methods" in page


def test_lta_and_gtlec_lead_as_stored_and_nowhere_shuffled():
    lines = [line for line in module().read(AUDIT) if line["metric"] == "nmi" and line["stored"]]
    sets = {line["dataset"] for line in lines}
    assert len(sets) == 7
    for name in sets:
        here = [line for line in lines if line["dataset"] == name]
        theirs = [line for line in here if line["method"] in {"lta", "gtlec"}]
        others = max(float(line["stored"]) for line in here if line not in theirs)
        assert len(theirs) == 3
        for line in theirs:
            assert float(line["shuffled"]) < others < float(line["stored"])


def test_the_published_scores_of_lta_are_ours_as_stored_within_what_the_note_says():
    lines = [line for line in module().read(AUDIT) if line["metric"] == "nmi"]
    lta = {line["dataset"]: line for line in lines if line["row"] == "Ours-SC"}
    gaps = {name: float(line["stored"]) - float(line["paper"]) for name, line in lta.items()}
    assert round(gaps.pop("mnist5k"), 2) == -0.11
    assert len(gaps) == 6
    assert max(map(abs, gaps.values())) < 0.05
    below = [float(line["paper"]) - float(line["shuffled"]) for line in lta.values()]
    assert (round(min(below), 1), round(max(below), 1)) == (0.1, 0.8)
