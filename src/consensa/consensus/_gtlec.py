"""GTLEC: graph tensor learning, one low-rank slice for each partition (Chen et al. 2023)."""

from __future__ import annotations

from typing import Any

from consensa._array import is_on_gpu, to_library
from consensa._defaults import KMEANS_STARTS
from consensa._machine.memory import require_square
from consensa._result import ConsensusResult
from consensa.consensus._order_dependent import (
    OPTIONS_OF_THE_SOLVER,
    moved,
    returned,
    warn_about_order,
)
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble
from consensa.metrics.spectrum import order_information
from consensa.partition import cut_by_spectrum
from consensa.similarity import coassociation
from consensa.tensor import refine_members

__all__ = ["GTLEC", "gtlec"]

_ARRAYS = 6  # of the step of one partition, beside the three that every partition has
_ARRAYS_PER_PARTITION = 3


@consensus_method(
    MethodInfo(
        name="GTLEC",
        year=2023,
        reference="M.-S. Chen, J.-Q. Lin, C.-D. Wang, W.-D. Xi and D. Huang, ACM MM 2023",
        time="20 to 32 × m n³",
        memory=f"{_ARRAYS} n² + {_ARRAYS_PER_PARTITION} m n² + 9 n m²",
        square_arrays=_ARRAYS,
        square_arrays_per_partition=_ARRAYS_PER_PARTITION,
        arrays=(Arrays(9, "nmm"),),  # the Gram matrices of all frequencies, of each of 8 tasks
        order_free=False,
        missing=False,
        gpu=True,
    ),
    **OPTIONS_OF_THE_SOLVER,
)
def gtlec(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    alpha: float = 0.05,
    beta: float = 7.0,
    tol: float | None = None,
    max_iter: int = 32,
    dtype: str = "float64",
    device: str | None = None,
    n_init: int = KMEANS_STARTS,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by graph tensor learning.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    alpha : float, default=0.05
        Weight of the absolute values, which make the matrices sparse.
    beta : float, default=7.0
        Weight of the tensor nuclear norm.
    tol : float or None, default=None
        Tolerance of the solver; None is 1e-8 in float64, 1e-3 in float32.
    max_iter : int, default=32
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
        Labels, the refined matrix, the solver's trace, ``details["order_information"]`` and
        ``details["partition_weights"]``.

    See Also
    --------
    GTLEC : The estimator; formula, reference and example.

    Examples
    --------
    >>> import warnings
    >>> from consensa import Ensemble, gtlec
    >>> ensemble = Ensemble.from_labels([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # the warning about the order of the rows
    ...     gtlec(ensemble, 2, random_state=0).labels
    array([0, 0, 1, 1])
    """
    there = moved(ensemble, device)
    if is_on_gpu(there.labels):
        arrays = _ARRAYS + _ARRAYS_PER_PARTITION * ensemble.n_partitions
        require_square(ensemble.n_samples, dtype, arrays=arrays, step="GTLEC", like=there.labels)
    information = order_information(coassociation(there, dtype=dtype))
    refined = refine_members(
        to_library(there.codes, like=there.labels),
        n_clusters,
        alpha=alpha,
        beta=beta,
        tol=tol,
        max_iter=max_iter,
        dtype=dtype,
    )
    warn_about_order("GTLEC", information)
    labels = cut_by_spectrum(
        refined.affinity, n_clusters, n_init=n_init, random_state=random_state
    )
    return ConsensusResult(
        labels,
        ensemble,
        affinity=returned(refined.affinity, ensemble.labels),
        trace=refined.trace,
        details={"order_information": information, "partition_weights": refined.weights},
    )


class GTLEC(BaseConsensus):
    r"""Consensus by graph tensor learning.

    Each partition :math:`v` has a co-association matrix of its own, :math:`H_v`, with 1 for two
    samples in the same cluster. All of them are refined together, to matrices :math:`S_v` that
    form a tensor of low rank:

    .. math::
        \min_{S_v} \; \sum_v \|H_v - S_v\|_F + \alpha \sum_v \|S_v\|_1 + \beta \|S\|_*
        \quad \text{s.t. } S_v \text{ symmetric, } 0 \preceq S_v \preceq I, \;
        \operatorname{tr} S_v = K.

    The mean of the :math:`|S_v|`, without its diagonal, is clustered by spectral clustering [1]_.

    **The result depends on the order of the rows.** The tensor nuclear norm of the paper
    takes a Fourier transform along the samples, which keeps what is smooth or periodic along the
    rows. Each fit computes the order information (`order_information_`) and warns. Use another
    method unless the order of your rows has a meaning.

    Parameters
    ----------
    %(n_clusters)s
    alpha : float, default=0.05
        Weight of the absolute values, which make the matrices sparse. The default is the authors'.
    beta : float, default=7.0
        Weight of the tensor nuclear norm. The default is the authors'.
    tol : float or None, default=None
        Tolerance on the largest absolute row sum of a gap; None is the authors' 1e-8 in float64,
        and 1e-3 in float32.
    max_iter : int, default=32
        Maximum number of iterations of the solver; the default is the authors'.
    dtype : {"float64", "float32"}, default="float64"
        Data type of the refinement. float32 takes half the memory.
    device : {"cpu", "cuda"} or None, default=None
        Device on which the matrices are built, refined and clustered: the CPU or a CUDA device
        (needs the extra ``gpu``). None is that of the labels.
    n_init : int, default=20
        Number of starts of k-means in the spectral partition.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the spectral partition.

    Attributes
    ----------
    %(labels_)s
    affinity_matrix_ : array of shape (n_samples, n_samples)
        Mean of the refined matrices, in the array library of the input.
    trace_ : SolverTrace
        Trace of the solver: the gaps S − Z and S − A to the sparse and to the low-rank copy.
    %(n_iter_)s
    order_information_ : float
        Dependence of the co-association matrix on the order of the rows, in [0, 1]: about 0 for
        shuffled rows.
    partition_weights_ : ndarray of shape (n_partitions,)
        Weight of each partition, 1 over twice the distance of its matrix from the refined one.
    %(fitted)s

    See Also
    --------
    gtlec : The same for an existing `Ensemble`.
    LTA : Refines the co-association matrix of all partitions, with the same norm.
    TEA : An order-free method.
    consensa.metrics.order_sensitivity : Measures how much a result depends on the order.

    Notes
    -----
    At most 32 iterations, each with :math:`m` eigendecompositions of n × n matrices. Memory for
    6 n × n arrays and 3 for each partition, and 9 of n × m × m. Missing labels are not accepted:
    the paper does not define the matrix of a partition that has some.

    References
    ----------
    .. [1] M.-S. Chen, J.-Q. Lin, C.-D. Wang, W.-D. Xi and D. Huang, "On regularizing multiple
       clusterings for ensemble clustering by graph tensor learning", ACM Multimedia 2023.
       :doi:`10.1145/3581783.3612313`

    Examples
    --------
    >>> import warnings
    >>> from consensa import GTLEC
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> model = GTLEC(n_clusters=2, generator="precomputed", random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # the warning about the order of the rows
    ...     model.fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(gtlec)
    alpha: float = 0.05
    beta: float = 7.0
    tol: float | None = None
    max_iter: int = 32
    dtype: str = "float64"
    device: str | None = None
    n_init: int = KMEANS_STARTS
    order_information_ = Detail()
    partition_weights_ = Detail()
