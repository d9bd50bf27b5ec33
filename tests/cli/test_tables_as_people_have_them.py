"""The commands on ordinary files: what was recognized, what is wrong in one message."""

from __future__ import annotations

import io
import shlex
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from workbooks import xlsx

from consensa import DiverseKinds, RandomKMeans, cluster


def labels(done):
    assert done.status == 0, done.err
    return pd.read_csv(io.StringIO(done.out)).cluster.to_numpy()


@pytest.fixture
def european(blobs, write):
    """The same blobs, as a German spreadsheet exports them."""
    frame = blobs.drop(columns="group")
    text = frame.to_csv(index=False, sep=";", decimal=",", float_format="%.3f")
    return write("messwerte.csv", text.encode("cp1252"))


def test_a_spreadsheet_export_is_recognized_and_said(consensa, european, blobs):
    done = consensa("cluster", european, "-k", 3)
    assert adjusted_rand_score(blobs.group, labels(done)) == 1
    assert "separated by ';', decimal comma, 30 rows, 3 numeric columns" in done.err
    assert "row numbers or names of the samples are left out: 'code'" in done.err


def test_shuffled_rows_give_the_same_clusters(consensa, european, write):
    first, *rest = european.read_text().splitlines()
    order = np.random.RandomState(0).permutation(len(rest))
    shuffled = write("shuffled.csv", "\n".join([first, *(rest[i] for i in order)]))
    one, other = (labels(consensa("cluster", path, "-k", 3)) for path in (european, shuffled))
    assert adjusted_rand_score(one[order], other) == 1


def test_keep_uses_a_column_that_looks_like_an_id(consensa, european):
    done = consensa(
        "cluster", european, "-k", 3, "--keep", "code", "--report", european.parent / "p.html"
    )
    assert done.status == 0
    assert "left out" not in done.err


def test_gaps_are_filled_counted_and_told_in_the_report(consensa, blobs, write, tmp_path):
    blobs.loc[[3, 7], "x"] = np.nan
    path = write("gaps.csv", blobs.drop(columns=["code", "group"]).to_csv(index=False))
    page = tmp_path / "page.html"
    done = consensa("cluster", path, "-k", 3, "--report", page)
    assert adjusted_rand_score(blobs.group, labels(done)) > 0.85
    said = "2 missing values were filled with the median or the most frequent entry"
    assert said in done.err
    assert said in page.read_text()
    assert "consensa.tables.prepare(" in page.read_text()


def test_rows_that_are_dropped_keep_the_names_of_the_others(consensa, blobs, write):
    blobs.loc[[3, 7], "x"] = np.nan
    path = write("gaps.csv", blobs.drop(columns="code").to_csv(index=False))
    done = consensa("cluster", path, "-k", 3, "--missing", "drop", "--truth", "group")
    table = pd.read_csv(io.StringIO(done.out))
    assert table["sample"].tolist() == [row for row in range(30) if row not in (3, 7)]
    assert adjusted_rand_score(blobs.group.drop([3, 7]), table.cluster) == 1
    stop = consensa("cluster", path, "-k", 3, "--missing", "error", "--truth", "group")
    assert stop.status == 2
    assert "Column 'x' has no value in line 5 and 1 more" in stop.err


def test_every_complaint_is_in_one_message(consensa, write):
    lines = [f"{i},{i % 7},2026-01-{1 + i % 28:02d},{i / 7}" for i in range(30)]
    lines[4], lines[9] = "4,?,2026-01-05,0.5", "9,3,2026-01-10,inf"
    path = write("messy.csv", "\n".join(["a,b,day,c", *lines, ""]))
    done = consensa("cluster", path, "-k", 2)
    assert done.status == 2
    assert "with 3 problems" in done.err
    for said in ("'?' in line 6", "'day' holds dates. Use --dates", "'c' has infinity in line 11"):
        assert said in done.err
    good = consensa("cluster", path, "-k", 2, "--na", "?", "--na", "inf", "--dates")
    assert good.status == 0, good.err


