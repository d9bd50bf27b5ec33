"""What the commands write besides labels: the user's table, profiles, models, other formats."""

from __future__ import annotations

import io

import anndata
import numpy as np
import pandas as pd
import pytest

import consensa as cs
from consensa.cli._columns import Chosen
from consensa.cli._outputs import Outputs, Samples
from consensa.tables.table import Table

COLUMNS = ["cluster", "confidence", "rival", "rival_share", "outlier"]
QUICK = ("--partitions", 6, "--jobs", 1)


def test_the_columns_are_those_of_the_library(consensa, blobs_csv, tmp_path):
    labels = tmp_path / "labels.csv"
    consensa(
        "cluster", blobs_csv, "-k", 3, "--id", "code", "--drop", "group", *QUICK, "-o", labels
    )
    X = pd.read_csv(blobs_csv)[["x", "y"]]
    result = cs.cluster(X, 3, generator=cs.DiverseKinds(6), random_state=0)
    expected = cs.sample_table(result, X).round(6)
    found = pd.read_csv(labels, dtype={"rival": "Int64"})
    pd.testing.assert_frame_equal(found[COLUMNS], expected)


def test_append_keeps_every_cell_of_the_table_as_it_is_written(consensa, write, tmp_path):
    rows = [f"00{i};{i % 2 * 90}.10;  {i % 7}.0;x,y" for i in range(20)]
    path = write("table.csv", "\n".join(["code;a;b;cluster", *rows]))
    out = tmp_path / "out.csv"
    done = consensa("cluster", path, "-k", 2, "--drop", "code", "--drop", "cluster", *QUICK,
                    "--append", "-o", out)  # fmt: skip
    assert done.status == 0, done.err
    found = pd.read_csv(out, dtype=str)
    assert list(found) == ["code", "a", "b", "cluster", "cluster_2", *COLUMNS[1:]]
    assert found.code[3] == "003"
    assert found.a[1] == "90.10"
    assert set(found.cluster) == {"x,y"}
    assert set(found.cluster_2) == {"0", "1"}


def test_a_table_with_row_names_keeps_them(consensa, write):
    rows = [f"s{i},{i % 2 * 90}.5,{i % 7}" for i in range(12)]
    done = consensa(
        "cluster", write("t.csv", "\n".join([",a,b", *rows])), "-k", 2, *QUICK, "--append"
    )
    lines = done.out.splitlines()
    assert lines[0] == ",a,b," + ",".join(COLUMNS)
    assert lines[2].startswith("s1,90.5,1,1,")


def test_append_to_a_square_transposed_table_names_the_samples(consensa, write):
    names = [f"p{sample}" for sample in range(12)]
    values = [[(sample % 2 * 90 + gene) / 2 for sample in range(12)] for gene in range(12)]
    rows = [f"g{gene}," + ",".join(map(str, own)) for gene, own in enumerate(values)]
    path = write("genes.csv", "\n".join([",".join(["gene", *names]), *rows]))
    done = consensa("cluster", path, "-k", 2, "--transpose", *QUICK, "--append")
    found = pd.read_csv(io.StringIO(done.out))
    assert list(found) == ["Unnamed: 0", *(f"g{gene}" for gene in range(12)), *COLUMNS]
    assert found.iloc[:, 0].tolist() == names
    assert found.g0.tolist() == values[0]
    assert found.cluster.tolist() == [0, 1] * 6


@pytest.mark.parametrize("ending", [".parquet", ".h5ad"])
def test_append_numbers_names_that_occur_twice(consensa, write, tmp_path, ending):
    rows = [f"s{i},{i % 2 * 90}.5,{i % 7}" for i in range(12)]
    path = write("twice.csv", "\n".join(["name,a,a", *rows]))
    out = tmp_path / f"out{ending}"
    given = ["-k", 2, "--id", "name", *QUICK, "--append", "-o", out]
    done = consensa("cluster", path, *given)
    assert done.status == 0, done.err
    found = pd.read_parquet(out) if ending == ".parquet" else anndata.read_h5ad(out).obs
    assert list(found)[-7:] == ["a", "a.1", *COLUMNS]


def test_append_leaves_labels_whole_numbers_beside_rows_without_one(consensa, write, tmp_path):
    rows = [f"{i % 2 * 90}.5,{i % 7}" for i in range(12)]
    path = write("gaps.csv", "\n".join(["a,b", *rows[:6], ",", *rows[6:]]))
    out = tmp_path / "out.csv"
    done = consensa("cluster", path, "-k", 2, *QUICK, "--append", "-o", out)
    assert done.status == 0, done.err
    found = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert found.cluster.tolist() == ["0", "1"] * 3 + [""] + ["0", "1"] * 3
    assert found.outlier[6] == ""


