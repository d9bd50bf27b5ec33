"""The store keeps what it was given, and notices what was damaged."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from consensa.exceptions import InvalidInputError
from consensa.study.cells import Cell, Record
from consensa.study.store import Gathered, Store


def cell(draw=0, **settings):
    return Cell("tables", "tiny", "stored", draw, "eac", {"seed": 0, **settings})


def done(draw=0, value=0.25):
    return Record(cell(draw), "done", {"eac": {"nmi": value}}, seconds=1.5, notes=("a note",))


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "made" / "cells.sqlite") as opened:
        yield opened


def change(store, column, value):
    with sqlite3.connect(store.path) as connection:
        connection.execute(f"update cells set {column} = ?", (value,))
    connection.close()


def test_what_is_put_is_there_when_the_file_is_opened_again(store):
    store.put(done())
    assert store.get(cell()) == done()
    with Store(store.path) as again:
        assert again.get(cell()) == done()
        assert list(again.records().values()) == [done()]


def test_a_key_does_not_depend_on_the_order_of_the_settings_but_on_all_else():
    assert cell(a=1, b=2).key == Cell.from_key(cell(b=2, a=1).key).key
    assert len({cell(0).key, cell(1).key, cell(a=1).key, cell(a=2).key}) == 4


def test_a_later_record_takes_the_place_of_an_earlier_one(store):
    store.put(Record(cell(), "failed", reason="tired"))
    store.put(done())
    assert [record.state for record in store.records().values()] == ["done"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("payload", '{"eac":{"nmi":0.26}}'),  # a number that nobody computed
        ("payload", '{"eac":{"nmi":'),
        ("state", "failed"),
        ("seconds", 2.5),
        ("checksum", ""),
        ("versions", None),
    ],
)
def test_a_damaged_cell_is_noticed_and_counts_as_absent(store, column, value):
    store.put(done())
    if value is None:
        value = "[]"
    change(store, column, value)
    assert store.get(cell()) is None
    assert store.records() == {}
    assert store.damaged == {cell().key}
    store.put(done())
    assert store.get(cell()) == done()
    assert store.damaged == set()


def flip(path, text):
    """Turn the first letter of each place where `text` stands in a file into no UTF-8 at all."""
    content, wanted = path.read_bytes(), text.encode()
    assert wanted in content
    path.write_bytes(content.replace(wanted, bytes([wanted[0] ^ 0x80]) + wanted[1:]))


@pytest.mark.parametrize("text", ['acy":0.125', "stored", "a note of one cell"])
def test_a_flipped_byte_costs_its_own_cell_and_no_other(store, text):
    spoilt = Record(cell(1), "done", {"accuracy": 0.125}, notes=("a note of one cell",))
    if text == "stored":  # in the key, and in the file's index of the keys
        spoilt = Record(Cell("tables", "tiny", "stored", 0, "eac"), "done", {"accuracy": 1})
        whole = Record(Cell("tables", "tiny", "shuffled", 0, "eac"), "done")
    else:
        whole = done(0)
    store.put(whole)
    store.put(spoilt)
    store.close()
    flip(store.path, text)
    with Store(store.path) as again:
        assert list(again.records().values()) == [whole]
        assert again.get(spoilt.cell) is None
        assert len(again.damaged) == 1
        assert again.remove_damaged() == 1
        assert again.remove_damaged() == 0
    with Store(store.path) as again:
        assert list(again.records().values()) == [whole]
        assert again.damaged == set()
        again.put(spoilt)
        assert len(again.records()) == 2


def test_a_key_that_was_damaged_in_the_table_alone_is_removed_too(store):
    store.put(done(0))
    store.put(done(1))
    store.close()
    content = store.path.read_bytes()
    place = content.index(cell(1).key.encode() + b"done")  # the table, not the index
    content = content[:place] + cell(0).key.encode() + content[place + len(cell(0).key) :]
    store.path.write_bytes(content)
    with Store(store.path) as again:
        assert list(again.records().values()) == [done(0)]
        assert again.remove_damaged() == 1
        again.put(done(1))
        assert list(again.records().values()) == [done(0), done(1)]
        assert again.damaged == set()


def test_a_row_whose_checksum_fits_but_that_is_no_record_is_damaged_too(store):
    store.put(Record(cell(), "unheard of"))
    assert store.get(cell()) is None
    assert store.damaged == {cell().key}


def test_a_committed_row_survives_a_kill(tmp_path):
    script = f"""
