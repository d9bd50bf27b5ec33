"""The connection to a Dask scheduler: its faults become messages.

A scheduler without workers is waited for, with a warning, and then given up; an address where
something else answers is recognized before a client connects to it; a scheduler that disappears
ends the run with an error.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from consensa._optional import require
from consensa.exceptions import ClusterError, ConsensaError, ConsensaWarning, InvalidInputError

__all__ = ["a_cluster", "await_workers", "connection", "lost_connection_as_message"]

_DASK = {"extra": "dask", "purpose": "consensa.distributed"}
_ANSWER_WITHIN = 10.0  # seconds
_SAY_AFTER = 3.0
_WAIT_FOR_WORKERS = "60s"  # Dask's configuration can change it
_LOOK_EVERY = 0.1


@contextmanager
def a_cluster() -> Iterator[bool]:
    """Run on the user's ``Client`` or configured Dask scheduler, else on a local cluster.

    Yields whether the cluster is closed at the end.
    """
    distributed = require("distributed", **_DASK)
    client = _current_client()
    if client is not None:
        with lost_connection_as_message(client):
            await_workers(client)
            yield False
        return
    if require("dask", **_DASK).config.get("scheduler", None) is not None:
        yield False
        return
    with (
        distributed.LocalCluster(dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=True),
    ):
        yield True


def _current_client() -> Any:
    """The client that Dask uses, or None."""
    try:
        return require("distributed", **_DASK).Client.current()
    except ValueError:
        return None


@contextmanager
def connection(address: str) -> Iterator[Any]:
    """A client of the scheduler at this address, closed at the end."""
    library = require("distributed", **_DASK)
    security = library.Security()
    _check_scheduler(address, security)
    client = library.Client(address, timeout=_ANSWER_WITHIN, security=security)
    try:
        with lost_connection_as_message(client):
            yield client
    finally:
        client.close(timeout=_SAY_AFTER)


def _check_scheduler(address: str, security: Any) -> None:
    """Raise an error unless a Dask scheduler answers at the address."""
    library = require("distributed", **_DASK)

    async def ask() -> str:
        options = security.get_connection_args("client")
        async with library.rpc(address, connection_args=options) as there:
            return str((await there.identity())["type"])

    try:
        found = asyncio.run(asyncio.wait_for(ask(), _ANSWER_WITHIN))
    except TimeoutError as error:
        reason = f"no Dask scheduler answered within {_ANSWER_WITHIN:g} s."
        raise _not_a_scheduler(address, reason) from error
    except MemoryError as error:  # the length of a message, read from some other protocol
        reason = "what answers there is not a Dask scheduler; a web server, for example."
        raise _not_a_scheduler(address, reason) from error
    except Exception as error:
        raise _not_a_scheduler(address, f"{error}.") from error
    if found != "Scheduler":
        raise _not_a_scheduler(address, f"a Dask {found.lower()} answers there.")


def _not_a_scheduler(address: str, reason: str) -> InvalidInputError:
    message = (
        f"--scheduler must be the address of a Dask scheduler, such as tcp://10.0.0.1:8786. "
        f"{address}: {reason}"
    )
    return InvalidInputError(message)


def await_workers(client: Any) -> None:
    """Wait until the scheduler has a worker; raise an error after a time.

    A task is submitted, so that clusters that start workers on demand start one. Without any
    worker, a warning follows after three seconds, and the error after Dask's setting
    ``consensa.wait-for-workers`` (default: 60 s).
    """
    if client.asynchronous or client.nthreads():
        return
    dask = require("dask", **_DASK)
    utils = require("dask.utils", **_DASK)
    limit = utils.parse_timedelta(dask.config.get("consensa.wait-for-workers", _WAIT_FOR_WORKERS))
    demand, started, said = client.submit(int, pure=False), time.monotonic(), False
    address = client.scheduler.address
    while not client.nthreads():
        waited = time.monotonic() - started
        if waited > limit:
            demand.cancel()
            message = (
                f"The Dask scheduler at {address} has had no workers for {limit:g} s. Start "
                f"workers (dask worker {address}), or wait longer with Dask's setting "
                f"consensa.wait-for-workers (DASK_CONSENSA__WAIT_FOR_WORKERS=10min)."
            )
            raise ClusterError(message)
        if waited > _SAY_AFTER and not said:
            said = True
            message = (
                f"The Dask scheduler at {address} has no workers. Waiting up to {limit:g} s for "
                f"one to start."
            )
            warnings.warn(message, ConsensaWarning, stacklevel=2)
        time.sleep(_LOOK_EVERY)
    demand.release()


@contextmanager
def lost_connection_as_message(client: Any) -> Iterator[None]:
    """An error inside, after the scheduler disappeared, becomes a `ClusterError`."""
    try:
        yield
    except ConsensaError:
        raise
    except Exception as error:
        if not isinstance(error, CancelledError) and client.status == "running":
            raise
        message = (
            f"The connection to the Dask scheduler was lost: it stopped, or the network failed. "
            f"No result was returned; run it again. {str(error).partition(chr(10))[0]}"
        )
        raise ClusterError(message) from error
