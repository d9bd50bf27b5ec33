"""Select the number of clusters by several criteria, compared with reference data."""

from __future__ import annotations

from typing import Any

from consensa._machine.progress import showing_if
from consensa._params import (
    Declaration,
    HasMethod,
    Integer,
    NoneType,
    OneOf,
    RandomState,
    check_params,
)
from consensa._random import random_source
from consensa.consensus.catalogue import read_method
from consensa.exceptions import InvalidParameterError
from consensa.selection._result import SelectionResult
from consensa.selection.automatic import chosen_number

__all__ = ["select_n_clusters"]

_LEAST_REFERENCES = 39  # with fewer, the first look at them could not be plain
_DECLARED: Declaration = {
    "generator": (OneOf(("precomputed",)), HasMethod("generate"), NoneType()),
    "n_draws": (Integer(2),),
    "n_references": (Integer(0),),
    "max_samples": (Integer(10),),
    "random_state": (RandomState(),),
}


def select_n_clusters(
    X: Any,
    n_clusters: Any = "auto",
    *,
    generator: Any = None,
    method: Any = None,
    n_draws: int = 20,
    n_references: int = 199,
    max_samples: int = 2000,
    random_state: Any = None,
    verbose: bool = False,
) -> SelectionResult:
    r"""Recommend a number of clusters, with the evidence for each candidate.

    From features, base partitions are generated for each candidate k and combined by the method
    that is then used. The evidence for k is the weighted mean of five votes, each scaled to
    [0, 1] over the candidates:

    - **agreement** of base partitions of different kinds (`kind_agreement`, of the two pairs of
      kinds that agree best), with a weight of 3;
    - the **silhouette** of the clusters in the embeddings of the samples, and its advance over
      the next number;
    - **eigengap** of the graph of nearest neighbors (`neighbor_eigengap`);
    - **tree separation** of the clusters (`tree_separation`, the mean).

    The other columns of the table do not vote: `cluster_recovery` (the stability), the agreement
    of all kinds, `density_separation`, `merge_gap`, votes of `density_counts`, `mixture_bic`, PAC
    and area. The share of k is the softmax of twelve times the evidence; the first number is
    *clear* if its share is at least 0.7.

    Every such criterion finds clusters in noise. The data are therefore compared with reference
    data without clusters (`one_cluster_test`): with the distribution of each column and the rank
    correlations of the data, but one mode; with that of each principal axis; and, if the data are
    long and thin, with a bent tube and a ring, which imitate curved sheets and rings. If the data
    do not stand out from each kind, the result is one cluster. References are drawn until the
    result is plain, at most `n_references` of each kind.

    From partitions, the consensus of all of them and that of random halves are compared: the
    evidence is the mean of the stability, the agreement with the base partitions, the eigengap of
    the co-association matrix, and 1 − PAC. References are shuffled partitions. Partitions that all
    have the same number of clusters cannot tell how many there are, and the answer says so.

    Parameters
    ----------
    X : array-like or frame of features, label matrix or Ensemble
        Features, of shape (n_samples, n_features); text columns of a frame are one-hot encoded.
        With ``generator="precomputed"``, labels of shape (n_samples, n_partitions).
    n_clusters : "auto" or iterable of int, default="auto"
        Candidates, such as ``range(2, 11)``. "auto" is 2 to 20, and more if the best is near the
        largest, up to a fifth of the samples.
    generator : object with ``generate(X, *, random_state)``, "precomputed" or None, default=None
        Generates the base partitions. None is that of `method` if it has one, else
        ``DiverseKinds()``.
    method : name, estimator or None, default=None
        Consensus method; None is ``TEA()``.
    n_draws : int, default=20
        Number of random halves of the partitions, if `X` is a label matrix.
    n_references : int, default=199
        Maximum number of reference data sets of each kind, 39 or more; with 0 there is no
        comparison, and the result is 1 only if nothing can be separated.
    max_samples : int, default=2000
        Maximum number of samples at a time. If there are more, the criteria are means over three
        subsets of this size, chosen by a hash of the values.
    random_state : int, RandomState instance or None, default=None
        Seed.
    verbose : bool, default=False
        Whether to print the progress of each step to standard error.

    Returns
    -------
    SelectionResult
        Recommended number, ranking, scores of each candidate, and clarity.

    See Also
    --------
    compare_methods : Several methods for one number of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import select_n_clusters
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0) + rng.normal(size=(90, 2))
    >>> found = select_n_clusters(X, range(2, 8), random_state=0)
    >>> found.n_clusters, found.answer
    (3, 'clear')
    """
    given = {
        "generator": generator,
        "n_draws": n_draws,
        "n_references": n_references,
        "max_samples": max_samples,
        "random_state": random_state,
    }
    check_params("select_n_clusters", _DECLARED, given)
    _check_references(n_references)
    model = read_method(method, owner="select_n_clusters")
    maker = model._generator_in_use() if generator is None else generator
    with showing_if(verbose):
        return chosen_number(
            X,
            n_clusters,
            model=model,
            generator=maker,
            owner="select_n_clusters",
            n_draws=n_draws,
            n_references=n_references,
            max_samples=max_samples,
            rng=random_source(random_state),
        )


def _check_references(n_references: int) -> None:
    if 0 < n_references < _LEAST_REFERENCES:
        message = (
            f"The 'n_references' parameter of select_n_clusters must be at least "
            f"{_LEAST_REFERENCES}, or 0 for no comparison: the p-value is counted in steps of "
            f"1 / (n_references + 1). Got {n_references}."
        )
        raise InvalidParameterError(message)