import os
from consensa.study.cells import Cell, Record
from consensa.study.store import Store
store = Store({str(tmp_path / "cells.sqlite")!r})
store.put(Record(Cell("tables", "tiny", "stored", 0, "eac"), "done", {{"value": 1}}))
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", script], check=False)
    with Store(tmp_path / "cells.sqlite") as store:
        assert [record.payload for record in store.records().values()] == [{"value": 1}]


def test_gathering_adds_results_and_keeps_what_is_there(store, tmp_path):
    store.put(done(0, value=0.5))
    store.put(Record(cell(1), "failed", reason="here"))
    store.put(Record(cell(2), "failed", reason="here"))
    with Store(tmp_path / "other.sqlite") as other:
        other.put(done(0, value=0.75))
        other.put(done(1))
        other.put(Record(cell(2), "too large", reason="there"))
        other.put(Record(cell(3), "too large", reason="there"))
        other.put(done(4))
    with sqlite3.connect(tmp_path / "other.sqlite") as connection:
        connection.execute("update cells set payload = '{}' where key = ?", (cell(4).key,))
    connection.close()
    assert store.gather(tmp_path / "other.sqlite") == Gathered(added=2, known=2, damaged=1)
    assert store.get(cell(0)).payload == {"eac": {"nmi": 0.5}}
    assert store.get(cell(1)).state == "done"
    assert store.get(cell(2)).reason == "here"
    assert store.get(cell(3)).reason == "there"
    assert store.get(cell(4)) is None


def test_a_file_that_is_no_store_is_refused_in_words(tmp_path, store):
    path = tmp_path / "notes.sqlite"
    path.write_text("these are my notes, and they are long enough" * 40)
    with pytest.raises(InvalidInputError, match="cannot be read as a store"):
        Store(path)
    with pytest.raises(InvalidInputError, match="There is no store"):
        store.gather(tmp_path / "nowhere.sqlite")


def test_gathering_leaves_its_source_as_it_was(store, tmp_path):
    foreign, empty = tmp_path / "foreign.db", tmp_path / "empty.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("create table mine (value)")
    connection.close()
    empty.touch()
    for path in (foreign, empty):
        before = path.read_bytes()
        with pytest.raises(InvalidInputError, match="is not a store of a study"):
            store.gather(path)
        assert path.read_bytes() == before


@pytest.mark.parametrize("table", ["mine (value)", "cells (key, state)"])
def test_the_database_of_another_program_is_not_made_a_store(tmp_path, table):
    path = tmp_path / "study.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(f"create table {table}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InvalidInputError, match="is not a store of a study"):
        Store(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "study.sqlite").touch()
    with Store(tmp_path / "study.sqlite") as store:
        store.put(done())
        assert store.records()


def test_a_full_disk_is_not_a_damaged_store(store):
    store.put(done())
    store._connection.execute("pragma max_page_count = 3")  # no room for more pages than these
    with pytest.raises(InvalidInputError, match=r"the disk is full.*stored are safe"):
        store.put(Record(cell(1), "done", {"text": "x" * 10**6}))
    assert list(store.records().values()) == [done()]


def test_a_store_that_is_a_folder_is_refused_in_words(tmp_path):
    with pytest.raises(InvalidInputError, match=r"could not be opened.*unable to open"):
        Store(tmp_path)


@pytest.mark.parametrize("lock", ["immediate", "exclusive"])
def test_a_store_that_another_process_holds_is_refused_in_words(tmp_path, monkeypatch, lock):
    monkeypatch.setattr("consensa.study.store._BUSY_SECONDS", 0.01)
    with Store(tmp_path / "cells.sqlite") as store:
        store.put(done())
        with closing(sqlite3.connect(store.path)) as other:
            other.execute(f"begin {lock}")
            with pytest.raises(InvalidInputError, match="is in use by another process"):
                store.put(done(1))
        store.put(done(1))
        assert len(store.records()) == 2


def test_two_processes_write_to_one_store(store):
    """Both wait for each other, and nothing of either is lost."""
    with Store(store.path) as other, ThreadPoolExecutor(2) as threads:
        written = [
            threads.submit(one.put, done(number))
            for number in range(20)
            for one in ((store, other)[number % 2],)
        ]
        for each in written:
            each.result()
    assert len(store.records()) == 20