def test_profiles_are_those_of_the_library_and_called_descriptive(consensa, blobs_csv, tmp_path):
    out = tmp_path / "profiles.csv"
    done = consensa("cluster", blobs_csv, "-k", 3, "--id", "code", *QUICK, "--profiles", out,
                    "-o", tmp_path / "labels.csv")  # fmt: skip
    table = pd.read_csv(blobs_csv)
    labels = pd.read_csv(tmp_path / "labels.csv").cluster
    expected = cs.cluster_profiles(table[["x", "y", "group"]], labels.to_numpy())
    found = pd.read_csv(out)
    assert list(found) == list(expected)
    assert list(found.feature) == list(expected.feature)
    np.testing.assert_allclose(found.effect, expected.effect, rtol=1e-5)
    assert "Profiles are descriptive." in done.err


def test_a_workbook_holds_the_columns(consensa, blobs_csv, tmp_path):
    pytest.importorskip("openpyxl")
    out = tmp_path / "labels.xlsx"
    done = consensa(
        "cluster", blobs_csv, "-k", 3, "--id", "code", "--drop", "group", *QUICK, "-o", out
    )
    assert done.status == 0, done.err
    found = pd.read_excel(out, dtype={"code": str})
    assert list(found) == ["code", *COLUMNS]
    assert found.code[7] == "007"
    assert found.confidence.between(0, 1).all()


def test_an_h5ad_file_holds_the_columns_as_scanpy_expects_them(consensa, blobs_csv, tmp_path):
    out = tmp_path / "labels.h5ad"
    done = consensa(
        "cluster", blobs_csv, "-k", 3, "--id", "code", "--drop", "group", *QUICK, "-o", out
    )
    assert done.status == 0, done.err
    obs = anndata.read_h5ad(out).obs
    assert list(obs) == COLUMNS
    assert obs.index[7] == "007"
    assert isinstance(obs.cluster.dtype, pd.CategoricalDtype)
    assert list(obs.cluster.cat.categories) == ["0", "1", "2"]


def test_results_are_added_to_an_anndata_object(tmp_path):
    own = pd.DataFrame({"batch": list("aab"), "cluster": list("uvw")}, index=list("xyz"))
    given = anndata.AnnData(np.eye(3), obs=own)
    given.write_h5ad(tmp_path / "cells.h5ad")
    result = cs.combine([[0, 0], [0, 0], [1, 1]], 2)
    table = Table(tmp_path / "cells.h5ad", pd.DataFrame(np.eye(3)))
    chosen = Chosen(None, None, list("xyz"), "sample")
    outputs = Outputs(tmp_path / "out.h5ad", append=True)
    outputs.write_labels(result, None, Samples(chosen, table))
    written = anndata.read_h5ad(tmp_path / "out.h5ad")
    assert list(written.obs) == ["batch", "cluster", "cluster_2", *COLUMNS[1:]]
    assert written.obs.cluster.tolist() == list("uvw")
    assert written.obs.cluster_2.tolist() == ["0", "0", "1"]
    np.testing.assert_array_equal(written.X, np.eye(3))


def test_a_saved_model_labels_new_rows_at_the_prompt(consensa, blobs_csv, blobs, tmp_path):
    model, labels = tmp_path / "model.npz", tmp_path / "labels.csv"
    done = consensa("cluster", blobs_csv, "-k", 3, "--id", "code", "--drop", "group", *QUICK,
                    "--save", model, "-o", labels)  # fmt: skip
    assert f"Model written to {model}" in done.err
    new = blobs[["y", "code", "x", "group"]].copy()  # another order, and more columns
    new.loc[3, "y"] = np.nan
    new.loc[4, ["x", "y"]] = [500.0, -500.0]
    new.to_csv(tmp_path / "new.csv", index=False)
    done = consensa(
        "predict", model, tmp_path / "new.csv", "--id", "code", "-o", tmp_path / "p.csv"
    )
    assert done.status == 0, done.err
    assert "30 samples labeled, 1 outlier" in done.err
    assert "1 missing value filled as in the fit" in done.err
    found, fitted = pd.read_csv(tmp_path / "p.csv", dtype={"code": str}), pd.read_csv(labels)
    assert list(found) == ["code", *COLUMNS]
    assert list(found.code) == list(blobs.code)
    same = np.setdiff1d(np.arange(30), [3, 4])
    np.testing.assert_array_equal(found.cluster[same], fitted.cluster[same])
    assert np.flatnonzero(found.outlier).tolist() == [4]
    appended = consensa("predict", model, tmp_path / "new.csv", "--append")
    assert appended.out.splitlines()[0] == "y,code,x,group," + ",".join(COLUMNS)


