"""``consensa predict`` reads new files as ``consensa cluster`` reads those of the fit."""

from __future__ import annotations

import io

import anndata
import numpy as np
import pandas as pd
import pytest
from workbooks import xlsx


@pytest.fixture
def fitted(consensa, blobs, tmp_path):
    """A model of two columns of numbers and one of dates, and its table."""
    frame = blobs.drop(columns="group")
    days = (frame.x - frame.x.min()).round().astype(int)
    frame["since"] = (pd.Timestamp("2024-02-01") + pd.to_timedelta(days, unit="D")).dt.strftime(
        "%d.%m.%Y"
    )
    frame.to_csv(tmp_path / "fit.csv", index=False)
    model = tmp_path / "model.npz"
    done = consensa("cluster", tmp_path / "fit.csv", "-k", 3, "--id", "code", "--dates",
                    "--partitions", 8, "--save", model)  # fmt: skip
    assert done.status == 0, done.err
    frame["cluster"] = pd.read_csv(io.StringIO(done.out)).cluster
    return model, frame


def predicted(done):
    assert done.status == 0, done.err
    return pd.read_csv(io.StringIO(done.out))


def test_dates_are_counted_from_the_first_date_of_the_fit(consensa, fitted, tmp_path):
    model, frame = fitted
    late = frame.sort_values("x").tail(8)  # its first date is not that of the fit
    late.drop(columns="cluster").to_csv(tmp_path / "late.csv", index=False)
    found = predicted(consensa("predict", model, tmp_path / "late.csv"))
    assert found.cluster.tolist() == late.cluster.tolist()
    assert not found.outlier.any()
    written = late.assign(since=pd.to_datetime(late.since, format="%d.%m.%Y"))  # ISO, not German
    written.to_csv(tmp_path / "iso.csv", index=False)
    again = predicted(consensa("predict", model, tmp_path / "iso.csv"))
    pd.testing.assert_frame_equal(again, found)


def test_append_adds_the_labels_to_an_anndata_object(consensa, blobs, tmp_path):
    cells = anndata.AnnData(
        blobs[["x", "y"]].to_numpy(),
        obs=pd.DataFrame({"batch": blobs.group.to_numpy()}, index="c" + blobs.code),
    )
    cells.write_h5ad(tmp_path / "cells.h5ad")
    files = (tmp_path / "model.npz", tmp_path / "cells.h5ad")
    done = consensa("cluster", files[1], "-k", 3, "--partitions", 8, "--save", files[0])
    expected = predicted(done).cluster.astype(str).tolist()
    out = tmp_path / "out.h5ad"
    assert consensa("predict", *files, "--append", "-o", out).status == 0
    written = anndata.read_h5ad(out)
    np.testing.assert_array_equal(written.X, cells.X)
    assert list(written.obs)[:2] == ["batch", "cluster"]
    assert written.obs.cluster.tolist() == expected


def test_an_entry_that_is_no_date_is_named(consensa, fitted, write):
    model, _ = fitted
    done = consensa("predict", model, write("new.csv", "x,y,since\n1,2,soon\n3,4,late\n"))
    assert done.status == 2
    assert "Column 'since' must hold dates, as in the fit" in done.err


@pytest.mark.parametrize("form", ["encoding", "separator", "decimal", "na", "transpose", "sheet"])
def test_new_rows_are_read_with_the_options_of_cluster(consensa, fitted, tmp_path, form):
    model, frame = fitted
    new = frame.iloc[::6].drop(columns="cluster")
    plain = tmp_path / "plain.csv"
    new.to_csv(plain, index=False)
    path, options = tmp_path / "new.csv", {
        "encoding": ["--encoding", "utf-16-le"],
        "separator": ["--separator", "%"],
        "decimal": ["--decimal", ","],
        "na": ["--na", "n.v."],
        "transpose": ["--transpose"],
        "sheet": ["--sheet", "data"],
    }[form]  # fmt: skip
    expected = predicted(consensa("predict", model, plain)).drop(columns="sample")
    if form == "encoding":
        path.write_bytes(new.to_csv(index=False).encode("utf-16-le"))
    elif form == "separator":
        new.to_csv(path, index=False, sep="%")
    elif form == "decimal":
        new.round(3).to_csv(path, index=False, sep=";", decimal=",")
    elif form == "na":
        new.assign(y=["n.v.", *new.y[1:]]).to_csv(path, index=False)
    elif form == "transpose":
        new.set_index("code").T.to_csv(path)
    else:
        path = tmp_path / "new.xlsx"
        rows = [list(new.columns), *new.to_numpy().tolist()]
        path.write_bytes(xlsx({"info": [["a"], [1]], "data": rows}))
    done = consensa("predict", model, path, *options)
    found = predicted(done).drop(columns="sample")
    if form == "na":
        assert "1 missing value filled as in the fit" in done.err
    else:
        pd.testing.assert_series_equal(found.cluster, expected.cluster)
    assert "5 rows" in done.err  # what was recognized is said


def test_entries_that_are_no_numbers_are_named_with_their_lines(consensa, fitted, tmp_path):
    model, frame = fitted
    new = frame.head(8).drop(columns="cluster").astype({"y": object})
    new.loc[3, "y"] = "?"
    new.to_csv(tmp_path / "new.csv", index=False)
    done = consensa("predict", model, tmp_path / "new.csv")
    assert done.status == 2
    assert "Column 'y' has 7 numbers, but also '?' in line 5. Correct it, or use --na" in done.err
    assert "--drop" not in done.err
    filled = consensa("predict", model, tmp_path / "new.csv", "--na", "?")
    assert np.all(predicted(filled).cluster == frame.cluster.head(8))


def test_an_id_that_is_no_column_is_told_the_columns(consensa, fitted, tmp_path):
    model, frame = fitted
    frame.head(8).to_csv(tmp_path / "new.csv", index=False)
    done = consensa("predict", model, tmp_path / "new.csv", "--id", "cod")
    assert done.status == 2
    assert "Got 'cod'. Did you mean 'code'? Columns:" in done.err
