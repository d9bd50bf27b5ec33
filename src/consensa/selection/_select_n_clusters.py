"""Select the number of clusters by several criteria, compared with reference data."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from consensa._machine.memory import out_of_memory
from consensa._machine.progress import showing_if, track
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
from consensa.ensemble import Ensemble
from consensa.exceptions import (
    FewerClustersWarning,
    InvalidInputError,
    InvalidParameterError,
)
from consensa.generation.default import read_generator
from consensa.selection._conclusion import conclude
from consensa.selection._evidence import measure
from consensa.selection._references import REFERENCES
from consensa.selection._result import SelectionResult
from consensa.selection._source import Source, is_usable

__all__ = ["select_n_clusters"]

_LEAST_PARTITIONS = 3
_LEAST_REFERENCES = 19  # with fewer, no p-value could be as small as the level
_DECLARED: Declaration = {
    "generator": (OneOf(("precomputed",)), HasMethod("generate"), NoneType()),
    "n_draws": (Integer(2),),
    "n_references": (Integer(0),),
    "reference": (OneOf(REFERENCES),),
    "max_samples": (Integer(10),),
    "random_state": (RandomState(),),
}


def select_n_clusters(
    X: Any,
    n_clusters: Iterable[int],
    *,
    generator: Any = None,
    method: Any = None,
    n_draws: int = 20,
    n_references: int = 19,
    reference: str = "uniform",
    max_samples: int = 1000,
    random_state: Any = None,
    verbose: bool = False,
) -> SelectionResult:
    r"""Recommend a number of clusters, with the evidence for each candidate.

    For each candidate :math:`k`, the consensus of all partitions and that of random halves of
    them are cut into :math:`k` clusters. The evidence is

    .. math:: e_k = \tfrac14 \left( s_k + a_k + g_k + 1 - p_k \right),

    where :math:`s_k` is the stability, the mean ARI between the consensus partitions of two
    halves, :math:`a_k` the mean ARI between the consensus and the base partitions,
    :math:`g_k` the eigengap of the co-association matrix, and :math:`p_k` the proportion of
    ambiguous pairs (PAC) over the halves. The area below their consensus
    distribution and its growth are reported too, but do not enter the evidence.

    Every such criterion finds clusters in noise. The consensus is therefore compared with that
    of reference data without clusters, which are partitioned and combined in the same way: by the
    explained dispersion, as in the gap statistic, or by the evidence if there are no features.
    If more than 5 % of the references deviate from the others as much as the data, for any
    number of clusters, the result is one cluster. If every partition has one cluster, as for
    constant features, one is the only candidate.

    Parameters
    ----------
    X : array-like or frame of features, label matrix or Ensemble
        Features, of shape (n_samples, n_features); text columns of a frame are one-hot encoded.
        With ``generator="precomputed"``, labels of shape (n_samples, n_partitions).
    n_clusters : iterable of int
        Candidates, such as ``range(2, 11)``.
    generator : object with ``generate(X, *, random_state)``, "precomputed" or None, default=None
        Generates the base partitions. None is that of `method` if it has one, else
        ``DiverseKinds()``.
    method : name, estimator or None, default=None
        Consensus method; None is ``TEA()``, whose tree is cut for all candidates. A method
        that builds no tree is run for each of them.
    n_draws : int, default=20
        Number of random halves of the partitions.
    n_references : int, default=19
        Number of reference data sets, 19 or more; with 0 there is no comparison, and the result
        is 1 only if every partition has one cluster.
    reference : {"uniform", "permuted"}, default="uniform"
        Reference data for features: uniform in the bounding box along the principal axes, or
        the samples with each feature shuffled separately. For partitions, each partition is
        shuffled separately.
    max_samples : int, default=1000
        Maximum number of samples; if there are more, they are drawn at random.
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

    Notes
    -----
    The comparison with shuffled partitions only shows that the partitions agree more than by
    chance, which is also true for partitions of one elongated cluster. Pass features if there are
    any.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import select_n_clusters
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0) + rng.normal(size=(90, 2))
    >>> found = select_n_clusters(X, range(2, 8), random_state=0)
    >>> found.n_clusters, found.p_value
    (3, 0.05)
    """
    given = {
        "generator": generator,
        "n_draws": n_draws,
        "n_references": n_references,
        "reference": reference,
        "max_samples": max_samples,
        "random_state": random_state,
    }
    check_params("select_n_clusters", _DECLARED, given)
    _check_references(n_references)
    candidates = _read_candidates(n_clusters)
    model = read_method(method, owner="select_n_clusters")
    maker = read_generator(model.generator if generator is None else generator)
    rng = random_source(random_state)
    with out_of_memory("select_n_clusters"), showing_if(verbose):
        source = Source(X, maker, reference, max_samples, rng)
        ensemble = source.ensemble(rng)
        usable = _usable(candidates, ensemble)
        n_references = 0 if usable == [1] else n_references  # there is nothing to compare
        with track("numbers of clusters", n_references + 1 + bool(n_references)) as advance:
            curves = measure(model, ensemble, usable, n_draws=n_draws, rng=rng)
            advance()
            observed, references = None, np.empty((0, len(usable)))
            if n_references:
                small = source.smaller(rng)
                observed = small.statistic(model, usable, rng)
                advance()
                drawn = []
                for _ in range(n_references):
                    drawn.append(small.reference(rng).statistic(model, usable, rng))
                    advance()
                references = np.array(drawn)
        return conclude(usable, curves, observed, references, source.samples, ensemble)


def _check_references(n_references: int) -> None:
    if 0 < n_references < _LEAST_REFERENCES:
        message = (
            f"The 'n_references' parameter of select_n_clusters must be at least "
            f"{_LEAST_REFERENCES}, or 0 for no comparison: the p-value is counted in steps of "
            f"1 / (n_references + 1). Got {n_references}."
        )
        raise InvalidParameterError(message)


def _read_candidates(n_clusters: Any) -> list[int]:
    try:
        given = list(n_clusters)
    except TypeError:
        given = [n_clusters]
    if not given or not all(Integer(1).accepts(k) for k in given) or max(given) < 2:
        message = (
            f"The 'n_clusters' parameter of select_n_clusters must be an iterable of integers, "
            f"at least one of them 2 or more, such as range(2, 11). Got {n_clusters!r}."
        )
        raise InvalidParameterError(message)
    return sorted({int(k) for k in given} - {1})  # one cluster is tested with the references


def _usable(candidates: list[int], ensemble: Ensemble) -> list[int]:
    """Candidates for which there are enough microclusters; a warning names the others.

    If every partition has one cluster, one is the only candidate.
    """
    if ensemble.n_partitions < _LEAST_PARTITIONS:
        message = (
            f"select_n_clusters draws random halves of the partitions and needs at least "
            f"{_LEAST_PARTITIONS} of them. Got {ensemble.n_partitions}."
        )
        raise InvalidInputError(message)
    if ensemble.cluster_counts.max() == 1:
        return [1]
    usable = [k for k in candidates if is_usable(k, ensemble)]
    groups = len(ensemble.microclusters().sizes)
    if not usable:
        message = (
            f"The ensemble has {groups} microclusters of {ensemble.n_samples} samples, too few "
            f"for any candidate: {candidates[0]} to {candidates[-1]}."
        )
        raise InvalidInputError(message)
    if len(usable) < len(candidates):
        message = (
            f"The ensemble has {groups} microclusters of {ensemble.n_samples} samples; "
            f"candidates above {usable[-1]} are ignored."
        )
        warnings.warn(message, FewerClustersWarning, stacklevel=3)
    return usable
