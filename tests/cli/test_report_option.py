"""``--report``: a page of what was done, written after the labels."""

from __future__ import annotations

import html
import re

import dask
import numpy as np
import pandas as pd
import pytest

import consensa as library
from consensa.cli import _sampled_page


def python_lines(page):
    code = re.search(r'<pre id="python"[^>]*><code>(.*?)</code>', page.read_text(), re.DOTALL)
    return html.unescape(code[1])


def executed(page):
    """Labels that the Python lines of a page give."""
    known = {}
    exec(python_lines(page), known)
    return np.asarray(known["labels"])


@pytest.fixture
def here(tmp_path, monkeypatch, undrawn):
    """The folder of the files, as the command and the lines see it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_cluster_writes_labels_and_a_page(consensa, blobs_csv, here):
    done = consensa(
        "cluster", "blobs.csv", "-k", 3, "--id", "code", "--truth", "group", "--seed", 4,
        "-o", "labels.csv", "--report", "page.html",
    )  # fmt: skip
    text = (here / "page.html").read_text()
    assert done.status == 0
    assert "Report written to page.html" in done.err
    assert "3 clusters in 30 samples" in text
    assert "consensa cluster blobs.csv -k 3 --id code --truth group --seed 4" in text
    assert ">007<" in text  # by the names of --id
    assert "<dt>acc</dt><dd>1.000</dd>" in text
    assert ">known classes</option>" in text  # to compare with
    assert '"names_title":"code"' in text  # as in the file of labels
    assert str(here) not in text
    labels = pd.read_csv("labels.csv").cluster
    np.testing.assert_array_equal(executed(here / "page.html"), labels)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt", ".parquet", ".npy", ".npz"])
def test_the_python_lines_read_every_kind_of_file(consensa, blobs, here, ending):
    features = blobs[["x", "y"]]
    path = here / f"my 'blobs'{ending}"
    options = []
    if ending == ".npy":
        np.save(path, features.to_numpy())
    elif ending == ".npz":
        np.savez(path, X=features.to_numpy(), other=np.ones((2, 2)))
    elif ending == ".parquet":
        features.set_axis(blobs.code).to_parquet(path)
    elif ending == ".tsv":
        features.to_csv(path, sep="\t", index=False, header=False)
        options = ["--no-header", "--drop", "1"]
    else:
        features.to_csv(path, sep={".csv": ";"}.get(ending, " "))
    done = consensa("cluster", path.name, "-k", 3, "--report", "page.html", *options)
    labels = [int(line.rsplit(",", 5)[1]) for line in done.out.splitlines()[1:]]
    np.testing.assert_array_equal(executed(here / "page.html"), labels)


def test_the_python_lines_read_words(consensa, blobs_csv, here):
    done = consensa("cluster", "blobs.csv", "-k", 3, "--id", "code", "--report", "page.html")
    labels = [int(line.rsplit(",", 5)[1]) for line in done.out.splitlines()[1:]]
    np.testing.assert_array_equal(executed(here / "page.html"), labels)


@pytest.mark.parametrize("ending", [".csv", ".npz", "-drop.npz", "folder"])
def test_the_python_lines_of_combine_give_its_labels(consensa, planted, here, ending):
    labels = planted[0].astype(object)
    labels[3, 2] = labels[7, 0] = None
    frame = pd.DataFrame(labels, columns=[f"run {j}" for j in range(8)])
    frame["who"] = [f"s{i}" for i in range(60)]
    options = ["--drop", "run 1", "--id", "who"]
    path = here / f"runs{ending}"
    if ending == ".csv":
        frame.to_csv(path, index=False)
    elif ending == "folder":
        path.mkdir()
        frame.to_parquet(path / "part.parquet")
    else:
        library.Ensemble.from_labels(frame.drop(columns="who")).save(path)
        options = ["--drop", "run 1"] if "drop" in ending else []
    done = consensa(
        "combine", path.name, "-k", 3, "-m", "sec", "--option", "n_init=3", "-o", "out.csv",
        "--report", "page.html", *options,
    )  # fmt: skip
    assert done.status == 0, done.err
    np.testing.assert_array_equal(executed(here / "page.html"), pd.read_csv("out.csv").cluster)


def test_a_number_that_was_chosen_brings_its_evidence(consensa, blobs_csv, here):
    done = consensa(
        "cluster", "blobs.csv", "-k", "2-4", "--id", "code", "--drop", "group", "-o", "out.csv",
        "--report", "page.html",
    )  # fmt: skip
    assert done.status == 0
    text = (here / "page.html").read_text()
    assert "Number of clusters" in text
    assert "3 clusters, " in text
    assert "select_n_clusters(X, range(2, 5), random_state=0)" in python_lines(here / "page.html")
    np.testing.assert_array_equal(executed(here / "page.html"), pd.read_csv("out.csv").cluster)


def test_the_order_of_the_rows_is_the_first_warning(consensa, planted, here):
    pd.DataFrame(planted[0]).to_csv("runs.csv", index=False)
    done = consensa(
        "combine", "runs.csv", "--header", "-k", 3, "-m", "lta", "-o", "out.csv",
        "--report", "page.html",
    )  # fmt: skip
    assert "Warning: The order of the rows is related" in done.err
    first = re.search(
        r'<ul class="remarks">\s*<li><strong>(.*?)</strong>', (here / "page.html").read_text()
    )
    assert first[1] == "The result depends on the order of the rows"


def test_what_was_warned_of_on_the_screen_is_on_the_page(consensa, planted, here):
    pd.DataFrame(planted[0]).to_csv("runs.csv", index=False)
    done = consensa(
        "combine", "runs.csv", "--header", "-k", 3, "-m", "lta", "--option", "penalty=1e-5",
        "-o", "out.csv", "--report", "page.html",
    )  # fmt: skip
    assert "refined matrix is nearly constant" in done.err
    text = (here / "page.html").read_text()
    assert "With penalty=1e-05 the refined matrix is nearly constant" in text


@pytest.fixture
def full_disk(monkeypatch):
    """The disk becomes full between the labels and the page."""

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("consensa.cli._page.write_report", full)


def test_a_page_that_cannot_be_written_leaves_the_labels_written(
    consensa, blobs_csv, here, full_disk
):
    done = consensa(
        "cluster", "blobs.csv", "-k", 3, "--id", "code", "--drop", "group", "-o", "out.csv",
        "--report", "page.html",
    )  # fmt: skip
    assert done.status == 2
    assert "could not be written" in done.err
    assert "The labels were written before." in done.err
    assert len(pd.read_csv("out.csv")) == 30


def test_a_page_that_cannot_be_written_leaves_the_labels_on_stdout(
    consensa, blobs_csv, here, full_disk
):
    done = consensa(
        "cluster", "blobs.csv", "-k", 3, "--id", "code", "--drop", "group",
        "--report", "page.html",
    )  # fmt: skip
    assert done.status == 2
    assert len(done.out.splitlines()) == 31


def test_a_page_never_takes_the_place_of_data_or_labels(consensa, blobs_csv, here):
    before = blobs_csv.read_bytes()
    (here / "data.html").symlink_to("blobs.csv")
    (here / "labels.html").symlink_to("a.csv")
    common = ("cluster", "blobs.csv", "-k", 3, "--id", "code", "--drop", "group")
    assert "is also the input" in consensa(*common, "--report", "./data.html").err
    assert "is also --output" in consensa(*common, "-o", "a.csv", "--report", "labels.html").err
    assert blobs_csv.read_bytes() == before
    assert not (here / "a.csv").exists()


def test_scripts_in_file_names_columns_and_labels_stay_text(consensa, here):
    nasty = "<script>alert(1)<!--"
    frame = pd.DataFrame({f"{nasty}{j}": [f"{nasty}{i // 3}" for i in range(6)] for j in range(3)})
    frame["who"] = [f"{nasty}{i}" for i in range(6)]
    path = here / f"{nasty}.csv"
    frame.to_csv(path, index=False)
    done = consensa(
        "combine", path.name, "-k", 2, "--id", "who", "-o", "out.csv", "--report", "page.html"
    )
    assert done.status == 0
    assert nasty not in (here / "page.html").read_text()
    np.testing.assert_array_equal(executed(here / "page.html"), pd.read_csv("out.csv").cluster)


def test_a_cluster_of_machines_has_a_page_of_a_sample(consensa, planted, here, monkeypatch):
    np.save("runs.npy", planted[0])
    asked = ("combine", "runs.npy", "-k", 3, "--engine", "dask", "--report", "page.html")
    with dask.config.set(scheduler="synchronous"):
        done = consensa(*asked)
        whole = here.joinpath("page.html").read_text()
        monkeypatch.setattr(_sampled_page, "_MOST", 9)
        again = consensa(*asked)
    assert done.status == again.status == 0, done.err + again.err
    assert "drawn by a hash of their values" not in whole
    page = here.joinpath("page.html").read_text()
    assert f"3 clusters in {len(planted[0])} samples" in page
    assert f"shows 9 of {len(planted[0])} samples" in page
