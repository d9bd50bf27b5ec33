"""LTA: low-rank tensor refinement of the co-association matrix (Jia et al. 2021)."""

from __future__ import annotations

import warnings
from typing import Any

from consensa._array import is_on_gpu, namespace
from consensa._defaults import KMEANS_STARTS
from consensa._machine.memory import require_square
from consensa._params import OneOf, Real
from consensa._result import ConsensusResult
from consensa.consensus._order_dependent import (
    OPTIONS_OF_THE_SOLVER,
    moved,
    returned,
    warn_about_order,
)
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.exceptions import DegenerateRefinementWarning
from consensa.metrics.spectrum import order_information
from consensa.partition import Dendrogram, cut_by_spectrum, linkage_tree
from consensa.similarity import coassociation, coherent_links
from consensa.tensor import refine

__all__ = ["LTA", "auto_penalty", "lta"]

_ARRAYS_ON_DEVICE = 10.25  # the co-association matrix, the links and the arrays of the solver
_CONSTANT_BELOW = 0.05  # spread over mean: above 0.13 if blobs were found, else 0 to 0.03


def _by_spectrum(
    affinity: Any, n_clusters: int, n_init: int, random_state: Any
) -> tuple[Any, Dendrogram | None]:
    labels = cut_by_spectrum(affinity, n_clusters, n_init=n_init, random_state=random_state)
    return labels, None


def _by_average_linkage(
    affinity: Any, n_clusters: int, n_init: int, random_state: Any
) -> tuple[Any, Dendrogram | None]:
    tree = linkage_tree(affinity, method="average")
    return tree.cut(n_clusters), tree


_PARTITIONS = {"spectral": _by_spectrum, "average": _by_average_linkage}


