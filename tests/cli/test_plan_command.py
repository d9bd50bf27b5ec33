"""``consensa plan``: what a consensus will cost."""

from __future__ import annotations

import pytest

from consensa.cli._plan import _bytes, _count


def test_the_number_of_samples_is_enough(consensa):
    done = consensa("plan", "--samples", "1e6")
    assert done.status == 0, done.err
    assert "TEA of 1,000,000 samples and 48 partitions with 960 clusters in all" in done.out
    assert "one machine of 2 cores" in done.out
    assert "Memory: this process needs" in done.out
    assert "Moved" not in done.out


def test_a_billion_samples_are_planned(consensa):
    done = consensa(
        "plan", "--samples", "1e9", "--partitions", 50, "--partition-clusters", 100,
        "-m", "lwgp", "--workers", 20, "--cores", 16, "--memory", "64GB", "--network", "10Gbit",
    )  # fmt: skip
    assert done.status == 0, done.err
    for said in (
        "LWGP of 1,000,000,000 samples and 50 partitions with 5,000 clusters in all",
        "20 machines of 16 cores and 59.6 GiB",
        "overlap of the clusters",
        "together",
        "Labels as stored: 186.3 GiB",
        "each worker needs",
        "to the client",
    ):
        assert said in done.out
    assert "Too little memory" not in done.out


def test_partitions_have_twice_as_many_clusters_by_default(consensa):
    done = consensa("plan", "--samples", "1e6", "--partitions", 10, "-k", 7, "-m", "ecpcs-mc")
    assert "ECPCSMC of 1,000,000 samples and 10 partitions with 140 clusters" in done.out


def test_too_little_memory_is_said(consensa):
    done = consensa("plan", "--samples", "1e9", "--workers", 2, "--memory", "1GB")
    assert "Too little memory" in done.out


@pytest.mark.parametrize(("text", "count"), [("1e6", 10**6), ("12", 12), ("2.5e3", 2500)])
def test_numbers_are_read_as_people_write_them(text, count):
    assert _count(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [("64GB", 64e9), ("16GiB", 2**34), ("10Gbit", 1.25e9), ("10Gbit/s", 1.25e9), ("1e9", 1e9)],
)
def test_sizes_are_read_as_people_write_them(text, count):
    assert _bytes(text) == count


@pytest.mark.parametrize("option", ["--samples", "--partitions", "--clusters", "--cores"])
@pytest.mark.parametrize("text", ["many", "inf", "nan", "0", "-5", "2.5", "1e400", ""])
def test_what_is_no_number_of_things_is_refused(consensa, option, text):
    done = consensa("plan", "--samples", "1e6", option, text)
    assert done.status == 2
    assert "expected an integer from 1 to 1e15, such as 1000000 or 1e6" in done.err
    assert f"Got '{text}'" in done.err


@pytest.mark.parametrize("text", ["lots", ".", "1.2.3GB", "0GB", "nan", "inf", "-1GB", "1e999"])
def test_what_is_no_size_is_refused(consensa, text):
    done = consensa("plan", "--samples", "1e6", "--memory", text)
    assert done.status == 2
    assert "expected a size, such as 64GB" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "eac"], "methods that work by blocks of rows: CDEC, CDKM, ECPCSMC"),
        (["--method", "ptgp", "--workers", 2], "methods that run on Dask: ECPCSMC, HBGF, LWGP"),
        (["--method", "tae"], "Did you mean 'TEA'?"),
        (["--clusters", "2e6"], "must be at most the number of samples, 1000000. Got 2000000."),
    ],
)
def test_what_cannot_be_planned_is_said(consensa, arguments, message):
    done = consensa("plan", "--samples", "1e6", *arguments)
    assert done.status == 2
    assert message in done.err


def test_the_largest_numbers_give_an_answer(consensa):
    large = ["--partitions", "1e15", "-k", "1e15"]
    assert consensa("plan", "--samples", "1e15", *large).status == 0


def test_features_are_planned(consensa):
    done = consensa("plan", "--samples", "1e9", "--features", 100, "--workers", 100, "--cores", 16,
                    "--memory", "64GB")  # fmt: skip
    assert done.status == 0, done.err
    for said in (
        "1,000,000,000 samples of 100 features",
        "nearest points",
        "Features as stored: 372.5 GiB",
        "One such machine has memory for",
    ):
        assert said in done.out
