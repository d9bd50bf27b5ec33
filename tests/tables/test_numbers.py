"""Numbers are read as people write them, and what is no number is named by its line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa.tables._numbers import written
from consensa.tables.reading import read_table, recognized
from consensa.tables.table import Request


@pytest.fixture
def read(tmp_path):
    def of(text, name="table.csv", header=None, labels=False, truth=None, row_id=None, **asked):
        path = tmp_path / name
        path.write_bytes(text.encode())
        request = Request.of(header, None, labels=labels, truth=truth, row_id=row_id, **asked)
        return read_table(path, request)

    return of


@pytest.mark.parametrize(
    ("text", "point", "comma", "unit"),
    [
        ("7", 7, 7, ""),
        ("70,0", None, 70, ""),
        ("70.5", 70.5, None, ""),
        ("1.234,5", None, 1234.5, ""),
        ("1,234.5", 1234.5, None, ""),
        ("1 234.5", 1234.5, None, ""),
        ("1\u202f234\u202f567", 1234567, 1234567, ""),
        ("1'234.5", 1234.5, None, ""),
        ("1,234", 1234, 1.234, ""),
        ("0,124", None, 0.124, ""),
        ("1.234.567", None, 1234567, ""),
        ("-1,5", None, -1.5, ""),
        ("\u22121.5", -1.5, None, ""),
        ("(1,234.5)", -1234.5, None, ""),
        (".5", 0.5, None, ""),
        ("1,5e3", None, 1500, ""),
        ("12 %", 12, 12, "%"),
        ("$1,234.50", 1234.5, None, "$"),
        ("-$5", -5, -5, "$"),
        ("3,5 €", None, 3.5, "€"),
        ("EUR 7", 7, 7, "EUR"),
        ("7 eur", 7, 7, "EUR"),
    ],
)
def test_a_number_is_read_as_it_is_written(text, point, comma, unit):
    assert written(text) == (point, comma, unit)


@pytest.mark.parametrize(
    "text",
    ["", "-", "abc", "1.2.3", "1,23,4", "12:30", "2026-01-02", "01.02.2026", "1-2", "--5", "+-5",
     "$5 €", "5 kg", "1 23", "(5", "10 20", "1,234,56", "%"],
)  # fmt: skip
def test_other_text_is_no_number(text):
    assert written(text) is None


def test_a_mark_is_told_by_some_numbers_and_not_by_others():
    assert [written(text).mark for text in ("70,0", "1.5", "12", "1,234")] == [
        ",",
        ".",
        None,
        None,
    ]
    assert [written(text).is_ambiguous for text in ("1,234", "12", "70,0")] == [True, False, False]


# ---- columns


def test_decimal_commas_and_points_between_thousands(read):
    table = read("x;y;z\n70,0;1.234;a\n1,5;2.500;b\n;3.000;a\n")
    assert_array_equal(table.frame["x"], [70, 1.5, np.nan])
    assert_array_equal(table.frame["y"], [1234, 2500, 3000])  # pandas alone reads 1.234
    assert recognized(table) == (
        "separated by ';', decimal comma, thousands in 'y', 3 rows, 2 numeric columns, "
        "1 text column"
    )


def test_a_column_with_points_beside_decimal_commas_keeps_its_points(read):
    table = read("x;y\n70,0;1.5\n1,5;2.25\n")
    assert table.frame.to_numpy().tolist() == [[70, 1.5], [1.5, 2.25]]


def test_decimal_commas_without_a_header_are_separated_by_semicolons(read):
    table = read("70,0;25,9\n1,5;2,5\n", header=False)
    assert table.frame.to_numpy().tolist() == [[70, 25.9], [1.5, 2.5]]


def test_commas_between_thousands_in_a_file_of_commas(read):
    table = read('x,y\n"1,234",$5.50\n"12,345",$1\n')
    assert table.frame.to_numpy().tolist() == [[1234, 5.5], [12345, 1]]
    assert "currency in 'y'" in recognized(table)


def test_one_comma_that_may_mean_both_is_not_guessed(read):
    text = "x;y\n1,234;a\n2,345;b\n"
    assert read(text).unclear == {"x": "1,234"}
    assert_array_equal(read(text, decimal=",").frame["x"], [1.234, 2.345])
    assert_array_equal(read(text, decimal=".").frame["x"], [1234, 2345])
    beside = read("x;y\n1,234;0,5\n2,345;1,5\n")  # another column tells
    assert_array_equal(beside.frame["x"], [1.234, 2.345])


def test_percent_is_a_unit_of_the_whole_column(read):
    table = read("x,y\n12%,1\n7 %,2\n0,3\n")
    assert_array_equal(table.frame["x"], [12, 7, 0])
    assert "percent in 'x'" in recognized(table)
    mixed = read("x,y\n12%,1\n7%,2\n0.3,3\n")
    assert mixed.bad["x"].entries == ("0.3",)


def test_two_currencies_in_a_column_are_named(read):
    assert read("x,y\n$1,1\n$2,2\n€3,3\n").bad["x"].entries == ("€3",)


def test_spaces_between_thousands(read):
    assert_array_equal(read("x,y\n1 234.5,1\n5,2\n").frame["x"], [1234.5, 5])


def test_names_labels_and_the_truth_are_left_as_they_are(read):
    text = "p;q\n1,5;a\n2,5;b\n"
    assert list(read(text, labels=True).frame["p"]) == ["1,5", "2,5"]
    assert list(read(text, truth="p").frame["p"]) == ["1,5", "2,5"]
    assert list(read(text, row_id="p").frame["p"]) == ["1,5", "2,5"]


def test_text_that_holds_few_numbers_stays_text(read):
    assert list(read("x,y\na,1\nb,2\n3,3\n").frame["x"]) == ["a", "b", "3"]


# ---- bad cells and lines


def test_bad_cells_are_named_by_the_lines_of_an_editor(read):
    text = 'x,note\n1,"two\nlines"\n\n?,a\n3,"three\r\nmore\nlines"\nn.b.,c\n5,d\n6,e\n'
    table = read(text)
    bad = table.bad["x"]
    assert (bad.n_numbers, bad.entries) == (4, ("?", "n.b."))
    lines = text.replace("\r\n", "\n").split("\n")
    for row, entry in zip(bad.rows, bad.entries, strict=True):
        place = table.place(row)
        assert lines[int(place.removeprefix("line ")) - 1].startswith(entry), place


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_whatever_ends_them(read, end):
    table = read(end.join(["x,y", "1,2", "", "?,4", "5,6", "7,8", ""]))
    assert table.place(table.bad["x"].rows[0]) == "line 4"


def test_lines_are_those_of_the_unpacked_and_decoded_text(read, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_bytes("ä,y\n1,2\n3,4\n?,6\n".encode("utf-16"))
    table = read_table(path, Request())
    assert table.place(table.bad["ä"].rows[0]) == "line 4"


def test_entries_that_stand_for_a_missing_value_are_told_by_the_user(read):
    text = "x,y,z\n1,-999,a\n?,2,?\n3,4,b\n"
    table = read(text, missing=("?", "-999"))
    assert not table.bad
    assert_array_equal(table.frame["x"], [1, np.nan, 3])
    assert_array_equal(table.frame["y"], [np.nan, 2, 4])
    assert table.frame["z"].tolist() == ["a", None, "b"]


def test_infinity_can_stand_for_a_missing_value(read):
    frame = read("x,y\ninf,1\n2,2\n", missing=("inf",)).frame
    assert math.isnan(frame["x"][0])


def test_numbers_with_one_unit_are_numbers(read):
    table = read("x;y;z\n1,5 kg;10A;3rd\n12 kg;11B;2nd\n;12A;2nd\n0,25kg;13A;1st\n")
    assert_array_equal(table.frame["x"], [1.5, 12, np.nan, 0.25])
    assert "unit 'kg' in 'x'" in recognized(table)
    assert list(table.frame["y"]) == ["10A", "11B", "12A", "13A"]  # not one unit
    assert list(table.frame["z"]) == ["3rd", "2nd", "2nd", "1st"]


def test_one_entry_or_one_number_tells_no_unit(read):
    assert list(read("x;y\n5a;1\n5a;2\n").frame["x"]) == ["5a", "5a"]