def test_columns_are_chosen_by_patterns(consensa, blobs, write):
    frame = blobs.assign(q1=1.5, q2=range(30)).drop(columns=["code", "group"])
    path = write("wide.csv", frame.to_csv(index=False))
    expected = labels(consensa("cluster", path, "-k", 3, "--drop", "q*"))
    assert adjusted_rand_score(blobs.group, expected) == 1
    chosen = labels(consensa("cluster", path, "-k", 3, "--columns", "[xy]"))
    np.testing.assert_array_equal(chosen, expected)
    done = consensa("cluster", path, "-k", 3, "--drop", "r*")
    assert done.status == 2
    assert "--drop must name a column" in done.err


def test_generator_scale_and_components_are_those_of_python(consensa, blobs, write):
    frame = blobs[["x", "y"]].assign(z=np.random.RandomState(1).exponential(size=30))
    path = write("three.csv", frame.to_csv(index=False))
    options = ("--scale", "log", "--pca", 2, "--partitions", 8, "--device", "cpu", "--jobs", 1)
    done = consensa("cluster", path, "-k", 4, *options)
    read = pd.read_csv(path)
    like = DiverseKinds(8, scaling="log", pca_components=2)
    np.testing.assert_array_equal(
        labels(done), cluster(read, 4, generator=like, random_state=0).labels
    )
    done = consensa("cluster", path, "-k", 3, "--generator", "randomkmeans", "--partitions", 5)
    expected = cluster(read, 3, generator=RandomKMeans(5), random_state=0).labels
    np.testing.assert_array_equal(labels(done), expected)
    for asked, said in (
        (("--generator", "RandomKMean"), "Did you mean 'RandomKMeans'?"),
        (("--generator", "RandomKMeans", "--pca", "2"), "--pca is not available with"),
        (("--generator", "RandomKMeans", "--device", "cpu"), "--device is not available with"),
        (("--device", "tpu"), "--device"),
    ):
        done = consensa("cluster", path, "-k", 3, *asked)
        assert done.status == 2
        assert said in done.err


def test_standard_input_and_sheets(consensa, blobs, write, monkeypatch):
    rows = [["x", "y"], *blobs[["x", "y"]].to_numpy().tolist()]
    book = xlsx({"notes": [["a", "b"], [1, 2]], "data": rows})
    done = consensa("cluster", write("book.xlsx", book), "-k", 3, "--sheet", "data")
    assert adjusted_rand_score(blobs.group, labels(done)) == 1
    text = blobs[["x", "y"]].to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    done = consensa("cluster", "-", "-k", 3)
    assert adjusted_rand_score(blobs.group, labels(done)) == 1
    assert "standard input: CSV, 30 rows" in done.err


def test_partitions_in_rows_are_questioned_and_can_be_turned(consensa, write):
    runs = np.repeat([[0], [1]], 40, axis=0).T
    header = ",".join(f"s{i}" for i in range(80))
    lines = [",".join(map(str, run)) for run in np.repeat(runs, 3, axis=0)]
    path = write("runs.csv", "\n".join([header, *lines, ""]))
    done = consensa("combine", path, "-k", 1)
    assert "has 3 rows and 80 columns: are the samples in its columns?" in done.err
    done = consensa("combine", path, "-k", 2, "--transpose")
    assert len(labels(done)) == 80
    assert "are the samples" not in done.err


def test_an_inspection_ends_with_the_command_to_run(consensa, blobs, write):
    blobs.loc[3, "x"] = np.nan
    path = write("people.csv", blobs.to_csv(index=False))
    done = consensa("inspect", path)
    assert done.status == 0
    for said in ("Columns", "code", "id", "1 missing value was filled", "x  ", "median"):
        assert said in done.out
    last = done.out.strip().splitlines()[-1]
    assert last == f"Next: consensa cluster {path} -k auto --id code -o labels.csv"


def test_an_inspection_says_that_more_columns_have_outliers(consensa, write):
    values = np.random.default_rng(0).normal(size=(40, 10)).round(3)
    values[0] = 1e3
    path = write("far.csv", pd.DataFrame(values).add_prefix("v").to_csv(index=False))
    assert "'v6' 1, 'v7' 1 and in 2 more columns." in consensa("inspect", path).out


