"""Probability trajectories: similarity of random walks from two microclusters."""

from __future__ import annotations

import math

import numpy as np

from consensa._array import Array
from consensa._machine.memory import require_square
from consensa._params import Constraint, Integer, OneOf, check_params
from consensa.ensemble import Ensemble
from consensa.similarity._coassociation import coassociation
from consensa.similarity._trajectories import trajectory_similarity

__all__ = ["probability_trajectories"]

_RULE: tuple[Constraint, ...] = (Integer(1), OneOf(("auto", "paper")))
_WALK_PARAMS = {"n_neighbors": _RULE, "walk_length": _RULE}

_CAP = 20
_BLOCK_BYTES = 2**25


def probability_trajectories(
    ensemble: Ensemble, *, n_neighbors: int | str = "auto", walk_length: int | str = "auto"
) -> Array:
    r"""Probability trajectory similarity (PTS) of the microclusters of an ensemble.

    A microcluster is a set of samples with equal labels in every partition. Each is linked to
    those with the highest co-association, and random walks on these links, which prefer larger
    microclusters, are compared (`trajectory_similarity`).

    Parameters
    ----------
    ensemble : Ensemble
        Base partitions.
    n_neighbors : int, "auto" or "paper", default="auto"
        Number of neighbors k. A link is kept if its co-association is at least the k-th
        largest of either end, so ties are kept. For q microclusters, "auto" is
        :math:`\lfloor\sqrt q/2\rfloor` but at most 20, as in the authors' program; "paper"
        is the same without the limit of 20, as in the paper.
    walk_length : int, "auto" or "paper", default="auto"
        Number of steps of the walks; "auto" and "paper" as for `n_neighbors`.

    Returns
    -------
    ndarray of shape (n_microclusters, n_microclusters)
        Symmetric, in [0, 1], with a diagonal of ones, in the order of
        `Ensemble.microclusters`.

    Raises
    ------
    NotEnoughMemoryError
        If there are too many microclusters: six arrays of their number squared are needed.

    See Also
    --------
    trajectory_similarity : The walks, on any graph.
    consensa.Ensemble.microclusters : The microclusters.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Robust ensemble clustering using probability
       trajectories", IEEE TKDE 28(5), 2016. :doi:`10.1109/TKDE.2015.2503753`

    Examples
    --------
    >>> from consensa import Ensemble
    >>> from consensa.similarity import probability_trajectories
    >>> ensemble = Ensemble.from_labels([[0, 0], [0, 1], [0, 1], [1, 1], [1, 2]])
    >>> probability_trajectories(ensemble).round(2)
    array([[1.  , 0.  , 0.89, 0.  ],
           [0.  , 1.  , 0.  , 0.71],
           [0.89, 0.  , 1.  , 0.  ],
           [0.  , 0.71, 0.  , 1.  ]])
    """
    given = {"n_neighbors": n_neighbors, "walk_length": walk_length}
    check_params("probability_trajectories", _WALK_PARAMS, given)
    groups = ensemble.microclusters()
    n_groups = len(groups.sizes)
    require_square(
        n_groups,
        np.float64,
        arrays=6,
        step="Trajectories of the microclusters",
        of="microclusters",
    )
    nearest = min(_by_rule(n_neighbors, n_groups), n_groups)
    links = _nearest_links(coassociation(Ensemble(groups.rows)), nearest)
    return trajectory_similarity(
        links, walk_length=_by_rule(walk_length, n_groups), sizes=groups.sizes
    )


def _by_rule(given: int | str, n_groups: int) -> int:
    """The number given, or half the root of the number of microclusters, at least 1."""
    if not isinstance(given, str):
        return int(given)
    half_root = max(1, int(math.sqrt(n_groups) / 2))
    return min(half_root, _CAP) if given == "auto" else half_root


def _nearest_links(affinity: Array, n_neighbors: int) -> Array:
    """Links that reach the k-th largest affinity of their row or of their column.

    `affinity` is overwritten. Its diagonal is emptied and then counts among the entries of
    its row, as in the authors' program.
    """
    np.fill_diagonal(affinity, 0)
    n = len(affinity)
    block = max(1, _BLOCK_BYTES // (8 * n))
    for start in range(0, n, block):
        rows = affinity[start : start + block]
        least = np.partition(rows, n - n_neighbors, axis=1)[:, [n - n_neighbors]]
        rows[rows < least] = 0
    return np.maximum(affinity, affinity.T)
