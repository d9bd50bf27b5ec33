"""The paper's Algorithm 2: low-rank refinement of a co-association matrix by ADMM.

The loop, the step sizes, the stopping rule and the trace are in `solver.py`. The arithmetic of an
iteration is done by an engine; `_plain.py` is the plain one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from consensa._array import (
    as_array,
    is_array,
    is_numpy,
    is_on_gpu,
    namespace,
    to_library,
    to_numpy,
)
from consensa._machine.memory import require_square
from consensa._params import OneOf, check_params
from consensa.exceptions import InvalidInputError
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._fused import FusedEngine
from consensa.tensor._graph import GraphDomain
from consensa.tensor._plain import Domain, PlainEngine
from consensa.tensor._slices import SliceDomain
from consensa.tensor.solver import (
    DECLARED,
    Engine,
    RefineIterate,
    RefineResult,
    default_tol,
    solve,
)

__all__ = ["DOMAINS", "refine"]

# Samples; below, the readable engine is quicker than loading numba. A matter of size alone, and
# not of `compiling_pays`, because the two engines round differently.
_FUSED_FROM = 256
# n × n arrays at the peak besides the two that are given, as tests measure them.
_SQUARE_ARRAYS = {"fused": 8, "cuda": 9, "plain": 17}


DOMAINS: dict[str, Callable[[Any], Domain]] = {
    "fourier": FourierDomain,
    "graph": GraphDomain,
    "slices": SliceDomain,
}


def refine(
    coassociation: Any,
    links: Any,
    *,
    penalty: float = 0.002,
    domain: str = "fourier",
    tol: float | None = None,
    max_iter: int = 500,
    step_size: float = 1e-4,
    step_growth: float = 1.1,
    max_step_size: float = 1e8,
    callback: Callable[[RefineIterate], Any] | None = None,
) -> RefineResult:
    r"""Low-rank tensor refinement of a co-association matrix.

    .. math::
        \min_{P, E} \; \|P\|_* + \lambda \|E\|_F^2 \quad \text{s.t. }
        P_2 + E = A, \; P_1 = 1 \text{ on the links}, \;
        P_1, P_2 \text{ symmetric, in } [0, 1],

    where :math:`P` is the n × n × 2 tensor of the slices :math:`P_1` (coherent links,
    completed) and :math:`P_2` (co-association, cleaned), :math:`\|\cdot\|_*` the tensor
    nuclear norm in the domain and :math:`\lambda` the penalty [1]_. Solved by ADMM
    from zero with a growing step size, as the paper's Algorithm 2 states it.

    Parameters
    ----------
    coassociation : array of shape (n, n)
        Co-association matrix A: symmetric, in [0, 1]. Its dtype is the one computed in.
    links : array of bool of shape (n, n)
        Coherent links: symmetric.
    penalty : float, default=0.002
        Weight of the error. The paper's 0.002 is suitable for many thousands of samples; with
        fewer, and shuffled rows, the refined matrix is nearly constant.
    domain : {"fourier", "graph"}, default="fourier"
        Domain of the nuclear norm. ``"fourier"`` is the paper's, along the samples: the
        answer depends on the order of the rows. ``"graph"`` uses the eigenvectors of the
        co-association matrix: it does not, and costs :math:`O(n^3)` an iteration.
        (``"slices"``, the usual t-SVD, is there for study: its solution is A itself.)
    tol : float or None, default=None
        Stop when the largest absolute entry of the three gaps P1 − B, P2 + E − A and P2 − C
        is smaller. None is the paper's 1e-8 in float64 and 3e-6 in float32.
    max_iter : int, default=500
        Maximum number of iterations; a `ConvergenceWarning` is raised if it is reached.
    step_size : float, default=1e-4
        First step size μ.
    step_growth : float, default=1.1
        Factor by which the step size grows each iteration.
    max_step_size : float, default=1e8
        Largest step size.
    callback : callable or None, default=None
        Called with a `RefineIterate` after each iteration; a true return value stops the solver.

    Returns
    -------
    RefineResult
        Named tuple (affinity, links, trace).

    Warns
    -----
    ConvergenceWarning
        If `max_iter` iterations were not enough.

    See Also
    --------
    consensa.LTA : The whole method, from partitions to labels.

    Notes
    -----
    The paper's step for P gives both slices the same weight although the second has two
    quadratic terms. Its fixed points therefore solve the problem above with
    :math:`\lambda / 2` instead of :math:`\lambda`. We keep the step.

    NumPy arrays of 256 samples and more are solved by compiled loops on all cores, with at most
    8 n × n arrays besides the two inputs (9 below 600 samples) and at most 2 KiB per sample and
    thread; the result does not depend on the number of threads (the cores of the process, or
    OMP_NUM_THREADS). torch tensors on a CUDA device are solved there by special kernels with 7
    arrays, and up to 2 for cuFFT. All other arrays use the plain implementation with 17 arrays.

    References
    ----------
    .. [1] Y. Jia, H. Liu, J. Hou and Q. Zhang, "Clustering ensemble meets low-rank tensor
       approximation", AAAI 2021.

    Examples
    --------
    >>> from consensa import Ensemble, coassociation, coherent_links
    >>> from consensa.tensor import refine
    >>> ensemble = Ensemble.from_labels([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> result = refine(coassociation(ensemble), coherent_links(ensemble), penalty=50.0)
    >>> result.trace.converged
    True
    >>> result.affinity.round(1)
    array([[1. , 1. , 0.5, 0. ],
           [1. , 1. , 0.5, 0. ],
           [0.5, 0.5, 1. , 0.5],
           [0. , 0. , 0.5, 1. ]])
    """
    target, linked = _read(coassociation, links)
    check_params(
        "refine",
        {**DECLARED, "domain": (OneOf(tuple(DOMAINS)),)},
        {
            "penalty": penalty,
            "domain": domain,
            "tol": tol,
            "max_iter": max_iter,
            "step_size": step_size,
            "step_growth": step_growth,
            "max_step_size": max_step_size,
        },
    )
    return solve(
        _engine(target, linked, penalty, domain),
        penalty=penalty,
        tol=default_tol(namespace(target), target.dtype) if tol is None else tol,
        max_iter=max_iter,
        step_size=step_size,
        step_growth=step_growth,
        max_step_size=max_step_size,
        callback=callback,
    )


def _engine(target: Any, linked: Any, penalty: float, domain: str) -> Engine:
    """The compiled engines where they pay, the readable one everywhere else."""
    kind = _engine_kind(target, domain)
    arrays, dtype = _SQUARE_ARRAYS[kind], to_numpy(target[:1, :1]).dtype
    require_square(int(target.shape[0]), dtype, arrays=arrays, step="The refinement", like=target)
    if kind == "fused":
        return FusedEngine(target, linked, penalty)
    if kind == "cuda":
        from consensa.tensor._cuda import CudaEngine  # needs torch

        return CudaEngine(target, linked, penalty)
    return PlainEngine(target, linked, penalty, DOMAINS[domain](target))


def _engine_kind(target: Any, domain: str) -> str:
    if domain == "fourier" and is_on_gpu(target):
        return "cuda"
    fused = domain == "fourier" and is_numpy(namespace(target)) and len(target) >= _FUSED_FROM
    return "fused" if fused else "plain"


def _read(coassociation: Any, links: Any) -> tuple[Any, Any]:
    """Check shapes and types; the links follow the matrix to its library."""
    target = as_array(coassociation)
    xp = namespace(target)
    if target.ndim != 2 or target.shape[0] != target.shape[1] or target.shape[0] < 2:
        message = (
            "coassociation must be a square matrix of at least 2 samples. "
            f"Got shape {tuple(target.shape)}."
        )
        raise InvalidInputError(message)
    if not xp.isdtype(target.dtype, "real floating"):
        target = xp.astype(target, xp.float64)
    if not bool(xp.all((target >= 0) & (target <= 1))):
        message = "coassociation must have its entries in [0, 1]. It has others, or NaN."
        raise InvalidInputError(message)
    linked = links if is_array(links) else to_library(np.asarray(links), like=target)
    if tuple(linked.shape) != tuple(target.shape):
        message = (
            f"links must have the shape of coassociation, {tuple(target.shape)}. "
            f"Got {tuple(linked.shape)}."
        )
        raise InvalidInputError(message)
    if not xp.isdtype(linked.dtype, "bool"):
        linked = linked == 1
    return target, linked