def test_the_command_to_run_waits_for_corrections_and_names_the_id(consensa, blobs, write):
    texts = blobs.assign(z=blobs.x * blobs.y).astype(object)
    texts.loc[3, "x"], texts.loc[5, "y"] = "?", "lost"
    path = write("people.csv", texts.to_csv(index=False))
    done = consensa("inspect", path, "--drop", "group")
    assert " code    id " in done.out
    last = done.out.strip().splitlines()[-1]
    command = f"consensa cluster {path} -k auto --drop group --id code -o labels.csv"
    assert last == f"Next, when this is corrected: {command}"
    done = consensa("inspect", path, "--drop", "group", "--na", "?", "--na", "lost")
    assert "\nNext: consensa cluster" in done.out


def test_the_command_to_run_reads_the_file_in_the_same_way(consensa, blobs, write):
    text = blobs.to_csv(index=False, sep="|").replace("green", "n.v.")
    path = write("my table.csv", text.encode("utf-16-le"))
    given = ["--encoding", "utf-16-le", "--separator", "|", "--decimal", ".", "--na", "n.v.",
             "--header", "--id", "code", "--drop", "gro*", "--keep", "x", "--missing", "drop",
             "--dates"]  # fmt: skip
    done = consensa("inspect", path, *given)
    assert done.status == 0, done.err
    _, command = done.out.strip().splitlines()[-1].split("Next: consensa ")
    words = shlex.split(command)
    assert words[:4] == ["cluster", str(path), "-k", "auto"]
    assert words[-2:] == ["-o", "labels.csv"]
    asked = words[4:-2]
    assert len(asked) == len(given)
    assert sorted(asked) == sorted(given)
    tabs = consensa("inspect", write("t.txt", blobs.to_csv(index=False, sep="\t")),
                    "--separator", "tab", "--no-header")  # fmt: skip
    assert "--separator tab --no-header" in tabs.out or "--no-header --separator tab" in tabs.out


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (["1 234.5", "2 000.25", "500.5"], "thousands in 'y'"),
        (["1.234,5", "2.000,25", "500,5"], "decimal comma, thousands in 'y'"),
        (["1'234.5", "2'000.25", "500.5"], "thousands in 'y'"),
        (["1234.5", "2000.25", "500.5"], None),
    ],
    ids=["spaces", "German", "Swiss", "none"],
)
def test_marks_between_thousands_are_said(consensa, write, entries, said):
    lines = [f"{place};{entry}" for place, entry in enumerate(entries)]
    done = consensa("inspect", write("t.csv", "\n".join(["x;y", *lines, ""])))
    assert done.status == 0
    assert ("thousands in" in done.err) == (said is not None)
    assert said is None or said in done.err


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("# measured in 2024\n# by hand\n", "line 3 has 2 fields, and the lines above it have 1"),
        ("Sales,\n,\n", "line 3 holds 'x', 'y' where all other rows hold numbers"),
    ],
    ids=["comments", "title"],
)
def test_lines_above_the_table_are_named(consensa, write, above, said):
    rows = "".join(f"{i},{2 * i}.5\n" for i in range(12))
    done = consensa("cluster", write("t.csv", f"{above}x,y\n{rows}"), "-k", 2)
    assert done.status == 2
    assert said in done.err.replace("Line", "line")
    assert "Remove the lines above" in done.err
    assert done.err.count("Correct it") == 0


def test_text_in_an_unknown_encoding_asks_for_its_name(consensa, write):
    path = write("dos.csv", "gr\u00fc\u00dfe,y\n1,2\n3,4\n".encode("cp437"))
    done = consensa("cluster", path, "-k", 1)
    assert done.status == 2
    assert "Name its encoding with --encoding" in done.err
    assert consensa("inspect", path, "--encoding", "cp437").status == 0


def test_an_inspection_lists_what_must_be_corrected(consensa, write):
    path = write("bad.csv", "x,y\n1,2\n?,3\n3,4\n")
    done = consensa("inspect", path)
    assert done.status == 0
    assert "To correct: Column 'x' has 2 numbers, but also '?' in line 3" in done.out
