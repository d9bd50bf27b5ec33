"""GTLEC's solver: one n × n matrix for each partition, refined together by ADMM.

In the paper's notation, H_v is the co-association matrix of partition v, S_v its refinement in the
Fantope, Z_v a sparse copy, A_v a copy in a tensor of low rank; Y1_v and Y2_v are the multipliers,
μ and ρ the step sizes. In place of the multipliers, the points are stored at which the copies were
computed: of U = S + Y1/μ, Z is what lies outside of [-α/μ, α/μ], and Y1/μ is what lies inside; of
T = S + Y2/ρ, A is the thresholded tensor, and Y2/ρ is the rest. So three arrays a partition are
sufficient: U, A (and S until A is computed) and the rest T − A.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array, device, from_rows, is_array, namespace, to_numpy, unmasked
from consensa._machine.progress import track
from consensa._params import Declaration, Integer, NoneType, OneOf, Real, check_params
from consensa._result import SolverTrace
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.tensor._columns import column_shrinkage
from consensa.tensor._fantope import project_fantope
from consensa.tensor._member_spectra import spectra_of
from consensa.tensor.half_spectrum import multiplicity
from consensa.tensor.solver import Iteration, trace_of, warn_not_converged

__all__ = ["MembersResult", "refine_members"]

_SPARSE_STEP, _TENSOR_STEP = 1e-5, 1e-2  # the first μ and ρ
_GROWTH = 3.0
_LARGEST_SPARSE_STEP, _LARGEST_TENSOR_STEP = 1e11, 1e13

_DECLARED: Declaration = {
    "n_clusters": (Integer(1),),
    "alpha": (Real(above=0),),
    "beta": (Real(above=0),),
    "tol": (Real(above=0), NoneType()),
    "max_iter": (Integer(1),),
    "dtype": (OneOf(("float64", "float32")),),
}


class MembersResult(NamedTuple):
    """Result of `refine_members`.

    Attributes
    ----------
    affinity : array of shape (n, n)
        Mean absolute value of the sparse copies, in [0, 1]; the diagonal is 0.
    weights : ndarray of shape (m,)
        Weight of each partition.
    trace : SolverTrace
        Trace of the solver.
    """

    affinity: Any
    weights: Array
    trace: SolverTrace


def refine_members(
    labels: Any,
    n_clusters: int,
    *,
    alpha: float = 0.05,
    beta: float = 7.0,
    tol: float | None = None,
    max_iter: int = 32,
    dtype: str = "float64",
) -> MembersResult:
    r"""Refinement of one matrix for each partition, by low-rank tensor approximation.

    .. math::
        \min_{S_v} \; \sum_v \|H_v - S_v\|_F + \alpha \sum_v \|S_v\|_1 + \beta \|S\|_*
        \quad \text{s.t. } S_v \text{ symmetric, } 0 \preceq S_v \preceq I, \;
        \operatorname{tr} S_v = K,

    where :math:`H_v` is the co-association matrix of partition :math:`v` alone, :math:`S` the
    tensor of all :math:`S_v` and :math:`\|\cdot\|_*` the tensor nuclear norm with its Fourier
    transform along the samples: the answer depends on the order of the rows [1]_.

    Parameters
    ----------
    labels : array of int of shape (n, m)
        Label matrix without missing labels: no entry is negative or masked.
    n_clusters : int
        Trace :math:`K` of each matrix.
    alpha : float, default=0.05
        Weight of the absolute values.
    beta : float, default=7.0
        Weight of the tensor nuclear norm.
    tol : float or None, default=None
        Stop when the largest absolute row sum of the gaps S − Z and S − A is not larger. None is
        the authors' 1e-8 in float64, and 1e-3 in float32.
    max_iter : int, default=32
        Maximum number of iterations; a `ConvergenceWarning` is raised if it is reached.
    dtype : {"float64", "float32"}, default="float64"
        Data type of the matrices.

    Returns
    -------
    MembersResult
        Named tuple (affinity, weights, trace).

    Warns
    -----
    ConvergenceWarning
        If `max_iter` iterations were not enough.

    See Also
    --------
    consensa.GTLEC : The whole method, from partitions to labels.
    refine : The refinement of LTA.

    Notes
    -----
    Memory for 3 m + 6 arrays of n × n. An iteration projects m matrices on the constraints, by an
    eigendecomposition or, if few eigenvalues are clipped, by two Cholesky decompositions, and
    takes Fourier transforms of :math:`O(m n^2 \log n)`. The thresholds at each frequency are
    computed from an m × m Gram matrix. Both step sizes triple in each iteration, as in the
    authors' program: the solver stops near an optimum rather than at it.

    References
    ----------
    .. [1] M.-S. Chen, J.-Q. Lin, C.-D. Wang, W.-D. Xi and D. Huang, "On regularizing multiple
       clusterings for ensemble clustering by graph tensor learning", ACM Multimedia 2023.
       :doi:`10.1145/3581783.3612313`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.tensor import refine_members
    >>> result = refine_members(np.array([[0, 0], [0, 0], [1, 1], [1, 1]]), 2)
    >>> result.trace.converged
    True
    >>> result.affinity.round(2)
    array([[0.  , 0.07, 0.  , 0.02],
           [0.07, 0.  , 0.02, 0.  ],
           [0.  , 0.02, 0.  , 0.07],
           [0.02, 0.  , 0.07, 0.  ]])
    """
    given = _read(labels)
    values = {"n_clusters": n_clusters, "alpha": alpha, "beta": beta, "tol": tol}
    check_params("refine_members", _DECLARED, {**values, "max_iter": max_iter, "dtype": dtype})
    if n_clusters > given.shape[0]:
        message = (
            f"The 'n_clusters' parameter of refine_members must be at most the number of samples, "
            f"{given.shape[0]}. Got {n_clusters}."
        )
        raise InvalidParameterError(message)
    if tol is None:
        tol = 1e-8 if dtype == "float64" else 1e-3
    solver = _Solver(given, n_clusters, alpha, beta, dtype)
    history: list[Iteration] = []
    with track("low-rank refinement") as advance:
        while not (history and history[-1].residual <= tol) and len(history) < max_iter:
            history.append(solver.iterate())
            advance()
    converged = history[-1].residual <= tol
    if not converged:
        warn_not_converged(max_iter, history[-1].residual, tol, stacklevel=3)
    return MembersResult(solver.affinity(), solver.weights, trace_of(history, converged, tol))


def _read(labels: Any) -> Any:
    """The labels as an array; raise an error for another shape or dtype, or a missing label."""
    rows = labels if isinstance(labels, (list, tuple)) else [labels]
    if any(np.ma.is_masked(row) for row in rows):
        message = (
            "labels must not be masked: each partition must label each sample. Leave out such "
            "rows or partitions."
        )
        raise InvalidInputError(message)
    given = unmasked(labels, None)
    given = given if is_array(given) else from_rows(given, "labels")
    xp = namespace(given)
    if given.ndim != 2 or given.shape[0] < 2 or given.shape[1] < 1:
        message = (
            "labels must be a matrix with a row for each of at least 2 samples and a column for "
            f"each partition. Got shape {tuple(given.shape)}."
        )
        raise InvalidInputError(message)
    if not xp.isdtype(given.dtype, ("integral", "bool")):
        message = (
            f"labels must be integers. Got dtype {given.dtype}. Number the clusters of each "
            "partition from 0."
        )
        raise InvalidInputError(message)
    host = to_numpy(given)
    if (host < 0).any():
        row, column = np.argwhere(host < 0)[0]
        message = (
            "labels must not be negative: each partition must label each sample. Row "
            f"{row} of partition {column} has {host[row, column]}. Leave out such rows or "
            "partitions."
        )
        raise InvalidInputError(message)
    return given


class _Solver:
    """The authors' algorithm, with the arrays described above."""

    def __init__(
        self, labels: Any, n_clusters: int, alpha: float, beta: float, dtype: str
    ) -> None:
        xp = self.xp = namespace(labels)
        self.labels, self.n_clusters = labels, n_clusters
        self.alpha, self.beta = alpha, beta
        self.n, self.m = (int(size) for size in labels.shape)
        self.weights = np.full(self.m, 1 / self.m)
        self.multiplicity = multiplicity(self.n, like=labels)
        shape, kind = (self.m, self.n, self.n), getattr(xp, dtype)
        self.points = xp.zeros(shape, dtype=kind, device=device(labels))  # U
        self.copies = xp.zeros(shape, dtype=kind, device=device(labels))  # A; S before
        self.rests = xp.zeros(shape, dtype=kind, device=device(labels))  # T − A
        self.spectra = spectra_of(self.copies, self.rests)
        identity = xp.eye(self.n, dtype=kind, device=device(labels))
        for v in range(self.m):  # Z = A = I, without multipliers
            self.points[v, :, :] = identity
            self.copies[v, :, :] = identity
        self.sparse_step, self.tensor_step = _SPARSE_STEP, _TENSOR_STEP
        self.sparse_ratio, self.tensor_ratio = 1.0, 1.0  # of the last step sizes to these
        self.limit = 0.0  # α over the last μ

    def iterate(self) -> Iteration:
        """Do one iteration."""
        fits, sizes, sparse_gap = 0.0, 0.0, 0.0
        for v in range(self.m):
            fit, size, gap = self._refine_one(v)
            fits, sizes, sparse_gap = fits + fit, sizes + size, max(sparse_gap, gap)
        norm, survivors, tensor_gap = self._approximate()
        step = self.sparse_step
        self._grow()
        objective = fits + self.alpha * sizes + self.beta * norm
        return Iteration((sparse_gap, tensor_gap), step, objective, survivors)

    def _refine_one(self, v: int) -> tuple[float, float, float]:
        """S and U of one partition; ‖H − S‖, the sum of |Z|, and the largest row sum of S − Z."""
        xp, point = self.xp, self.points[v, ...]
        inner = xp.clip(point, -self.limit, self.limit)
        target = self._target(v, point, inner)
        # U is replaced by Y1/μ, so that at most two arrays are there beside the eigenvectors.
        self.points[v, :, :] = self.sparse_ratio * inner
        del inner, point
        refined = project_fantope(target, self.n_clusters)
        del target
        point = self.points[v, ...] + refined
        self.points[v, :, :] = point
        self.copies[v, :, :] = refined
        limit = self.alpha / self.sparse_step
        sparse = point - xp.clip(point, -limit, limit)  # Z
        size = float(xp.sum(xp.abs(sparse), dtype=xp.float64))
        gap = float(xp.max(xp.sum(xp.abs(refined - sparse), axis=1)))
        del sparse, point
        error = refined - self._evidence(v)
        fit = math.sqrt(float(xp.sum(error * error, dtype=xp.float64)))
        self.weights[v] = 0.5 / max(fit, float(np.finfo(np.float64).eps))
        return fit, size, gap

    def _target(self, v: int, point: Any, inner: Any) -> Any:
        """What S is the projection of: a mean of H, Z − Y1/μ and A − Y2/ρ, symmetric."""
        twice, mu, rho = 2 * float(self.weights[v]), self.sparse_step, self.tensor_step
        low_rank = self.copies[v, ...] - self.tensor_ratio * self.rests[v, ...]
        target = (0.5 * rho) * (low_rank + self.xp.matrix_transpose(low_rank))
        del low_rank
        target += twice * self._evidence(v)
        target += mu * (point - (1 + self.sparse_ratio) * inner)
        target /= twice + mu + rho
        return (target + self.xp.matrix_transpose(target)) / 2  # against rounding

    def _evidence(self, v: int) -> Any:
        """H: the co-association matrix of one partition."""
        label = self.labels[:, v]
        return self.xp.astype(label[:, None] == label[None, :], self.points.dtype)

    def _approximate(self) -> tuple[float, int, float]:
        """A of all partitions; its norm, singular values, and the largest row sum of S − A."""
        xp = self.xp
        gram = self.spectra.gram(self.tensor_ratio)
        by = column_shrinkage(gram, self.beta / self.tensor_step)
        sums = self.spectra.replace(by.multipliers, self.tensor_ratio)
        values, count = by.singular_values, self.multiplicity[:, None]
        survivors = int(xp.sum(count * xp.astype(values > 0, xp.float64)))
        return float(xp.sum(count * values)) / self.n, survivors, float(xp.max(sums))

    def _grow(self) -> None:
        self.limit = self.alpha / self.sparse_step
        following = min(_GROWTH * self.sparse_step, _LARGEST_SPARSE_STEP)
        self.sparse_ratio, self.sparse_step = self.sparse_step / following, following
        following = min(_GROWTH * self.tensor_step, _LARGEST_TENSOR_STEP)
        self.tensor_ratio, self.tensor_step = self.tensor_step / following, following

    def affinity(self) -> Any:
        """Mean of |Z|, symmetric, without its diagonal."""
        xp = self.xp
        total: Any = 0.0
        for v in range(self.m):
            point = self.points[v, ...]
            total = total + xp.abs(point - xp.clip(point, -self.limit, self.limit))
        total = (total + xp.matrix_transpose(total)) / (2 * self.m)
        kept = 1 - xp.eye(self.n, dtype=total.dtype, device=device(total))
        return total * kept