def test_a_model_of_partitions_labels_new_rows_of_the_matrix(consensa, write, tmp_path):
    runs = "name,p,q\na,0,u\nb,0,u\nc,1,v\nd,1,v\n"
    done = consensa("combine", write("runs.csv", runs), "-k", 2, "--id", "name",
                    "--save", tmp_path / "m.npz")  # fmt: skip
    assert done.status == 0, done.err
    done = consensa("predict", tmp_path / "m.npz", write("new.csv", "q,p\nv,1\nu,0\n"))
    assert [line.split(",")[1] for line in done.out.splitlines()[1:]] == ["1", "0"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--profiles", "nowhere/p.csv"), "--profiles must be in a folder that exists"),
        (("--report", "nowhere/p.html"), "--report must be in a folder that exists"),
        (("--save", "nowhere/m.npz"), "--save must be in a folder that exists"),
        (("--save", "model.pkl"), "--save must end in .npz"),
        (("--profiles", "p.html"), "--profiles must end in .csv"),
        (("-o", "a.csv", "--profiles", "a.csv"), "--profiles must be a separate file"),
    ],
)
def test_files_that_cannot_be_written_are_noticed_before_the_work(
    consensa, tmp_path, monkeypatch, options, said
):
    monkeypatch.chdir(tmp_path)
    done = consensa("cluster", "no such file.csv", "-k", 3, *options)
    assert done.status == 2
    assert said in done.err  # and not that there is no such file


@pytest.mark.parametrize(
    ("model", "new", "said"),
    [
        ("none.npz", "x,y\n1,2\n", "MODEL must exist"),
        ("table.csv", "x,y\n1,2\n", "must be a model written by"),
        ("model.npz", "x,z\n1,2\n3,4\n", "Missing: y"),
    ],
)
def test_what_cannot_be_predicted_is_named(consensa, write, tmp_path, model, new, said):
    write("table.csv", "a\n1\n")
    X = pd.DataFrame({"x": [0.0, 1, 9, 8], "y": [1.0, 0, 9, 9]})
    fitted = cs.EAC(2, generator=cs.RandomKMeans(2), random_state=0).fit(X)
    cs.save_model(fitted, tmp_path / "model.npz", X=X)
    done = consensa("predict", tmp_path / model, write("new.csv", new))
    assert done.status == 2
    assert said in done.err


def test_profiles_of_distances_are_refused_before_any_work(consensa, write, tmp_path):
    path = write("distances.csv", "a,b,c\n0,1,2\n1,0,2\n2,2,0\n")
    labels = tmp_path / "labels.csv"
    done = consensa("cluster", path, "-k", 2, "--metric", "precomputed", "-o", labels,
                    "--profiles", tmp_path / "profiles.csv")  # fmt: skip
    assert done.status == 2
    assert "--profiles describes clusters by features" in done.err
    assert not labels.exists()


def test_profiles_are_written_with_few_digits(consensa, blobs_csv, tmp_path):
    path = tmp_path / "profiles.csv"
    done = consensa("cluster", blobs_csv, "-k", 3, "--id", "code", "--truth", "group",
                    "--partitions", 8, "--profiles", path, "-o", tmp_path / "l.csv")  # fmt: skip
    assert done.status == 0, done.err
    written = pd.read_csv(path, dtype=str)
    for name in ("inside", "outside", "effect", "low", "high", "p_value"):
        digits = [
            len(entry.split("e")[0].lstrip("-0.").replace(".", "")) for entry in written[name]
        ]
        assert max(digits) <= (3 if name == "p_value" else 6), written[name].tolist()
    small = [entry for entry in written.p_value if float(entry) < 1e-4]
    assert small
    assert all("e-" in entry for entry in small)
    frame = pd.read_csv(blobs_csv)
    inside = pd.read_csv(tmp_path / "l.csv").cluster == int(written.cluster[0])
    mean = frame.loc[inside, written.feature[0]].mean()
    assert float(written.inside[0]) == pytest.approx(mean, rel=1e-5)
