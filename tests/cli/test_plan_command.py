"""``consensa plan``: what a consensus will cost."""

from __future__ import annotations

import pytest

from consensa.cli._plan import _bytes


def test_a_billion_samples_are_planned(consensa):
    done = consensa(
        "plan", "--n", "1e9", "--m", 50, "--k", 100, "--workers", 20, "--cores", 16,
        "--memory", "64GB", "--network", "10Gbit",
    )  # fmt: skip
    assert done.status == 0, done.err
    for said in (
        "LWGP of 1,000,000,000 samples and 50 partitions with 5,000 clusters in all",
        "20 machines of 16 cores and 59.6 GiB",
        "overlap of the clusters",
        "together",
        "Labels as stored: 186.3 GiB",
        "a worker needs",
        "to the client",
    ):
        assert said in done.out
    assert "Too little memory" not in done.out


def test_one_machine_needs_no_network(consensa):
    done = consensa("plan", "--n", "1e6", "--m", 20, "--k", 30, "-m", "ecpcs-mc")
    assert "one machine of 2 cores" in done.out
    assert "Moved" not in done.out


def test_too_little_memory_is_said(consensa):
    done = consensa("plan", "--n", "1e9", "--m", 50, "--k", 100, "--workers", 2, "--memory", "1GB")
    assert "Too little memory" in done.out


@pytest.mark.parametrize(
    ("text", "count"),
    [("64GB", 64e9), ("16GiB", 2**34), ("10Gbit", 1.25e9), ("10Gbit/s", 1.25e9), ("1e9", 1e9)],
)
def test_sizes_are_read_as_people_write_them(text, count):
    assert _bytes(text) == count


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n", "many"], "a whole number of at least 1 is wanted, such as 1000000 or 1e6"),
        (["--memory", "lots"], "a size is wanted, such as 64GB"),
        (["--method", "eac"], "plan knows the methods that are linear"),
    ],
)
def test_what_cannot_be_read_is_said(consensa, arguments, message):
    given = ["--n", "1e6", "--m", "20", "--k", "30"]
    done = consensa("plan", *given, *arguments)
    assert done.status == 2
    assert message in done.err
