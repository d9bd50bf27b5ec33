"""Clustering of features on a Dask cluster in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from consensa._machine.progress import showing_if
from consensa._result import ConsensusResult
from consensa.consensus.base import BaseConsensus
from consensa.consensus.catalogue import methods_that, read_method
from consensa.distributed import _methods
from consensa.exceptions import InvalidParameterError
from consensa.generation.default import with_parameter

__all__ = ["cluster", "twin_of"]


def cluster(
    X: Any,
    n_clusters: int | Literal["auto"] | Sequence[int],
    *,
    method: Any = None,
    generator: Any = None,
    metric: str | None = None,
    random_state: Any = None,
    verbose: bool = False,
) -> ConsensusResult:
    """Cluster samples by features on a Dask cluster: `consensa.cluster`, with the same labels.

    Two passes over the blocks of rows. The first draws rows by a hash of their values, and the
    base partitions are computed from these, once, in this process. The second finds the nearest
    of them for every row. Then the labels of all rows are combined, as by the estimators of
    `consensa.distributed`. They depend neither on the chunks nor on the workers. Up to
    `max_samples` rows of the generator, 10,000 by default, are brought to this process.

    Parameters
    ----------
    X : Dask array or frame, or what `consensa.open_features` opens
        Features, of shape (n_samples, n_features), without missing values; text columns of a
        frame are one-hot encoded. Chunks may have unknown sizes: these are then computed. Files
        must be readable by every worker.
    n_clusters : int, "auto" or list of int
        Number of clusters. "auto" chooses it, and a list or range has the numbers to choose from,
        by 10,000 rows that are drawn by a hash of their values, as for features on disk.
    method : name, estimator or None, default=None
        One of the consensus methods of `consensa.distributed`; None is ``TEA()``.
    generator : object with ``generate`` or None, default=None
        Generates the base partitions; None is the generator of `method` if it has one, else
        ``DiverseKinds()``. Generators that need all features bring them to this process.
    metric : {"auto", "euclidean", "cosine"} or None, default=None
        Distance of the samples, for a generator with this parameter.
    random_state : int, RandomState instance or None, default=None
        Seed; pass an integer for reproducible labels.
    verbose : bool, default=False
        Whether to print the progress of each step to standard error.

    Returns
    -------
    ConsensusResult
        `labels` and `confidence` are Dask arrays, and the ensemble is a `DaskEnsemble`.

    See Also
    --------
    consensa.cluster : The same on one machine.
    plan : Estimate memory, traffic and time before.

    Notes
    -----
    The computation runs on the current ``distributed.Client``, or with the scheduler of Dask's
    configuration, else on a local cluster that is started and closed. What workers lose is
    computed again from X, so a worker that stops changes nothing.

    Examples
    --------
    >>> import dask, dask.array as da, numpy as np
    >>> from consensa import distributed
    >>> X = np.array([[0.0, 0.1], [0.2, 0.0], [0.1, 0.2], [9.0, 8.8], [8.9, 9.1], [9.1, 9.0]])
    >>> with dask.config.set(scheduler="synchronous"):
    ...     result = distributed.cluster(da.from_array(X, chunks=(2, 2)), 2, random_state=0)
    ...     result.labels.compute()
    array([0, 0, 0, 1, 1, 1])
    """
    model = twin_of(read_method(method, owner="cluster"))
    if metric is not None:
        given = model.generator if generator is None else generator
        generator = with_parameter(given, "metric", metric, owner="cluster")
    settings = {"generator": generator, "random_state": random_state}
    model.set_params(**{name: value for name, value in settings.items() if value is not None})
    with showing_if(verbose):
        return model.set_params(n_clusters=n_clusters).fit(X).result_


def twin_of(model: BaseConsensus) -> BaseConsensus:
    """The same method on Dask, with the same parameters."""
    name = type(model).__name__
    if not model.info.dask:
        message = (
            f"The 'method' parameter of cluster on Dask must be one of "
            f"{', '.join(methods_that('dask'))}. Got {name}."
        )
        raise InvalidParameterError(message)
    twin: type[BaseConsensus] = getattr(_methods, name)
    return twin(**model.get_params(deep=False))
