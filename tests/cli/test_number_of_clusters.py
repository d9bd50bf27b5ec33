"""``-k auto`` and ``-k 2-20``: the number is chosen, shown and used."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from consensa import RandomKMeans


def clusters(done):
    return pd.read_csv(io.StringIO(done.out)).cluster.nunique()


def test_auto_finds_the_three_groups_and_shows_the_evidence(consensa, blobs_csv):
    done = consensa("cluster", blobs_csv, "-k", "auto", "--id", "code", "--truth", "group")
    assert done.status == 0
    assert clusters(done) == 3
    for said in ("Number of clusters", "evidence", "stability", "3 clusters, and this is clear"):
        assert said in done.err


def test_a_range_of_candidates_for_partitions_that_are_there(consensa, blobs, tmp_path):
    codes = RandomKMeans(12).generate(blobs[["x", "y"]].to_numpy(), random_state=0).codes
    path = tmp_path / "runs.csv"
    pd.DataFrame(codes, columns=[f"run{j}" for j in range(12)]).to_csv(path, index=False)
    done = consensa("combine", path, "-k", "2-4")
    assert done.status == 0
    assert clusters(done) == 3
    assert "3 clusters, which" in done.err


def test_noise_is_one_cluster(consensa, tmp_path):
    path = tmp_path / "noise.npy"
    np.save(path, np.random.RandomState(0).normal(size=(120, 3)))
    done = consensa("cluster", path, "-k", "2-5")
    assert clusters(done) == 1
    assert "One cluster: the data do not stand out" in done.err


@pytest.mark.parametrize("command", ["cluster", "combine"])
@pytest.mark.parametrize("asked", ["auto", "2-5"])
def test_rows_that_are_all_equal_are_one_cluster(consensa, tmp_path, command, asked):
    path, page = tmp_path / "constant.csv", tmp_path / "page.html"
    pd.DataFrame(np.ones((30, 3), int), columns=list("abc")).to_csv(path, index=False)
    report = ["--report", page] if asked == "auto" else []
    done = consensa(command, path, "-k", asked, *report)
    assert done.status == 0
    assert clusters(done) == 1
    said = {
        "cluster": "One cluster: all samples are equal.",
        "combine": "1 cluster: every partition has one cluster.",
    }
    assert said[command] in done.err
    assert page.exists() == bool(report)


@pytest.mark.parametrize("bad", ["0", "-3", "5-2", "2-", "many", "2.5"])
def test_what_is_no_number_and_no_range_is_refused(consensa, blobs_csv, bad):
    done = consensa("cluster", blobs_csv, f"--clusters={bad}")
    assert done.status == 2
    assert "a range such as 2-20, or auto is expected" in done.err


def test_a_range_beyond_the_samples_is_refused(consensa, blobs_csv):
    done = consensa("cluster", blobs_csv, "-k", "2-31", "--drop", "code", "--drop", "group")
    assert done.status == 2
    assert "at most the number of samples, 30. Got 31" in done.err
