"""Labels that were computed are kept, as they are, wherever they can be written."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow
import pytest

from consensa.cli import _write

FORMULA = '=HYPERLINK("http://example.org","x")'


@pytest.fixture
def runs(tmp_path):
    """Two partitions of six samples, and ids that somebody else chose."""

    def write(ids, title="who", ending=".csv"):
        path = tmp_path / f"runs{ending}"
        frame = pd.DataFrame({title: ids, "p": [0, 0, 1, 1, 2, 2], "q": [0, 0, 1, 1, 1, 2]})
        frame.to_csv(path, index=False) if ending == ".csv" else frame.to_parquet(path)
        return path

    return write


def full(*_, **__):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("output", ["labels.csv", "labels.parquet", "all.json", None])
def test_labels_that_cannot_be_written_are_put_elsewhere(
    consensa, runs, tmp_path, monkeypatch, output
):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    command = ["combine", runs(list("abcdef")), "-k", 2, "--id", "who"]
    if output is None:
        monkeypatch.setattr(_write, "_print", full)
    else:
        command[0] = "compare" if output == "all.json" else "combine"
        command += ["--labels", "-m", "EAC"] if output == "all.json" else []
        command += ["-o", tmp_path / output]
        monkeypatch.setattr("os.fsync", full)
    done = consensa(*command)
    (kept,) = (tmp_path / "temporary").iterdir()
    assert done.status == 2
    assert "could not be written: No space left on device." in done.err
    assert f"The labels were written to {kept} instead." in done.err
    assert list(pd.read_csv(kept).who) == list("abcdef")


def test_without_any_other_place_they_are_printed(consensa, runs, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    monkeypatch.setattr("os.fsync", full)
    done = consensa("combine", runs(list("abcdef")), "-k", 2, "-o", tmp_path / "labels.csv")
    assert done.status == 2
    assert "The labels were printed to standard output instead." in done.err
    assert len(done.out.splitlines()) == 7


def test_ids_that_parquet_cannot_hold_do_not_lose_the_labels(
    consensa, runs, tmp_path, monkeypatch
):
    def refuse(*given, **options):
        raise pyarrow.ArrowInvalid(given)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("pyarrow.parquet.write_table", refuse)
    done = consensa("combine", runs(list("abcdef")), "-k", 2, "-o", tmp_path / "labels.parquet")
    assert done.status == 2
    (kept,) = tmp_path.glob("consensa-*.csv")
    assert str(kept) in done.err
    assert len(pd.read_csv(kept)) == 6


def test_stdout_and_file_have_the_same_bytes(runs, tmp_path, monkeypatch, capsysbinary):
    from consensa.cli import run

    path = runs(["Zoë", "名前", 'say "x"', "a,b", "line\nbreak", "007"])
    common = ["combine", str(path), "-k", "2", "--id", "who"]
    assert run(common) == run([*common, "-o", str(tmp_path / "out.csv")]) == 0
    assert capsysbinary.readouterr().out == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize("title", ["EAC", "LWEA", "disagreement"])
def test_ids_are_not_overwritten_by_a_result_of_their_name(consensa, runs, tmp_path, title):
    done = consensa(
        "compare", runs(list("abcdef"), title), "--labels", "-k", 2, "--id", title,
        "-m", "EAC", "-m", "LWEA", "-o", tmp_path / "out.csv",
    )  # fmt: skip
    assert done.status == 0
    written = pd.read_csv(tmp_path / "out.csv")
    assert list(written.columns) == ["sample", "EAC", "LWEA", "disagreement"]
    assert list(written["sample"]) == list("abcdef")


def test_dates_and_missing_ids_are_json(consensa, runs, tmp_path):
    days = pd.to_datetime(["2026-01-01", None, *["2026-01-03"] * 4])
    done = consensa(
        "compare", runs(days, ending=".parquet"), "--labels", "-k", 2, "--id", "who",
        "-m", "EAC", "-o", tmp_path / "out.json",
    )  # fmt: skip
    assert done.status == 0, done.err
    assert json.loads((tmp_path / "out.json").read_text())["samples"][:2] == [
        "2026-01-01 00:00:00", "",
    ]  # fmt: skip


def test_terminal_escapes_of_ids_columns_and_files_are_shown_and_not_obeyed(
    consensa, runs, tmp_path
):
    ids = [f"\x1b[2Jid{row}" for row in range(6)]
    path = runs(ids, "\x1b]0;title").rename(tmp_path / "\x1b[31m.csv")
    common = ("compare", path, "--labels", "-k", 2, "-m", "SEC", "-m", "LWEA")
    done = consensa(*common, "--id", "\x1b]0;title", "-o", tmp_path / "out.csv")
    assert done.status == 0
    assert r"\x1b[31m" in consensa(*common, "--id", "none").err
    unknown = consensa(*common, "\x1b[31mextra")
    assert "unexpected extra argument" in unknown.err
    for text in (*done, unknown.err):
        assert "\x1b" not in str(text)


def test_escapes_in_the_table_of_samples(consensa, runs):
    from consensa.cli._screen import answers, plain_table

    table = plain_table()
    table.add_column("\x1b]0;head")
    table.add_row("\x1b[2Jcell")
    console = answers()
    with console.capture() as shown:
        console.print(table, "\x1b[31mtext")
    assert "\x1b" not in shown.get()
    assert r"\x1b[2Jcell" in shown.get()


# ---- formulas of spreadsheets ----------------------------------------------------------------


def test_a_name_that_a_spreadsheet_would_run_is_written_as_it_is_with_a_warning(
    consensa, runs, tmp_path
):
    path = runs([FORMULA, "-1", "+cmd", "b", "1", "2"])
    done = consensa("combine", path, "-k", 2, "--id", "who", "-o", tmp_path / "out.csv")
    assert "may run '=HYPERLINK" in done.err
    assert "and 1 others as a formula" in done.err
    assert list(pd.read_csv(tmp_path / "out.csv").who)[:3] == [FORMULA, "-1", "+cmd"]


@pytest.mark.parametrize("command", ["combine", "compare"])
def test_it_can_be_escaped(consensa, runs, tmp_path, command):
    path = runs([FORMULA, "-1", "@x", "\ty", "b", "a"], title="=who")
    more = ["--labels", "-m", "EAC"] if command == "compare" else []
    done = consensa(
        command, path, "-k", 2, "--id", "=who", "-o", tmp_path / "out.csv",
        "--escape-formulas", *more,
    )  # fmt: skip
    assert done.status == 0
    assert "Warning: a spreadsheet" not in done.err
    written = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert list(written["'=who"])[:3] == [f"'{FORMULA}", "-1", "'@x"]


def test_numbers_and_parquet_need_no_warning(consensa, runs, tmp_path):
    done = consensa("combine", runs([-1, -2, 3, 4, 5, 6]), "-k", 2, "--id", "who")
    assert "spreadsheet" not in done.err
    target = Path(tmp_path / "out.parquet")
    done = consensa("combine", runs([FORMULA, *"bcdef"]), "-k", 2, "--id", "who", "-o", target)
    assert "spreadsheet" not in done.err
    assert pd.read_parquet(target).who[0] == FORMULA