@consensus_method(
    MethodInfo(
        name="LTA",
        year=2021,
        reference="Y. Jia, H. Liu, J. Hou and Q. Zhang, AAAI 2021",
        time="50 to 250 × n² log n",
        memory="9 n²",
        square_arrays=9,
        order_free=False,
        gpu=True,
    ),
    partition=(OneOf(tuple(_PARTITIONS)),),
    penalty=(Real(above=0), OneOf(("auto",))),
    domain=(OneOf(("fourier", "graph")),),
    **OPTIONS_OF_THE_SOLVER,
)
def lta(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    partition: str = "spectral",
    penalty: float | str = "auto",
    domain: str = "fourier",
    tol: float | None = None,
    max_iter: int = 500,
    dtype: str = "float64",
    device: str | None = None,
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by low-rank tensor approximation.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    partition : {"spectral", "average"}, default="spectral"
        How the refined matrix is clustered: the paper's Ours-SC or Ours-EA.
    penalty : float or "auto", default="auto"
        Weight of the error in the refinement; "auto" is max(0.002, 1000 · n^-1.5).
    domain : {"fourier", "graph"}, default="fourier"
        Domain of the tensor nuclear norm.
    tol : float or None, default=None
        Tolerance of the solver; None is 1e-8 in float64, 3e-6 in float32.
    max_iter : int, default=500
        Maximum number of iterations of the solver.
    dtype : {"float64", "float32"}, default="float64"
        Data type of the refinement.
    device : {"cpu", "cuda"} or None, default=None
        Device of the matrices and the refinement; None is that of the labels.
    n_init : int, default=20
        Number of starts of k-means in the spectral partition.
    random_state : int, RandomState instance or None, default=None
        Seed of the spectral partition.

    Returns
    -------
    ConsensusResult
        Labels, the refined matrix, the solver's trace, and ``details["order_information"]``.

    See Also
    --------
    LTA : The estimator; formula, reference and example.

    Examples
    --------
    >>> import warnings
    >>> from consensa import Ensemble, lta
    >>> ensemble = Ensemble.from_labels([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # the warning about the order of the rows
    ...     lta(ensemble, 2, random_state=0).labels
    array([0, 0, 1, 1])
    """
    n = ensemble.n_samples
    weight = auto_penalty(n) if penalty == "auto" else float(penalty)
    there = moved(ensemble, device)
    if is_on_gpu(there.labels):
        require_square(n, dtype, arrays=_ARRAYS_ON_DEVICE, step="LTA", like=there.labels)
    evidence = coassociation(there, dtype=dtype)
    details = {"order_information": order_information(evidence)} if domain == "fourier" else {}
    refined = refine(
        evidence,
        coherent_links(there),
        penalty=weight,
        domain=domain,
        tol=tol,
        max_iter=max_iter,
    )
    _warn_if_constant(refined.affinity, weight, n)
    if domain == "fourier":
        warn_about_order("LTA", details["order_information"])
    labels, tree = _PARTITIONS[partition](refined.affinity, n_clusters, n_init, random_state)
    return ConsensusResult(
        labels,
        ensemble,
        affinity=returned(refined.affinity, ensemble.labels),
        tree=tree,
        trace=refined.trace,
        details=details,
    )


def auto_penalty(n_samples: int) -> float:
    """The paper's penalty, or a larger one for few samples, where the paper's fails."""
    return max(0.002, 1000 * n_samples**-1.5)


def _warn_if_constant(affinity: Any, penalty: float, n_samples: int) -> None:
    xp = namespace(affinity)
    mean, spread = float(xp.mean(affinity)), float(xp.std(affinity))
    if spread > _CONSTANT_BELOW * mean:
        return
    better = max(auto_penalty(n_samples), 10 * penalty)
    message = (
        f"With penalty={penalty:.3g} the refined matrix is nearly constant "
        f"({mean:.3g} ± {spread:.1g}) and contains no information on the clusters. "
        f"Try penalty={better:.3g}."
    )
    warnings.warn(message, DegenerateRefinementWarning, stacklevel=5)


class LTA(BaseConsensus):
    r"""Consensus by low-rank tensor approximation.

    The co-association matrix :math:`A` and the coherent links :math:`M` (pairs that every
    partition puts into the same cluster) are stacked to an n × n × 2 tensor, which is approximated
    by one of low rank:

    .. math::
        \min_{P, E} \; \|P\|_* + \lambda \|E\|_F^2 \quad \text{s.t. }
        P_2 + E = A, \; P_1 = 1 \text{ where } M = 1, \;
        P_1, P_2 \text{ symmetric, in } [0, 1].

    The refined matrix :math:`P_2` is clustered by spectral clustering (the paper's Ours-SC) or by
    average linkage (Ours-EA) [1]_.

    **The result depends on the order of the rows.** The tensor nuclear norm of the paper
    takes a Fourier transform along the samples, which keeps what is smooth or periodic along the
    rows. Six of the paper's seven data files are sorted by class, or nearly so. Each fit computes
    the order information (`order_information_`) and warns. Use another method unless the order of
    your rows has a meaning.

    Parameters
    ----------
    %(n_clusters)s
    partition : {"spectral", "average"}, default="spectral"
        How the refined matrix is clustered.
    penalty : float or "auto", default="auto"
        Weight :math:`\lambda` of the error. ``"auto"`` is
        :math:`\max(0.002, 1000\, n^{-3/2})`: with the paper's 0.002 the refined matrix of
        fewer than a few thousand samples is nearly constant if their rows are shuffled. To
        compare with the paper, pass 0.002.
    domain : {"fourier", "graph"}, default="fourier"
        Domain of the tensor nuclear norm: the paper's, or the eigenvectors of the
        co-association matrix, which are order-free and cost :math:`O(n^3)` per iteration.
    tol : float or None, default=None
        Tolerance on the largest gap; None is the paper's 1e-8 in float64, and 3e-6 in float32.
    max_iter : int, default=500
        Maximum number of iterations of the solver.
    dtype : {"float64", "float32"}, default="float64"
        Data type of the refinement. float32 takes half the memory and time.
    device : {"cpu", "cuda"} or None, default=None
        Device on which the matrices are built, refined and, with ``partition="spectral"``,
        clustered: the CPU or a CUDA device (needs the extra ``gpu``). None is that of the
        labels.
    n_init : int, default=20
        Number of starts of k-means in the spectral partition.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the spectral partition.

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Refined co-association matrix, in the array library of the input.
    linkage_matrix_ : ndarray of shape (n_samples - 1, 4)
        The tree, in SciPy's format, with ``partition="average"``.
    trace_ : SolverTrace
        Trace of the solver.
    %(n_iter_)s
    order_information_ : float
        In the Fourier domain, the dependence of the co-association matrix on the order of the
        rows, in [0, 1]: about 0 for shuffled rows.
    %(fitted)s

    See Also
    --------
    lta : The same for an existing `Ensemble`.
    EAC : An order-free method.
    consensa.metrics.order_sensitivity : Measures how much a result depends on the order.

    Notes
    -----
    50 to 250 iterations of :math:`O(n^2 \log n)`, memory for 9 n × n arrays.

    References
    ----------
    .. [1] Y. Jia, H. Liu, J. Hou and Q. Zhang, "Clustering ensemble meets low-rank tensor
       approximation", AAAI 2021.

    Examples
    --------
    >>> import warnings
    >>> from consensa import LTA
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> model = LTA(n_clusters=2, generator="precomputed", random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # the warning about the order of the rows
    ...     model.fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(lta)
    partition: str = "spectral"
    penalty: float | str = "auto"
    domain: str = "fourier"
    tol: float | None = None
    max_iter: int = 500
    dtype: str = "float64"
    device: str | None = None
    n_init: int = KMEANS_STARTS
    order_information_ = Detail()
