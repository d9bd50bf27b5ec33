"""consensa study penalty, size, base, matrices, convergence and all."""

from __future__ import annotations

import numpy as np
import pytest

from consensa.study.options import STORE


@pytest.fixture
def data(tmp_path):
    """A folder with a set of 36 samples in 3 classes."""
    rng = np.random.RandomState(0)
    y = np.repeat([1, 2, 3], 12)
    noise = rng.uniform(size=(36, 8)) < 0.2
    members = np.where(noise, rng.randint(4, size=(36, 8)), y[:, None])
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez(folder / "tiny.npz", y=y, members=members)
    return folder


@pytest.mark.parametrize(
    ("figure", "options", "stem"),
    [
        ("penalty", ("--penalties", "2,0.002", "--draws", 1, "--members", 4), "penalty"),
        ("size", ("--sizes", "2,4", "--draws", 1, "--order", "stored"), "size"),
        ("base", ("--members", 4, "--draws", 1, "--methods", "EAC"), "base"),
        ("matrices", ("--members", 4, "--order", "shuffled"), "matrices-tiny"),
        ("convergence", ("--members", 4), "convergence-tiny"),
        (
            "degrees",
            ("--members", 4, "--draws", 1, "--methods", "EAC", "--shares", "9"),
            "degrees",
        ),
    ],
)
def test_a_figure_writes_data_and_pictures_and_goes_on(consensa, data, tmp_path, figure, options,
                                                       stem):  # fmt: skip
    out = tmp_path / "deep" / "out"
    common = ("--sets", "Tiny", "--data", data, "--out", out)
    done = consensa("study", figure, *common, *options)
    assert done.status == 0, done.err
    for name in (f"{figure}.csv", f"{stem}.png", f"{stem}.svg"):
        assert (out / name).stat().st_size > 100
        assert f"Written: {out / name}" in done.err
    again = consensa("study", figure, *common, *options)
    assert "0 cells computed in this run" in again.err


def test_cells_that_fail_are_reported_and_the_rest_is_drawn(consensa, data, tmp_path):
    done = consensa("study", "base", "--sets", "tiny", "--methods", "eac", "--draws", 1,
                    "--data", data, "--out", tmp_path / "out")  # fmt: skip
    assert done.status == 0
    assert "A draw of 10 partitions needs a pool of at least as many" in done.err
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"base.csv", "base.png", "base.svg", STORE}  # the box of the pool
    lines = (tmp_path / "out" / "base.csv").read_text().splitlines()
    states = [line.split(",")[4] for line in lines]
    assert states == ["state", *["done"] * 8, "failed", "failed"]


def test_sizes_above_the_pool_are_said_to_be_left_out(consensa, data, tmp_path):
    def size(sizes):
        return consensa("study", "size", "--sets", "tiny", "--methods", "eac", "--draws", 1,
                        "--sizes", sizes, "--data", data, "--out", tmp_path / "out")  # fmt: skip

    some = size("4,9,50")
    assert "No draws of 9, 50 partitions of tiny: its pool has 8." in some.err
    assert "No picture" not in some.err
    none = size("50")
    assert "No draws of 50 partitions of tiny: its pool has 8." in none.err
    assert "No picture of size: nothing of it can be computed." in none.err


def test_a_share_must_be_below_a_hundred(consensa, data, tmp_path):
    done = consensa("study", "degrees", "--sets", "tiny", "--data", data, "--shares", "5,100",
                    "--out", tmp_path / "out")  # fmt: skip
    assert done.status == 2
    assert "--shares must be numbers above 0 and below 100, separated by commas" in done.err


def test_the_audit_has_a_verdict_on_every_method(consensa, data, tmp_path):
    out = tmp_path / "out"
    done = consensa("study", "audit", "--sets", "tiny", "--methods", "eac,voting", "--draws", 1,
                    "--members", 4, "--data", data, "--out", out)  # fmt: skip
    assert done.status == 0, done.err
    assert f"Written: 3 files in {out}" in done.err
    page = (out / "audit.md").read_text()
    assert "## Shuffling by degrees" in page
    assert page.count("| none | 1 of 1 |") == 2


def test_the_limit_names_every_method_that_obeys_it(consensa):
    said = " ".join(consensa("study", "all", "--help").out.replace("│", " ").split())
    assert "Maximum number of samples for GTLEC, whose" in said


def test_all_writes_one_page(consensa, data, tmp_path):
    out = tmp_path / "out"
    done = consensa("study", "all", "--sets", "tiny", "--methods", "lta,eac", "--draws", 1,
                    "--members", 3, "--data", data, "--out", out, "--budget", 0.02,
                    "--cubic-limit", 20, "--device", "cpu")  # fmt: skip
    assert done.status == 0, done.err
    assert f"Written: {out / 'index.html'}" in done.err
    page = (out / "index.html").read_text()
    assert "consensa study all --sets tiny --methods lta,eac --draws 1 --members 3" in page
    assert "--cubic-limit 20 --device cpu" in page
    assert str(tmp_path) not in page
    if "missing" in done.err:  # the budget ended it, and the page says so
        assert "missing" in page
    for name in ("tiny.csv", "summary.md", "penalty.csv", "cells.csv"):
        assert (out / name).exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("penalty", "--penalties", "0.1,x"), "--penalties must be numbers above 0"),
        (("penalty", "--penalties", "0"), "--penalties must be numbers above 0"),
        (("penalty", "--penalties", "inf"), "--penalties must be numbers above 0"),
        (("size", "--sizes", "2.5"), "--sizes must be integers above 0"),
        (("size", "--sizes", ","), "--sizes must be integers above 0"),
        (("base", "--sets", "tinyy"), "Did you mean 'tiny'?"),
        (("all", "--methods", "ltaa"), "Did you mean 'lta'?"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_computed(
    consensa, data, tmp_path, arguments, message
):
    done = consensa("study", *arguments, "--data", data, "--out", tmp_path / "out")
    assert done.status == 2
    assert message in done.err
    assert not (tmp_path / "out").exists()
