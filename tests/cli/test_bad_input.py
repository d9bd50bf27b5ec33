"""Every mistake gets one message, status 2 and no traceback."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import consensa.cli._task
from consensa.cli import run
from consensa.tables import reading

JUNK = bytes(range(1, 256)) * 8  # not UTF-8, no zero bytes


def refused(done, *said):
    assert done.status == 2, done
    assert "Traceback" not in done.err
    assert done.out == ""
    for text in said:
        assert text in done.err, done.err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", "", "empty.csv must contain a table. It is empty"),
        ("blank.csv", "\n\n", "blank.csv cannot be read"),
        ("names.csv", "x,y\n", "It has 0 rows"),
        ("prose.csv", "Dear reader\nthis, I am afraid\n, is not, a table\n", "prose.csv"),
        (
            "ragged.csv",
            "x,y\n1,2\n1,2,3,4\n",
            "line 3 has 4 fields, and the lines above",
        ),
        ("wide.csv", "x\n1,2,3\n1,2,3\n", "more fields than its first line"),
        ("junk.csv", JUNK, "must be text in UTF-8. Byte"),
        ("zeros.csv", b"a\0b" * 9, "zero bytes"),
        ("junk.parquet", JUNK, "cannot be read as a .parquet file"),
        ("junk.npy", JUNK, "must be a file written by NumPy"),
        ("junk.npz", b"PK\3\4" + JUNK, "cannot be read as a .npz file"),
        ("cut.npy", b"\x93NUMPY\1\0v\0{'descr': '<f8'", "cannot be read as a .npy file"),
        ("table.doc", "x", "FILE must end in .csv, .tsv"),
        ("table.xlsx", "x", "cannot be read as a .xlsx file"),
        ("names.csv", "x,y\nann,a\nbob,b\neve,c\n", "like sample names"),
        ("word.csv", "x,y\n1,2\n1,oops\n", "'y' has 1 number, but also 'oops' in line 3"),
        ("days.csv", "x,y\n1,2026-01-02\n2,2026-01-03\n", "Column 'y' holds dates. Use --dates"),
        ("inf.csv", "x,y\n1,2\ninf,3\n", "Column 'x' has infinity in line 3"),
        ("inf.csv", "x,y\n1,2\n-inf,3\n", "use --na -inf for a missing value"),
        ("inf.csv", "x,y\n-inf,2\ninf,3\n", "use --na inf --na -inf for a missing value"),
        ("numbers.csv", "1,2\n3,4\n", "Use --no-header if it is data"),
        ("one.csv", "x,y\n1,2\n", "at least 2 samples (rows). Got 1"),
    ],
)
def test_a_file_that_holds_no_features(consensa, write, name, content, said):
    path = write(name, content)
    refused(consensa("cluster", path, "-k", 2), said, name)


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("cluster", "use `consensa combine`"),
        ("audit", "say --labels"),
        ("compare", "say --labels"),
    ],
)
def test_partitions_with_gaps_that_are_read_as_features(consensa, write, command, instead):
    path = write("runs.csv", "p,q\n0,1\n0,\n1,2\n2,1\n1,2\n2,2\n")
    done = consensa(command, path, "-k", 2, "--missing", "error")
    refused(done, "Column 'q' has no value in line 3", f"If the columns are partitions, {instead}")


def test_escapes_in_an_option_are_shown_and_not_obeyed(consensa):
    done = consensa("cluster", "--\x1b[31mred", "x.csv")
    refused(done, "red")
    assert "\x1b" not in done.err


def test_a_file_that_is_not_there(consensa, blobs_csv, tmp_path):
    done = consensa("cluster", tmp_path / "blob.csv", "-k", 2)
    refused(done, "FILE must exist", "Did you mean 'blobs.csv'?")


def test_a_folder(consensa, tmp_path):
    refused(consensa("cluster", tmp_path, "-k", 2), "is a folder")


def test_a_file_that_may_not_be_read(consensa, blobs_csv, monkeypatch):
    def forbidden(path, request):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setitem(reading.READERS, ".csv", forbidden)
    refused(consensa("cluster", blobs_csv, "-k", 2), "blobs.csv cannot be read: permission denied")


def test_pickles_are_never_opened(consensa, tmp_path):
    np.save(tmp_path / "objects.npy", np.array([[{}, 1]], dtype=object), allow_pickle=True)
    refused(consensa("cluster", tmp_path / "objects.npy", "-k", 2), "pickled", "never loaded")


@pytest.mark.parametrize("shape", [(6,), (3, 2, 2)])
def test_an_array_that_is_no_matrix(consensa, tmp_path, shape):
    np.save(tmp_path / "array.npy", np.zeros(shape))
    refused(consensa("cluster", tmp_path / "array.npy", "-k", 2), f"Got shape {shape}")


def test_an_npz_file_with_two_matrices_needs_a_choice(consensa, tmp_path):
    path = tmp_path / "two.npz"
    np.savez(path, left=np.eye(3), right=np.eye(3))
    refused(consensa("cluster", path, "-k", 2), "--array", "'left' (3, 3)", "'right' (3, 3)")
    done = consensa("cluster", path, "-k", 2, "--array", "rigth")
    refused(done, "--array must name", "Did you mean 'right'?")
    assert consensa("cluster", path, "-k", 2, "--array", "right").status == 0


@pytest.mark.parametrize("k", ["0", "-1", "1.5", "abc", ""])
def test_a_number_of_clusters_that_is_none(consensa, blobs_csv, k):
    done = consensa("cluster", blobs_csv, "-k", k)
    refused(
        done, "'--clusters' / '-k'", "an integer such as 7, a range such as 2-20", f"Got '{k}'"
    )


@pytest.mark.parametrize("command", ["cluster", "combine"])
def test_more_clusters_than_samples(consensa, write, command):
    path = write("three.csv", "x,y\n0,1\n1,1\n0,0\n")
    refused(consensa(command, path, "-k", 4), "-k must be at most the number of samples, 3. Got 4")


def test_no_number_of_clusters(consensa, blobs_csv):
    refused(consensa("cluster", blobs_csv), "Missing option '--clusters' / '-k'")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("p,q\n0,0\n,\n1,1\n", "Row 1 is missing in all 2 partitions"),
        ("p,q\n0,0\n", "at least 2 samples (rows). Got 1"),
        ("p,q\n0,0.5\n1,1\n", "partition 'q' must be integers"),
        ("p,q\n0,-7\n1,1\n", "-7"),
    ],
)
def test_a_label_matrix_that_is_none(consensa, write, content, said):
    refused(consensa("combine", write("runs.csv", content), "-k", 1), said)


@pytest.mark.parametrize(("name", "near"), [("eca", "EAC"), ("ltaa", "LTA")])
def test_an_unknown_method(consensa, blobs_csv, name, near):
    done = consensa("cluster", blobs_csv, "-k", 2, "--method", name)
    refused(done, "--method must be one of", f"Got '{name}'. Did you mean '{near}'?")


@pytest.mark.parametrize("option", ["--truth", "--drop", "--id"])
def test_an_unknown_column(consensa, blobs_csv, option):
    done = consensa("cluster", blobs_csv, "-k", 2, option, "gruop")
    refused(done, f"{option} must name a column of", "Did you mean 'group'?", "'x', 'y'")


def test_no_columns_left(consensa, write):
    path = write("one.csv", "x,y\n1,2\n2,3\n")
    refused(
        consensa("cluster", path, "-k", 2, "--drop", "x", "--id", "y"), "at least one data column"
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [("2,\n3,b", "in line 3."), ("2,\n3,", "in line 3 and 1 other."),
     ("2,\n3,\n4,", "in line 3 and 2 others.")],
)  # fmt: skip
def test_a_truth_with_gaps(consensa, write, rows, said):
    path = write("gaps.csv", f"x,y\n1,a\n{rows}\n")
    refused(consensa("cluster", path, "-k", 2, "--truth", "y"), f"Column 'y' has none {said}")


@pytest.mark.parametrize(
    "value", ["linkge=single", "linkage", "linkage=ward", "n_clusters=3", "linkage=" + "[" * 9999]
)
def test_a_parameter_that_the_method_does_not_take(consensa, blobs_csv, value):
    done = consensa(
        "cluster",
        blobs_csv,
        "-k",
        2,
        "-m",
        "EAC",
        "--id",
        "code",
        "--drop",
        "group",
        "--option",
        value,
    )
    refused(done, "linkage")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("nowhere/labels.csv", "There is no folder"),
        ("labels.xls", "--output must end in .csv, .tsv, .parquet"),
        ("labels", "--output must end in"),
        ("folder.csv", "is a folder"),
        ("blobs.csv", "must not be the input"),
        ("loop.csv", "Too many levels of symbolic links"),
        ("dangling.csv", "No such file or directory"),
        ("blobs.csv/labels.csv", "There is no folder"),
        ("x" * 300 + ".csv", "File name too long"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_anything_is_computed(
    consensa, blobs_csv, tmp_path, monkeypatch, output, said
):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "dangling.csv").symlink_to("nowhere/labels.csv")
    before = blobs_csv.read_bytes()
    monkeypatch.setattr(reading, "READERS", {})  # whoever looks into the file fails otherwise
    files = sorted(tmp_path.iterdir())
    refused(consensa("cluster", blobs_csv, "-k", 2, "-o", tmp_path / output), said)
    assert blobs_csv.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("nowhere/page.html", "There is no folder"),
        ("folder.html", "is a folder"),
        ("loop.html", "Too many levels of symbolic links"),
        ("other.csv", "--report must end in .html or .htm"),
        ("notes", "--report must end in .html or .htm"),
    ],
)
def test_a_report_that_cannot_be_is_refused_before_anything_is_computed(
    consensa, blobs_csv, tmp_path, monkeypatch, page, said
):
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "loop.html").symlink_to("loop.html")
    (tmp_path / "other.csv").write_text("mine")
    monkeypatch.setattr(reading, "READERS", {})
    refused(consensa("cluster", blobs_csv, "-k", 2, "--report", tmp_path / page), said)
    assert (tmp_path / "other.csv").read_text() == "mine"


@pytest.mark.parametrize("name", ["audit.json", "audit.png", "audit.svg"])
def test_a_folder_in_the_place_of_a_file_is_noticed_before_anything_is_computed(
    consensa, blobs_csv, tmp_path, monkeypatch, name
):
    (tmp_path / "out" / name).mkdir(parents=True)
    monkeypatch.setattr(reading, "READERS", {})
    refused(consensa("audit", blobs_csv, "-k", 2, "-o", tmp_path / "out"), name, "Is a directory")


@pytest.mark.parametrize("library", ["rich", "pandas", "pyarrow"])
def test_a_library_that_is_not_installed(consensa, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    refused(consensa("methods"), f"needs {library}", "pip install 'consensa[cli]'")


def test_too_little_memory(consensa, blobs_csv, monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 1000)
    done = consensa("cluster", blobs_csv, "-k", 3, "--id", "code", "--drop", "group")
    refused(done, "needs about", "1000 bytes are available")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError("Unable to allocate 8 TiB."), "Out of memory. Unable to allocate 8 TiB."),
        (OSError(28, "No space left on device", "/scratch"), "/scratch: No space left on device"),
    ],
)
def test_what_the_machine_refuses_is_a_message(consensa, blobs_csv, monkeypatch, error, said):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(consensa_fit(), "fit_and_tell", fail)
    done = consensa("cluster", blobs_csv, "-k", 3, "--id", "code", "--drop", "group")
    refused(done, said)


def test_a_fault_of_ours_keeps_its_traceback(blobs_csv, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(consensa_fit(), "fit_and_tell", fail)
    with pytest.raises(ZeroDivisionError):
        run(["cluster", str(blobs_csv), "-k", "3", "--id", "code", "--drop", "group"])


def consensa_fit():
    """The module whose `fit_and_tell` the command `cluster` calls."""
    return consensa.cli._task
