"""Tables of every format and encoding are read alike, and what was recognized is said."""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import lzma
import sys
import zipfile
from pathlib import Path

import anndata
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from workbooks import ods, xlsx

from consensa.exceptions import InvalidInputError, MissingExtraError
from consensa.tables.reading import read_frame, read_table, recognized
from consensa.tables.table import Request

FRAME = pd.DataFrame({"x": [1.5, -2.0, 3.25], "city": ["Köln", "Łódź", "Köln"], "n": [1, 2, 3]})
ROWS = [list(FRAME.columns), *FRAME.to_numpy(dtype=object).tolist()]
TEXT = FRAME.to_csv(index=False)
WESTERN = TEXT.replace("Łódź", "Málaga")


def read(path, **asked):
    return read_table(path, Request.of(None, None, labels=False, truth=None, row_id=None, **asked))


def binary(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def arrow_stream(buffer):
    table = pa.Table.from_pandas(FRAME)
    with pa.ipc.new_stream(buffer, table.schema) as stream:
        stream.write_table(table)


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def write(tmp_path):
    def to(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


FILES = {
    "table.csv": (TEXT, "CSV"),
    "mark.csv": (TEXT.encode("utf-8-sig"), "CSV"),
    "wide.csv": (TEXT.encode("utf-16"), "CSV, utf-16"),
    "wider.csv": (TEXT.encode("utf-32"), "CSV, utf-32"),
    "no_mark.csv": (TEXT.encode("utf-16-le"), "CSV, utf-16-le"),
    "big_end.csv": (TEXT.encode("utf-16-be"), "CSV, utf-16-be"),
    "table.tsv": (TEXT.replace(",", "\t"), "separated by tabs"),
    "table.txt": (TEXT.replace(",", " "), "separated by spaces"),
    "semicolon.csv": (TEXT.replace(",", ";"), "separated by ';'"),
    "bar.csv": (TEXT.replace(",", "|"), "separated by '|'"),
    "said.csv": ("sep=;\n" + TEXT.replace(",", ";"), "separated by ';'"),
    "mac.csv": (TEXT.replace("\n", "\r"), "CSV"),
    "table.csv.gz": (gzip.compress(TEXT.encode()), "CSV, gzip"),
    "table.csv.bz2": (bz2.compress(TEXT.encode()), "CSV, bz2"),
    "table.csv.xz": (lzma.compress(TEXT.encode()), "CSV, xz"),
    "table.csv.zst": (pa.compress(TEXT.encode(), codec="zstd", asbytes=True), "CSV, zstd"),
    "table.zip": (zipped({"data/table.csv": TEXT}), "CSV, zip"),
    "from_a_mac.csv.zip": (
        zipped({"t.csv": TEXT, "__MACOSX/._t.csv": "x", ".DS_Store": "x"}),
        "CSV, zip",
    ),
    "twice.zip": (zipped({"table.csv.gz": gzip.compress(TEXT.encode())}), "CSV, zip, gzip"),
    "book.zip": (zipped({"table.xlsx": xlsx({"Data": ROWS})}), "zip, workbook, sheet 'Data'"),
    "nameless.gz": (gzip.compress(TEXT.encode()), "CSV, gzip"),
    "packed.csv": (gzip.compress(TEXT.encode("utf-16")), "CSV, gzip, utf-16"),
    "table.xlsx": (xlsx({"Data": ROWS}), "workbook, sheet 'Data'"),
    "table.ods": (ods({"Data": ROWS}), "workbook, sheet 'Data'"),
    "table.parquet": (binary(FRAME.to_parquet), "Parquet"),
    "table.parquet.gz": (gzip.compress(binary(FRAME.to_parquet)), "gzip, Parquet"),
    "table.feather": (binary(FRAME.to_feather), "Feather"),
    "table.arrow": (binary(arrow_stream), "Arrow stream"),
    "wrong_name.csv": (xlsx({"Data": ROWS}), "workbook, sheet 'Data'"),
}


@pytest.mark.parametrize("name", FILES)
def test_every_file_holds_the_same_table(write, name):
    content, said = FILES[name]
    path = write(name, content)
    table = read(path)
    pd.testing.assert_frame_equal(table.frame, FRAME)
    kinds = "3 rows, 2 numeric columns, 1 text column"
    assert recognized(table) == f"{said}, {kinds}"
    known = {"pd": pd}
    exec(f"import consensa.tables; frame = {table.frame_code}", known)
    pd.testing.assert_frame_equal(known["frame"], FRAME)


def test_letters_of_western_windows_are_a_guess_that_is_said(write):
    path = write("old.csv", WESTERN.encode("cp1252"))
    table = read(path)
    assert list(table.frame["city"]) == ["Köln", "Málaga", "Köln"]
    assert "cp1252, a guess (--encoding)" in recognized(table)
    other = read(path, encoding="cp1250")
    assert "cp1250" in other.found
    assert "K\u0102\u013cln" not in list(other.frame["city"])


def test_an_encoding_that_nobody_knows_is_refused(write):
    with pytest.raises(InvalidInputError, match=r"--encoding must .* Got 'utf-9'"):
        read(write("table.csv", TEXT), encoding="utf-9")
    with pytest.raises(InvalidInputError, match="is not text in ascii"):
        read(write("table.csv", TEXT), encoding="ascii")


def test_standard_input_is_read_as_what_it_is(monkeypatch):
    for content, said in (
        (TEXT.encode(), "CSV"),
        (gzip.compress(TEXT.encode()), "CSV, gzip"),
        (binary(FRAME.to_parquet), "Parquet"),
        (xlsx({"Data": ROWS}), "workbook, sheet 'Data'"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        table = read(Path("-"))
        pd.testing.assert_frame_equal(table.frame, FRAME)
        assert recognized(table).startswith(said)
        assert table.name == "standard input"


def test_empty_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InvalidInputError, match="Standard input must contain a table"):
        read_frame("-")


# ---- packed


def test_a_packed_file_that_is_damaged_is_refused(write):
    whole = gzip.compress(TEXT.encode() * 100)
    with pytest.raises(InvalidInputError, match=r"cut\.csv\.gz cannot be unpacked as gzip"):
        read(write("cut.csv.gz", whole[: len(whole) // 2]))
    with pytest.raises(InvalidInputError, match="cannot be unpacked as gzip"):
        read(write("plain.csv.gz", TEXT))


def test_a_zip_file_has_one_table(write):
    two = write("two.zip", zipped({"a.csv": TEXT, "b.csv": TEXT}))
    with pytest.raises(
        InvalidInputError, match=r"one table\. It has 2 files: 'a\.csv', 'b\.csv'\."
    ):
        read(two)
    with pytest.raises(InvalidInputError, match=r"one table\. It is empty\. Unpack it"):
        read(write("none.zip", zipped({})))
    whole = zipped({"a.csv": TEXT * 100})
    for content in (whole[: len(whole) // 2], whole.replace(whole[60:70], bytes(10)), b"junk"):
        with pytest.raises(InvalidInputError, match="cannot be unpacked as ZIP"):
            read(write("cut.zip", content))


def test_arrays_in_a_zip_file_are_those_of_an_npz_file(write):
    path = write("arrays.zip", binary(lambda file: np.savez(file, X=np.eye(3), y=np.arange(3))))
    assert read(path).frame.shape == (3, 3)


def test_a_file_that_unpacks_to_more_than_the_memory_is_refused(write, monkeypatch):
    path = write("bomb.csv.gz", gzip.compress(b"x\n" + b"1\n" * 10**6))
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 10**6)
    with pytest.raises(MemoryError, match="The unpacked table"):
        read(path)


# ---- workbooks


def test_a_workbook_of_several_sheets_needs_a_choice(write):
    path = write("two.xlsx", xlsx({"notes": [["a", "b"], [1, 2]], "data": ROWS, "empty": []}))
    with pytest.raises(InvalidInputError, match=r"use --sheet to choose. .* 'notes', 'data'"):
        read(path)
    for sheet in ("data", "2"):
        pd.testing.assert_frame_equal(read(path, sheet=sheet).frame, FRAME)
    with pytest.raises(InvalidInputError, match=r"Got 'dta'. Did you mean 'data'"):
        read(path, sheet="dta")


def test_titles_empty_rows_and_empty_columns_of_a_sheet_are_skipped(write):
    rows = [["Survey 2026"], [], [None, *ROWS[0]], *([None, *row] for row in ROWS[1:3]), [],
            [None, *ROWS[3]]]  # fmt: skip
    for content in (xlsx({"S": rows}), ods({"S": rows})):
        table = read(write("titled.xlsx", content))
        pd.testing.assert_frame_equal(table.frame, FRAME)
        assert "1 title row skipped" in table.found
        assert [table.place(row) for row in range(3)] == ["row 4", "row 5", "row 7"]


def test_cells_of_a_sheet_keep_their_types(write):
    day = datetime.date(2026, 1, 2)
    rows = [["day", "yes", "text"], [day, True, "1,5"], [day, False, "2,25"], [day, True, None]]
    frame = read(write("types.xlsx", xlsx({"S": rows}))).frame
    assert frame["day"].dtype.kind == "M"
    assert frame["yes"].dtype == bool
    assert_array_equal(frame["text"], [1.5, 2.25, np.nan])


def test_a_sheet_of_numbers_alone_needs_a_word_about_its_first_row(write):
    path = write("plain.xlsx", xlsx({"S": [[1, 2], [3, 4], [5, 6]]}))
    with pytest.raises(InvalidInputError, match="Use --no-header if it is data"):
        read(path)
    asked = Request.of(False, None, labels=False, truth=None, row_id=None)
    assert read_table(path, asked).frame.to_numpy().tolist() == [[1, 2], [3, 4], [5, 6]]


def test_a_library_that_is_missing_is_named_with_its_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtraError, match=r"python_calamine.*consensa\[excel\]"):
        read(write("table.xlsx", xlsx({"S": ROWS})))
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=r"h5py.*consensa\[anndata\]"):
        read(write("cells.h5ad", b"\x89HDF\r\n\x1a\n" + bytes(100)))


# ---- single cells


@pytest.fixture
def cells():
    return anndata.AnnData(
        sparse.csr_matrix(np.arange(12.0).reshape(4, 3)),
        obs=pd.DataFrame({"leiden": list("aabb"), "other": list("xyxy")}, index=list("wxyz")),
        var=pd.DataFrame(index=["g1", "g2", "g3"]),
    )


def test_cells_of_anndata_are_samples_and_genes_are_features(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    table = read(tmp_path / "cells.h5ad")
    assert list(table.frame) == ["g1", "g2", "g3"]
    assert_array_equal(table.frame, cells.X.toarray())
    assert list(table.row_names) == list("wxyz")
    assert list(table.beside["leiden"]) == list("aabb")
    assert recognized(table) == "H5AD, matrix 'X', 4 rows, 3 numeric columns"


def test_principal_components_of_anndata_are_preferred_and_others_can_be_chosen(cells, tmp_path):
    cells.obsm["X_pca"] = np.eye(4, 2)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    assert list(read(tmp_path / "cells.h5ad").frame) == ["pca1", "pca2"]
    named = Request.of(None, "X", labels=False, truth=None, row_id=None)
    assert list(read_table(tmp_path / "cells.h5ad", named).frame) == ["g1", "g2", "g3"]
    wrong = Request.of(None, "X_pac", labels=False, truth=None, row_id=None)
    with pytest.raises(InvalidInputError, match="Did you mean 'X_pca'"):
        read_table(tmp_path / "cells.h5ad", wrong)


def test_labels_of_anndata_are_the_columns_of_its_cells(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    asked = Request.of(None, None, labels=True, truth=None, row_id=None)
    table = read_table(tmp_path / "cells.h5ad", asked)
    assert list(table.frame) == ["leiden", "other"]
    assert "columns of .obs" in table.found


def test_counts_of_10x_genomics_are_turned_to_cells_by_genes(tmp_path):
    matrix = sparse.csc_matrix(np.array([[1, 0, 2, 0], [0, 0, 0, 0], [3, 1, 0, 7]]))
    with h5py.File(tmp_path / "cells.h5", "w") as file:
        group = file.create_group("matrix")
        for part in ("data", "indices", "indptr", "shape"):
            group[part] = getattr(matrix, part)
        group["barcodes"] = np.array([b"c1", b"c2", b"c3", b"c4"])
        group.create_group("features")["name"] = np.array([b"g1", b"g2", b"g1"])
    table = read(tmp_path / "cells.h5")
    assert list(table.frame) == ["g1", "g1-1"]  # a gene without counts is left out
    assert_array_equal(table.frame, [[1, 3], [0, 1], [2, 0], [0, 7]])
    assert list(table.row_names) == ["c1", "c2", "c3", "c4"]
    assert "2 of 3 genes have counts" in table.found


def test_another_hdf5_file_is_refused_by_what_it_holds(tmp_path):
    with h5py.File(tmp_path / "else.h5", "w") as file:
        file["speed"] = np.zeros(3)
    with pytest.raises(InvalidInputError, match="another HDF5 file, with 'speed'"):
        read(tmp_path / "else.h5")


# ---- Arrow


def test_integers_of_feather_lose_no_digit_beside_missing_ones(tmp_path):
    frame = pd.DataFrame({"p": pd.array([2**53 + 1, None, 7], dtype="Int64")})
    frame.to_feather(tmp_path / "runs.feather")
    asked = Request.of(None, None, labels=True, truth=None, row_id=None)
    assert read_table(tmp_path / "runs.feather", asked).frame["p"][0] == 2**53 + 1


# ---- transposed


def test_a_transposed_table_is_turned(write):
    path = write("genes.csv", "gene,s1,s2,s3\nA,1,2,3\nB,4.5,5,6\n")
    table = read(path, transpose=True)
    assert list(table.frame) == ["A", "B"]
    assert table.frame.to_numpy().tolist() == [[1, 4.5], [2, 5], [3, 6]]
    assert list(table.row_names) == ["s1", "s2", "s3"]
    known = {}
    exec(f"import consensa.tables; frame = {table.code}", known)
    assert list(known["frame"]) == ["A", "B"]
