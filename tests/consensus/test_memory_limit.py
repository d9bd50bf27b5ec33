"""Every method under a limit of its address space: an answer or a message, never a traceback.

One process runs all methods on inputs that are large in one way each. Its limit leaves 300 MiB
beyond what it has reserved after a first small run of everything.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from consensa.consensus.catalogue import find_methods

pytest.importorskip("resource")

ROOM = 300 * 2**20
LARGE = ("samples", "partitions", "clusters", "classes")


@pytest.fixture(scope="module")
def answers():
    """What each method said to each input: its number of clusters or its error."""
    script = Path(__file__).with_name("under_memory_limit.py")
    done = subprocess.run(
        [sys.executable, script, str(ROOM)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("name", sorted(find_methods()))
def test_a_large_input_is_answered_or_refused(answers, name, large):
    kind, said = answers[name][large]
    assert kind in ("answer", "NotEnoughMemoryError", "MissingExtraError"), (kind, said)
    assert kind == "answer" or "memory" in said or "pip install" in said


@pytest.mark.parametrize("name", ["TEA", "LWGP", "HBGF", "SEC", "Voting", "PTA", "EAC", "LWEA"])
def test_thousands_of_partitions_of_few_samples_are_combined(answers, name):
    """69 million pairs of clusters can overlap: 2.8 GB if they are stored."""
    assert answers[name]["partitions"] == ["answer", 2]


@pytest.mark.parametrize("name", ["ECPCSMC", "ECPCSHC", "SDGCA", "MCLA"])
def test_what_cannot_be_made_smaller_is_refused_before_it_is_made(answers, name):
    kind, said = answers[name]["partitions"]
    assert kind in ("NotEnoughMemoryError", "MissingExtraError")
    assert "clusters in all" in said or "pip install" in said


def test_features_are_estimated_before_they_are_copied(answers):
    others = answers["others"]
    kind, said = others["text"]
    assert kind == "NotEnoughMemoryError"
    assert "10000 of them for the different values of column 'word'" in said
    for name in ("features", "select_n_clusters"):
        kind, said = others[name]
        assert kind == "NotEnoughMemoryError"
        assert "DiverseKinds of 20 samples and 1000000 features needs about" in said


def test_the_agreement_of_many_partitions_needs_no_table_of_all_clusters(answers):
    assert answers["others"]["partition_similarity"][0] == "answer"
