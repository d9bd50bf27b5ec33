"""Faults of a Dask cluster: each ends in a message, after a bounded time."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading

import dask
import dask.array as da
import distributed as dask_distributed
import numpy as np
import pytest

from consensa import distributed
from consensa.distributed import connection
from consensa.exceptions import ClusterError, ConsensaWarning, InvalidInputError

LABELS = np.random.default_rng(0).integers(0, 4, (40, 5))
SCHEDULER = """
import sys
from distributed import LocalCluster
with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None,
                  host="tcp://127.0.0.1") as cluster:
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's own, while things start and end


@pytest.fixture
def web_server():
    """Address of a server that answers anything with an error of HTTP."""
    server = socket.create_server(("127.0.0.1", 0))

    def answer():
        while True:
            try:
                there, _ = server.accept()
            except OSError:
                return
            there.recv(100)
            there.sendall(
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 3000\r\n\r\n" + b"x" * 3000
            )

    threading.Thread(target=answer, daemon=True).start()
    yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
    server.close()


def test_a_web_server_is_not_taken_for_a_scheduler(web_server):
    with (
        pytest.raises(InvalidInputError, match=r"must be the address .* not a Dask scheduler"),
        connection.connection(web_server),
    ):
        pass


def test_silence_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(connection, "_ANSWER_WITHIN", 0.3)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(InvalidInputError, match=r"no Dask scheduler answered within 0\.3 s"),
        connection.connection(f"tcp://127.0.0.1:{server.getsockname()[1]}"),
    ):
        pass


@pytest.fixture
def without_workers():
    """A cluster whose workers are started later, or never."""
    options = {"n_workers": 0, "threads_per_worker": 1, "processes": False}
    with (
        dask_distributed.LocalCluster(**options, dashboard_address=None) as cluster,
        dask_distributed.Client(cluster),
    ):
        yield cluster


@pytest.mark.filterwarnings("default::consensa.exceptions.ConsensaWarning")
def test_a_scheduler_without_workers_is_waited_for_and_then_given_up(without_workers, monkeypatch):
    monkeypatch.setattr(connection, "_SAY_AFTER", 0.1)
    model = distributed.LWGP(3, generator="precomputed", random_state=0)
    with (
        dask.config.set({"consensa.wait-for-workers": "500ms"}),
        pytest.warns(ConsensaWarning, match=r"has no workers\. Waiting up to 0\.5 s"),
        pytest.raises(ClusterError, match=r"has had no workers for 0\.5 s\. Start workers"),
    ):
        model.fit(da.from_array(LABELS, chunks=(20, 5)))


def test_a_worker_that_comes_late_is_used(without_workers):
    timer = threading.Timer(0.5, without_workers.scale, [1])
    timer.start()
    model = distributed.LWGP(3, generator="precomputed", random_state=0)
    assert len(model.fit(da.from_array(LABELS, chunks=(20, 5))).labels_.compute()) == 40
    timer.join()


@pytest.mark.posix
def test_a_scheduler_that_dies_in_the_middle_is_said(monkeypatch):
    monkeypatch.setattr(connection, "_ANSWER_WITHIN", 2.0)  # and to connect again
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        address = process.stdout.readline().strip()

        def die(block):
            os.kill(os.getpid(), signal.SIGKILL)  # the worker is a thread of the scheduler
            return block

        labels = da.from_array(LABELS, chunks=(20, 5)).map_blocks(die, dtype=int, meta=LABELS[:0])
        model = distributed.LWGP(3, generator="precomputed", random_state=0)
        with (
            pytest.raises(ClusterError, match="connection to the Dask scheduler was lost"),
            connection.connection(address),
        ):
            model.fit(labels)
