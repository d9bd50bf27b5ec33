"""Progress is silent until somebody asks for it."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from consensa._machine.progress import reporting, track


class Recorder:
    """Remembers what it was told."""

    def __init__(self):
        self.told = []

    @contextmanager
    def __call__(self, description, total):
        self.told.append(("open", description, total))
        yield lambda: self.told.append("advance")
        self.told.append("close")


def step():
    with track("a step", 2) as advance:
        advance()
        advance()


def test_nothing_is_shown_by_default(capsys):
    step()
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_reporter_hears_the_step_and_each_part():
    recorder = Recorder()
    with reporting(recorder):
        step()
    assert recorder.told == [("open", "a step", 2), "advance", "advance", "close"]


def test_the_inner_reporter_counts_and_the_outer_comes_back():
    outer, inner = Recorder(), Recorder()
    with reporting(outer):
        with reporting(inner):
            step()
        step()
    assert len(inner.told) == len(outer.told) == 4


def test_after_an_error_nobody_listens_any_more():
    recorder = Recorder()
    with pytest.raises(RuntimeError, match="stop"), reporting(recorder):
        raise RuntimeError("stop")  # noqa: EM101
    step()
    assert recorder.told == []


def test_the_total_may_be_unknown():
    recorder = Recorder()
    with reporting(recorder), track("open end"):
        pass
    assert recorder.told == [("open", "open end", None), "close"]
