"""``consensa combine``: a label matrix in, labels out."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

from consensa import Ensemble


def clusters(done):
    assert done.status == 0, done.err
    return list(pd.read_csv(io.StringIO(done.out)).cluster)


def test_partitions_of_any_kind_are_combined(consensa, write):
    path = write("runs.csv", "name,p,q,r\na,0,u,x\nb,0,u,\nc,1,v,y\nd,-1,v,y\n")
    done = consensa("combine", path, "-k", 2, "--id", "name")
    assert clusters(done) == [0, 0, 1, 1]
    assert done.out.splitlines()[1] == "a,0"


def test_the_truth_is_set_aside_and_scored(consensa, write):
    path = write("runs.csv", "p,q,truth\n0,0,m\n0,0,m\n1,1,n\n1,1,n\n")
    done = consensa("combine", path, "-k", 2, "--truth", "truth")
    assert clusters(done) == [0, 0, 1, 1]
    assert "2 partitions" in done.err
    assert "1.000" in done.err


def test_files_of_ensemble_save_are_read_with_their_names(consensa, tmp_path):
    frame = pd.DataFrame({"p": [0, 0, 1], "q": [0, 0, 1]}, index=["a", "b", "c"])
    Ensemble.from_labels(frame).save(tmp_path / "runs.npz")
    done = consensa("combine", tmp_path / "runs.npz", "-k", 2, "--drop", "q")
    assert done.out.split() == ["sample,cluster", "a,0", "b,0", "c,1"]
    assert "1 partitions" in done.err


def test_a_matrix_of_numpy_is_read(consensa, tmp_path):
    np.save(tmp_path / "runs.npy", [[0, 0], [0, 0], [1, 1], [-1, 1]])
    assert clusters(consensa("combine", tmp_path / "runs.npy", "-k", 2)) == [0, 0, 1, 1]
