"""Threads: blocks of rows shared among them, and one where the order of sums matters."""

from __future__ import annotations

import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from joblib import delayed
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info, threadpool_limits

from consensa._machine import threads
from consensa._machine.threads import n_threads, one_thread, over_row_blocks, results_of_threads


@pytest.mark.parametrize(("asked", "expected"), [("1", 1), ("2", 2), ("99", 4), ("", 4), ("x", 4)])
def test_no_more_threads_than_cores_nor_than_the_environment_allows(monkeypatch, asked, expected):
    monkeypatch.setattr("joblib.cpu_count", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert n_threads() == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_cover_the_rows_once_and_results_keep_their_order(monkeypatch, threads):
    monkeypatch.setattr("consensa._machine.threads.n_threads", lambda: threads)
    assert over_row_blocks(lambda *block: block, 10, 4) == [(0, 4), (4, 8), (8, 10)]
    assert over_row_blocks(lambda *block: block, 4, 4) == [(0, 4)]


def test_blocks_run_at_the_same_time(monkeypatch):
    monkeypatch.setattr("consensa._machine.threads.n_threads", lambda: 2)
    both = threading.Barrier(2, timeout=20)  # broken if one block waits for the other to end
    over_row_blocks(lambda start, stop: both.wait(), 2, 1)


def test_an_error_in_a_block_reaches_the_caller(monkeypatch):
    monkeypatch.setattr("consensa._machine.threads.n_threads", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        over_row_blocks(lambda start, stop: 1 // start, 4, 1)


def counts():
    return {library["filepath"]: library["num_threads"] for library in threadpool_info()}


def test_every_library_has_one_thread_inside_and_what_it_had_outside():
    with threadpool_limits(limits=2):
        before = counts()
        assert max(before.values()) == 2
        for _ in range(2):  # the second time from what was found the first time
            with one_thread():
                assert set(counts().values()) == {1}
            assert counts() == before


def test_libraries_are_found_again_after_an_import_but_not_by_a_thread_among_others(monkeypatch):
    found = []
    monkeypatch.setattr(threads, "_found", threads._Found())
    monkeypatch.setattr(threads, "ThreadpoolController", lambda: found.append(1) or len(found))
    assert [threads._controller(), threads._controller()] == [1, 1]
    monkeypatch.setitem(sys.modules, "a library with threads of its own", None)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads._controller).result() == 1
    assert [threads._controller(), threads._controller()] == [2, 2]


def test_what_threads_set_for_themselves_holds_until_all_have_ended():
    both, first_left = threading.Barrier(2, timeout=20), threading.Event()

    def work(number):
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            both.wait()
            if number == 1:
                assert first_left.wait(20)
                warnings.warn("not converged", ConvergenceWarning, stacklevel=1)
                return set(counts().values())
        first_left.set()
        return None

    filters = list(warnings.filters)
    with threadpool_limits(limits=2):
        before = counts()
        inside = list(results_of_threads((delayed(work)(number) for number in range(2)), 2))
        assert inside == [None, {1}]
        assert counts() == before
    assert warnings.filters == filters
