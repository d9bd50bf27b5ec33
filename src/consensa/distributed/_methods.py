"""Consensus methods on Dask: the functions of `consensa.consensus` on a Dask ensemble."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from consensa import consensus
from consensa.consensus.base import BaseConsensus, Given
from consensa.consensus.method import check_fits
from consensa.distributed._cluster import Computes, dask_array
from consensa.distributed._ensemble import DaskEnsemble, read_ensemble, spread_ensemble
from consensa.distributed._random_kmeans import RandomKMeans
from consensa.distributed.connection import a_cluster
from consensa.distributed.features import read_dask_features
from consensa.exceptions import InvalidParameterError
from consensa.features.seen import SeenFeatures
from consensa.features.space import PRECOMPUTED
from consensa.generation.base import generated
from consensa.generation.default import read_generator

__all__ = ["ECPCSMC", "HBGF", "LWGP", "MCLA", "SEC", "TEA"]


class _OnDask:
    """Reads a Dask array, a Dask frame or labels on disk; everything else is inherited."""

    generator: Any
    n_jobs: int | None
    result_: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if _OnDask in cls.__bases__:
            cls.__doc__ = _docstring(cls.__bases__[-1])

    def fit(self, X: Any, y: Any = None) -> Any:
        """Generate base partitions, unless they are precomputed, and combine them on the cluster.

        Parameters
        ----------
        X : Dask array or frame, or what `consensa.open_features` or `open_labels` opens
            Features, of shape (n_samples, n_features); with ``generator="precomputed"``, labels
            of shape (n_samples, n_partitions).
        y : None
            Ignored; present for compatibility with scikit-learn.

        Returns
        -------
        BaseConsensus
            The estimator itself.

        See Also
        --------
        consensa.open_labels : Labels in Parquet or Zarr, on disk or in an object store.

        Notes
        -----
        The computation runs on the current ``distributed.Client``, or with the scheduler of
        Dask's configuration, else on a local cluster that is started and closed; its labels are
        then returned to this process.

        Examples
        --------
        >>> import dask, dask.array as da
        >>> from consensa.distributed import LWGP
        >>> labels = da.from_array([[0, 0], [0, 0], [1, 1]], chunks=(2, 2))
        >>> with dask.config.set(scheduler="synchronous"):
        ...     LWGP(2, generator="precomputed").fit(labels).labels_.compute()
        array([0, 0, 1])
        """
        with a_cluster() as closes:
            super().fit(X, y)  # type: ignore[misc]
            if closes:
                self._bring_here()
        return self

    def _bring_here(self) -> None:
        """Load the results of the fit before the cluster is closed."""
        da = dask_array()
        here: dict[str, Any] = {"ensemble": self.result_.ensemble.brought_here()}
        for name in ("labels", "confidence"):
            values: Any = getattr(self.result_, name)
            here[name] = da.from_array(values.compute(), chunks=values.chunks)
        self.result_ = replace(self.result_, **here)

    def _read(self, X: Any, rng: np.random.RandomState, owner: str) -> Given:
        if self.n_jobs is not None:
            message = (
                f"The 'n_jobs' parameter of {owner} on Dask must be None: the cluster has its "
                f"workers, and the generator its own n_jobs. Got {self.n_jobs!r}."
            )
            raise InvalidParameterError(message)
        given = self._given(X, rng, owner)
        check_fits(owner, self.n_clusters, given.ensemble.n_samples)  # type: ignore[attr-defined]
        return given

    def _given(self, X: Any, rng: np.random.RandomState, owner: str) -> Given:
        if isinstance(X, DaskEnsemble) or self.generator == PRECOMPUTED:
            given = Given(read_ensemble(X))
            self.n_features_in_ = given.ensemble.n_partitions
            return given
        if isinstance(self.generator, RandomKMeans):  # it reads the blocks itself
            self.n_features_in_ = int(X.shape[1])
            seen = SeenFeatures(type(self).__name__, self.n_features_in_)
            return Given(self.generator.generate(X, random_state=rng), self.generator, seen)
        features: Any = read_dask_features(X)
        check_fits(owner, self.n_clusters, features.n_samples)  # type: ignore[attr-defined]
        seen = self._remember_columns(features)  # type: ignore[attr-defined]
        generator = read_generator(self.generator)
        asked = int(self.n_clusters)  # type: ignore[attr-defined]
        ensemble = generated(generator, features, asked, rng)
        if not isinstance(ensemble, DaskEnsemble):
            ensemble = features.passes.spread(ensemble)
        return Given(ensemble, generator, seen)

    def _fit_automatic(self, X: Any, rng: np.random.RandomState, owner: str) -> Any:
        if self.generator == PRECOMPUTED:
            return super()._fit_automatic(X, rng, owner)  # type: ignore[misc]
        if isinstance(self.generator, RandomKMeans):
            message = (
                f"The 'n_clusters' parameter of {owner} must be an integer with the generator "
                f"distributed.RandomKMeans. Use consensa.RandomKMeans, or another generator."
            )
            raise InvalidParameterError(message)
        return super()._fit_automatic(read_dask_features(X), rng, owner)  # type: ignore[misc]

    def _keep(self, result: Any, given: Given) -> None:
        if not isinstance(given.ensemble, DaskEnsemble):  # that the number was chosen from
            da, n_samples = dask_array(), given.ensemble.n_samples
            ensemble = spread_ensemble(given.ensemble, [n_samples], Computes())
            given = given._replace(ensemble=ensemble)
            result = replace(
                result,
                labels=da.from_array(result.labels, chunks=n_samples),
                confidence=da.from_array(result.confidence, chunks=n_samples),
                ensemble=ensemble,
            )
        super()._keep(result, given)  # type: ignore[misc]

    @property
    def compute_log_(self) -> tuple[Any, ...]:
        """Computations on the Dask cluster, each with the number of bytes returned."""
        return self.ensemble_.compute_log  # type: ignore[attr-defined]


def _docstring(original: type[BaseConsensus]) -> str | None:
    """The original docstring, with the differences on Dask."""
    name, text = original.__name__, original.__doc__
    if text is None:  # python -OO
        return None
    body = text[: text.index("    Examples\n")]
    summary, _, rest = body.partition("\n\n")
    rest = rest.replace(
        "    labels_ : ndarray of shape (n_samples,)\n",
        "    labels_ : dask.array.Array of shape (n_samples,)\n",
    ).replace(
        "    ensemble_ : Ensemble\n",
        "    compute_log_ : tuple\n"
        "        Computations on the Dask cluster, each with the number of bytes returned.\n"
        "    ensemble_ : DaskEnsemble\n",
    )
    return (
        f"{summary[:-1]}, on Dask.\n\n"
        f"    The same as `consensa.{name}`, with the same labels for the same seed. They do not\n"
        f"    depend on the chunks and the workers.\n\n{rest}"
        f"    Examples\n    --------\n"
        f"    >>> import dask, dask.array as da\n"
        f"    >>> from consensa.distributed import {name}\n"
        f"    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]\n"
        f"    >>> labels = da.from_array(partitions, chunks=(2, 3))\n"
        f'    >>> with dask.config.set(scheduler="synchronous"):\n'
        f'    ...     model = {name}(2, generator="precomputed", random_state=0).fit(labels)\n'
        f"    ...     model.labels_.compute()\n"
        f"    array([0, 0, 0, 1, 1])\n    "
    )


class LWGP(_OnDask, consensus.LWGP): ...


class HBGF(_OnDask, consensus.HBGF): ...


class SEC(_OnDask, consensus.SEC): ...


class ECPCSMC(_OnDask, consensus.ECPCSMC): ...


class MCLA(_OnDask, consensus.MCLA): ...


class TEA(_OnDask, consensus.TEA): ...
