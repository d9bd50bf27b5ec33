"""AnnData → clusters in ``.obs``, and what belongs to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import consensa
from consensa._api import cluster, combine
from consensa._optional import require
from consensa._params import Boolean, Integer, OneOf, RandomState, check_params
from consensa._result import ConsensusResult
from consensa.description import cluster_profiles
from consensa.description.sample_table import sample_table
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.selection import select_n_clusters
from consensa.similarity import coassociation

__all__ = ["consensus", "markers"]

_MOST_CLUSTERS = 20  # that n_clusters="auto" tries


def consensus(
    adata: Any,
    n_clusters: Any = "auto",
    *,
    keys: Sequence[str] | None = None,
    use_rep: str | None = None,
    key_added: str = "consensus",
    method: Any = None,
    generator: Any = None,
    random_state: Any = 0,
    store_matrix: bool = False,
    copy: bool = False,
) -> Any:
    """Cluster the observations, or combine clusterings that ``.obs`` has already.

    Parameters
    ----------
    adata : AnnData
        The annotated data matrix.
    n_clusters : int or "auto", default="auto"
        Number of clusters; ``"auto"`` selects it with `select_n_clusters`.
    keys : sequence of str or None, default=None
        Columns of ``.obs`` that are combined, such as Leiden clusters for several resolutions
        and seeds. None makes base partitions from `use_rep`.
    use_rep : str or None, default=None
        Key of ``.obsm`` to cluster, or ``"X"``; None is ``"X_pca"`` if it is there, else
        ``"X"``.
    key_added : str, default="consensus"
        Column of ``.obs`` to write.
    method : name, estimator or None, default=None
        Consensus method; None is ``TEA()``.
    generator : object with ``generate`` or None, default=None
        Generates the base partitions, such as ``LeidenSweep()``; None is ``DiverseKinds()``.
    random_state : int, RandomState instance or None, default=0
        Seed.
    store_matrix : bool, default=False
        Whether to store the co-association of the observations in ``.obsp``.
    copy : bool, default=False
        Whether to leave `adata` alone and return a copy.

    Returns
    -------
    AnnData or None
        The copy, if asked for. These fields are written:

        ``.obs[key_added]``
            Clusters, as categories.
        ``.obs[f"{key_added}_confidence"]``, ``_rival``, ``_rival_share``, ``_outlier``
            What belongs to them; see `consensa.sample_table`.
        ``.uns[key_added]``
            Parameters, version, sizes of the clusters, and the tree of the method if it has one
            (``linkage`` in SciPy's format).
        ``.obsp[f"{key_added}_coassociation"]``
            Co-association of the observations, with `store_matrix`.

    See Also
    --------
    markers : Variables that set the clusters apart.
    consensa.LeidenSweep : Leiden clusters over resolutions and seeds as base partitions.

    Examples
    --------
    >>> import anndata, numpy as np, pandas as pd
    >>> import consensa as cs
    >>> obs = pd.DataFrame({"a": list("0011"), "b": list("xxyz")}, index=list("pqrs"))
    >>> adata = anndata.AnnData(np.eye(4), obs=obs)
    >>> cs.anndata.consensus(adata, 2, keys=["a", "b"])
    >>> adata.obs["consensus"].tolist()
    ['0', '0', '1', '1']
    """
    require("anndata", extra="anndata", purpose="consensa.anndata")
    check_params(
        "consensus",
        {
            "n_clusters": (Integer(1), OneOf(("auto",))),
            "random_state": (RandomState(),),
            "store_matrix": (Boolean(),),
            "copy": (Boolean(),),
        },
        {
            "n_clusters": n_clusters,
            "random_state": random_state,
            "store_matrix": store_matrix,
            "copy": copy,
        },
    )
    _check_object(adata)
    data = _labels(adata, keys) if keys is not None else _features(adata, use_rep)
    of_labels = {"generator": "precomputed"} if keys is not None else {"generator": generator}
    selected = None
    if n_clusters == "auto":
        selected = select_n_clusters(
            data, _candidates(data, adata.n_obs), random_state=random_state, **of_labels
        )
        n_clusters = selected.n_clusters
    if keys is not None:
        result = combine(data, n_clusters, method=method, random_state=random_state)
    else:
        result = cluster(
            data, n_clusters, method=method, generator=generator, random_state=random_state
        )
    written = adata.copy() if copy else adata
    _write_obs(written, result, None if keys is not None else data, key_added)
    written.uns[key_added] = _facts(result, keys, use_rep, random_state, selected)
    if store_matrix:
        written.obsp[f"{key_added}_coassociation"] = np.asarray(coassociation(result.ensemble))
    return written if copy else None


def markers(adata: Any, *, key: str = "consensus", n_top: int | None = 10) -> Any:
    """Variables that set each cluster apart: the marker genes of single-cell data.

    Parameters
    ----------
    adata : AnnData
        The annotated data matrix; usually with logarithms of normalized counts in ``.X``.
    key : str, default="consensus"
        Column of ``.obs`` with the clusters.
    n_top : int or None, default=10
        Number of variables for each cluster; None keeps all.

    Returns
    -------
    pandas.DataFrame
        As `consensa.cluster_profiles` returns it.

    See Also
    --------
    consensa.cluster_profiles : The effects and the tests, and what they do not show.

    Examples
    --------
    >>> import anndata, numpy as np, pandas as pd
    >>> import consensa as cs
    >>> X = np.array([[5.0, 1.0], [6.0, 2.0], [0.0, 1.5], [1.0, 1.0]])
    >>> obs = pd.DataFrame({"consensus": list("0011")}, index=list("pqrs"))
    >>> adata = anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=["CD3E", "ACTB"]))
    >>> cs.anndata.markers(adata, n_top=1)[["cluster", "feature", "inside", "outside"]]
      cluster feature  inside  outside
    0       0    CD3E     5.5      0.5
    1       1    CD3E     0.5      5.5
    """
    _check_object(adata)
    if key not in adata.obs:
        message = f"key must be a column of .obs. Got {key!r}. Call consensus first."
        raise InvalidInputError(message)
    return cluster_profiles(adata, adata.obs[key].astype(str).to_numpy(), n_top=n_top)


def _check_object(adata: Any) -> None:
    if not all(hasattr(adata, name) for name in ("obs", "obsm", "uns", "var_names")):
        message = f"adata must be an AnnData object. Got {type(adata).__name__}."
        raise InvalidInputError(message)


def _candidates(data: Any, n_obs: int) -> range:
    """Numbers of clusters to choose from; no more than the partitions distinguish."""
    if n_obs < 3:
        message = f"n_clusters='auto' needs at least 3 observations. Got {n_obs}."
        raise InvalidInputError(message)
    apart = len(data.microclusters().sizes) if isinstance(data, Ensemble) else n_obs - 1
    return range(2, max(2, min(_MOST_CLUSTERS, apart, n_obs - 1)) + 1)


def _labels(adata: Any, keys: Sequence[str]) -> Ensemble:
    """The given columns of ``.obs`` as partitions."""
    wanted = [keys] if isinstance(keys, str) else list(keys)
    absent = [key for key in wanted if key not in adata.obs]
    if absent or not wanted:
        message = (
            f"keys must be columns of .obs, at least one. Not there: "
            f"{', '.join(map(str, absent)) or 'none'}. It has: "
            f"{', '.join(map(str, adata.obs.columns[:20]))}."
        )
        raise InvalidInputError(message)
    return Ensemble.from_labels(adata.obs[wanted])


def _features(adata: Any, use_rep: str | None) -> Any:
    """The matrix to cluster, with the names of the observations if it is dense."""
    pandas = require("pandas", extra="anndata", purpose="consensa.anndata")
    name = use_rep or ("X_pca" if "X_pca" in adata.obsm else "X")
    if name != "X" and name not in adata.obsm:
        message = (
            f"use_rep must be 'X' or a key of .obsm. Got {name!r}. It has: "
            f"{', '.join(map(str, adata.obsm)) or 'none'}."
        )
        raise InvalidInputError(message)
    matrix = adata.X if name == "X" else adata.obsm[name]
    if not isinstance(matrix, np.ndarray):
        return matrix
    frame = pandas.DataFrame(matrix, index=adata.obs_names)
    return frame.rename(columns=lambda column: f"{name}_{column}")


def _write_obs(adata: Any, result: ConsensusResult, X: Any, key: str) -> None:
    table = sample_table(result, X)
    names = [str(cluster) for cluster in range(result.n_clusters)]
    pandas = require("pandas", extra="anndata", purpose="consensa.anndata")
    for column in table:
        values = table[column].to_numpy()
        if column in ("cluster", "rival"):
            texts = [None if pandas.isna(value) else str(value) for value in table[column]]
            values = pandas.Categorical(texts, categories=names)
        adata.obs[key if column == "cluster" else f"{key}_{column}"] = values


def _facts(
    result: ConsensusResult,
    keys: Sequence[str] | None,
    use_rep: str | None,
    random_state: Any,
    selected: Any,
) -> dict[str, Any]:
    """What ``.uns`` keeps: text, numbers and arrays, so that it can be written to a file."""
    params = {
        "n_clusters": result.n_clusters,
        "method": result.method or "",
        "generator": "precomputed" if result.generator is None else repr(result.generator),
        "keys": [] if keys is None else [keys] if isinstance(keys, str) else list(keys),
        "use_rep": use_rep or "",
        "random_state": "" if random_state is None else str(random_state),
        "version": consensa.__version__,
    }
    facts: dict[str, Any] = {"params": params, "sizes": result.cluster_sizes}
    if result.tree is not None:
        facts["linkage"] = result.tree.merges
        if result.tree.leaf_of_sample is not None:
            facts["leaf_of_observation"] = result.tree.leaf_of_sample
    if selected is not None:
        facts["finding"] = selected.finding
    return facts
