"""On a cluster of worker processes: the user's, one of our own, and what goes wrong there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import dask
import dask.array as da
import distributed as dask_distributed
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import consensa
from consensa import distributed, open_labels
from consensa.distributed import features as dask_features
from consensa.distributed._cluster import require_on_workers
from consensa.exceptions import InvalidInputError, NotEnoughMemoryError
from consensa.features import stored_features

# What Dask's own machinery warns of while processes die is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def client():
    """Two worker processes; a task may bring one of them down once."""
    settings = {"distributed.scheduler.allowed-failures": 1}
    with (
        dask.config.set(settings),
        dask_distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit="1GiB"
        ) as cluster,
        dask_distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(0)
    fine = 2 * rng.integers(0, 4, (400, 1)) + rng.integers(0, 2, (400, 6))
    return np.where(rng.uniform(size=fine.shape) < 0.15, rng.integers(0, 8, fine.shape), fine)


def wanted(labels):
    return consensa.LWGP(4, generator="precomputed", random_state=0).fit(labels).labels_


def twin():
    return distributed.LWGP(4, generator="precomputed", random_state=0)


def dies_when_read(block, folder, deadly):
    """Kill the process that reads this block, at the readings that `deadly` names."""
    reading = len(list(folder.iterdir()))
    (folder / str(reading)).touch()
    if reading in deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def deadly_array(labels, folder, deadly):
    folder.mkdir()
    safe, fatal = da.from_array(labels[:300], chunks=(50, 6)), labels[300:]
    block = dask.delayed(dies_when_read)(fatal, folder, deadly)
    return da.concatenate([safe, da.from_delayed(block, fatal.shape, fatal.dtype)])


def test_the_users_client_is_used_and_keeps_the_labels(client, labels):
    model = twin().fit(da.from_array(labels, chunks=(130, 6)))
    assert_array_equal(model.labels_.compute(), wanted(labels))
    assert dask_distributed.Client.current() is client
    assert client.status == "running"


def test_a_worker_killed_in_the_middle_does_not_change_the_answer(client, labels, tmp_path):
    killed = deadly_array(labels, tmp_path / "readings", {1})  # in the second pass
    before = set(client.scheduler_info()["workers"])
    model = twin().fit(killed)
    assert_array_equal(model.labels_.compute(), wanted(labels))
    assert len(list((tmp_path / "readings").iterdir())) > 2
    client.wait_for_workers(2)
    assert set(client.scheduler_info()["workers"]) != before


def test_workers_that_die_again_and_again_are_told_in_words(client, labels, tmp_path):
    with pytest.raises(NotEnoughMemoryError, match="memory_limit"):
        twin().fit(deadly_array(labels, tmp_path / "readings", set(range(20))))
    client.wait_for_workers(2)


def test_a_table_that_no_worker_can_hold_is_refused_before(client):
    with pytest.raises(NotEnoughMemoryError, match=r"needs about 2 GiB.*has 1 GiB"):
        require_on_workers(2 * 2**30, "The overlap of the clusters")
    require_on_workers(2**29, "The overlap of the clusters")


def test_a_block_that_cannot_be_read_is_reported_by_file_and_rows(client, labels, tmp_path):
    for part in range(4):
        frame = pd.DataFrame(labels[part * 100 : part * 100 + 100], columns=list("abcdef"))
        frame.to_parquet(tmp_path / f"part.{part}.parquet")
    stored = open_labels(tmp_path)
    damaged = Path(tmp_path / "part.2.parquet")
    content = bytearray(damaged.read_bytes())
    content[4:40] = b"\xff" * 36
    damaged.write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"part\.2\.parquet, rows 200 to 299 of all"):
        twin().fit(stored)


# ---- features ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def features():
    rng = np.random.default_rng(0)
    return rng.standard_normal((3, 6))[rng.integers(0, 3, 400)] * 4 + rng.standard_normal((400, 6))


def clustered(there, X):
    options = {"generator": consensa.DiverseKinds(6, max_samples=90), "random_state": 0}
    return there(X, 3, **options).labels


def test_features_are_clustered_as_on_one_machine(client, features, tmp_path):
    wanted = clustered(consensa.cluster, features)
    for part in range(2):
        frame = pd.DataFrame(features[part * 200 : part * 200 + 200], columns=list("abcdef"))
        frame.to_parquet(tmp_path / f"{part}.parquet")
    found = clustered(distributed.cluster, consensa.open_features(tmp_path))
    assert_array_equal(found.compute(), wanted)
    assert all(worker.startswith("tcp://") for worker in client.scheduler_info()["workers"])


def test_a_worker_killed_in_the_second_pass_over_features(client, features, tmp_path):
    killed = deadly_array(features, tmp_path / "readings", {1})
    before = set(client.scheduler_info()["workers"])
    found = clustered(distributed.cluster, killed).compute()
    assert_array_equal(found, clustered(consensa.cluster, features))
    client.wait_for_workers(2)
    assert set(client.scheduler_info()["workers"]) != before


KILLED = """
import os, signal
import distributed
import consensa
from consensa._machine.run_state import StoredNumbers
from consensa.distributed import features
from consensa.features import stored_features
features._LEAST_ROWS = stored_features._MOST_ROWS = 64
stored_features._MULTIPLE = 1
write, written = StoredNumbers.write, []
def killed(self, part, numbers):
    write(self, part, numbers)
    written.append(part)
    if len(written) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
StoredNumbers.write = killed
with distributed.Client({address!r}):
    stored = consensa.open_features({path!r}, resume={state!r})
    generator = consensa.DiverseKinds(6, max_samples=90)
    consensa.distributed.cluster(stored, 3, generator=generator, random_state=0)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_client_that_was_killed_is_resumed(client, features, tmp_path, monkeypatch):
    path, state = tmp_path / "x.npy", tmp_path / "state"
    np.save(path, features)
    given = {"address": client.scheduler.address, "path": str(path), "state": str(state)}
    ended = subprocess.run([sys.executable, "-c", KILLED.format(**given)], check=False)
    assert ended.returncode == -signal.SIGKILL
    journal = state / "points.txt"
    assert len(journal.read_text().splitlines()) == 3
    monkeypatch.setattr(dask_features, "_LEAST_ROWS", 64)
    monkeypatch.setattr(stored_features, "_MOST_ROWS", 64)
    monkeypatch.setattr(stored_features, "_MULTIPLE", 1)
    stored = consensa.open_features(path, resume=state)
    found = clustered(distributed.cluster, stored).compute()
    assert_array_equal(found, clustered(consensa.cluster, features))
    assert len(journal.read_text().splitlines()) == 7  # each part of 64 rows once


def test_a_bad_value_ends_with_its_block_and_row(client, features):
    bad = features.copy()
    bad[333, 1] = np.inf
    with pytest.raises(InvalidInputError, match=r"Block 4 of X, row 333 of all .*infinite value"):
        clustered(distributed.cluster, da.from_array(bad, chunks=(70, 6)))
