"""``consensa compare``: what it prints, what it writes."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from consensa import compare_methods


@pytest.fixture
def runs_csv(planted, tmp_path):
    labels, truth = planted
    frame = pd.DataFrame(labels, columns=[f"run{j}" for j in range(8)])
    frame.insert(0, "name", [f"[bold]{i}" for i in range(60)])
    frame["kind"] = np.array(["red", "green", "blue"])[truth]
    path = tmp_path / "runs.csv"
    frame.to_csv(path, index=False)
    return path


def test_tables_for_people(consensa, runs_csv):
    done = consensa("compare", runs_csv, "-k", 3, "--labels", "--id", "name", "--truth", "kind",
                    "-m", "eac", "-m", "sec", "-m", "hbgf", "--most", 2)  # fmt: skip
    assert done.status == 0
    for said in (
        "Agreement between the methods",
        "EAC",
        "SEC",
        "HBGF",
        "Scores against",
        "seconds",
    ):
        assert said in done.out


def test_json_holds_everything_and_is_what_the_library_says(consensa, runs_csv, planted, tmp_path):
    target = tmp_path / "out.json"
    done = consensa("compare", runs_csv, "-k", 4, "--labels", "--id", "name", "--truth", "kind",
                    "-m", "EAC", "-m", "SEC", "-o", target, "--seed", 3)  # fmt: skip
    assert done.status == 0
    report = json.loads(target.read_text())
    expected = compare_methods(planted[0], 4, methods=["EAC", "SEC"], random_state=3)
    assert report["methods"] == ["EAC", "SEC"]
    assert report["labels"]["SEC"] == expected.labels[:, 1].tolist()
    assert report["agreement"] == expected.agreement.tolist()
    assert report["disagreement"] == expected.disagreement.tolist()
    assert report["samples"][7] == "[bold]7"
    assert set(report["scores"][0]) >= {"acc", "nmi", "ari"}


def test_csv_has_a_row_for_each_sample_and_samples_are_listed_by_name(
    consensa, runs_csv, tmp_path
):
    target = tmp_path / "out.csv"
    done = consensa("compare", runs_csv, "-k", 5, "--labels", "--id", "name", "--drop", "kind",
                    "-m", "eac", "-m", "hbgf", "-o", target, "--most", 1)  # fmt: skip
    table = pd.read_csv(target)
    assert list(table) == ["name", "EAC", "HBGF", "disagreement"]
    assert len(table) == 60
    worst = table.sort_values("disagreement", ascending=False, kind="stable").name.iloc[0]
    assert worst in done.out  # brackets and all
    assert "disagree most" in done.out


def test_features_make_their_base_partitions_first(consensa, blobs_csv):
    done = consensa("compare", blobs_csv, "-k", 3, "--id", "code", "--truth", "group",
                    "-m", "eac", "-m", "lwea", "--partitions", 5)  # fmt: skip
    assert done.status == 0
    assert "The methods agree on every sample." in done.out


def test_a_method_that_cannot_run_is_named(consensa, write):
    path = write("runs.csv", "a,b\n0,0\n0,\n1,1\n1,1\n")
    done = consensa("compare", path, "-k", 2, "--labels", "-m", "eac", "-m", "pta")
    assert done.status == 0
    assert "PTA did not run: PTA does not accept missing labels" in " ".join(done.out.split())


def test_a_table_of_many_methods_is_printed_in_parts(consensa, runs_csv, tmp_path):
    target = tmp_path / "out.json"
    done = consensa("compare", runs_csv, "-k", 3, "--labels", "--id", "name", "-o", target)
    assert done.status == 0
    assert "…" not in done.out
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 120
    below = [place for place, line in enumerate(lines) if "──" in line]
    headers = [name for place in below for name in lines[place - 1].split()]
    assert headers == [*json.loads(target.read_text())["methods"], "mean", "seconds"]


def test_wrong_input_is_one_message(consensa, runs_csv, tmp_path):
    done = consensa("compare", runs_csv, "-k", 3, "--labels", "-m", "eca")
    assert done.status == 2
    assert "Did you mean 'EAC'" in done.err
    done = consensa("compare", runs_csv, "-k", 3, "--labels", "-o", tmp_path / "x.docx")
    assert done.status == 2
    assert ".json" in done.err
