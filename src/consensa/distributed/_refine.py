r"""The Fourier solver of LTA on matrices larger than memory, in blocks of columns.

The transform runs along the rows, so a block of whole columns is transformed in place. The rest of
an iteration is elementwise, with the transposed entry: each pair of blocks exchanges a tile once.
The sums over all columns that determine the shrinkage, four numbers per frequency, are sent to
this process, and the multipliers are sent back.

With :math:`D_1 = \Lambda_1/\mu`, :math:`D_3 = \Lambda_3/\mu` and :math:`\Lambda_2 = -2\lambda E`,
as in the compiled engine. Until the first singular value passes the threshold, iterations are done
on scalars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.fft

from consensa._array import Array
from consensa._params import check_params
from consensa.distributed._cluster import (
    Computes,
    dask_array,
    delay,
    part_of,
    persist,
    require_on_workers,
    share,
)
from consensa.distributed.connection import a_cluster
from consensa.exceptions import InvalidInputError
from consensa.tensor import RefineResult
from consensa.tensor.asleep import Asleep
from consensa.tensor.half_spectrum import multiplicity
from consensa.tensor.pairs import Gram, gram, shrinkage
from consensa.tensor.solver import DECLARED, Report, default_tol, solve

__all__ = ["refine"]

_ARRAYS = 14  # maximum number of arrays of the size of a block in a task, the state included


def refine(
    coassociation: Any,
    links: Any,
    *,
    penalty: float = 0.002,
    tol: float | None = None,
    max_iter: int = 500,
    step_size: float = 1e-4,
    step_growth: float = 1.1,
    max_step_size: float = 1e8,
) -> RefineResult:
    r"""Low-rank tensor refinement of a co-association matrix on a Dask cluster.

    The same as `consensa.tensor.refine` in the paper's domain,

    .. math::
        \min_{P, E} \; \|P\|_* + \lambda \|E\|_F^2 \quad \text{s.t. }
        P_2 + E = A, \; P_1 = 1 \text{ on the links}, \;
        P_1, P_2 \text{ symmetric, in } [0, 1].

    Parameters
    ----------
    coassociation : dask.array.Array of shape (n, n)
        Co-association matrix A: symmetric, in [0, 1]. It is split into blocks of whole columns,
        as wide as its chunks.
    links : dask.array.Array of bool of shape (n, n)
        Coherent links, symmetric.
    penalty : float, default=0.002
        Weight of the error.
    tol : float or None, default=None
        Tolerance on the largest absolute gap; None is 1e-8 in float64, 3e-6 in float32.
    max_iter : int, default=500
        Maximum number of iterations; if it is reached, there is a `ConvergenceWarning`.
    step_size : float, default=1e-4
        Initial step size.
    step_growth : float, default=1.1
        Factor by which the step size grows each iteration.
    max_step_size : float, default=1e8
        Maximum step size.

    Returns
    -------
    RefineResult
        Named tuple (affinity, links, trace); the matrices are Dask arrays on the cluster.

    See Also
    --------
    consensa.tensor.refine : The same in the memory of one machine.

    Notes
    -----
    The cluster stores 8 n × n arrays. An iteration on the matrices sends a tile of each
    of two n × n arrays between every two blocks: :math:`2 n^2 (1 - 1/w)` numbers between w
    workers, and :math:`4 (n/2 + 1)` numbers per block to this process and back. For n = 100,000
    in float64 that is 160 GB per iteration and 640 GB of memory. Use a subset of the samples if it
    suffices.

    Examples
    --------
    >>> import dask, dask.array as da
    >>> from consensa import Ensemble, coassociation, coherent_links
    >>> from consensa.distributed import refine
    >>> ensemble = Ensemble.from_labels([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> A = da.from_array(coassociation(ensemble), chunks=(4, 2))
    >>> L = da.from_array(coherent_links(ensemble), chunks=(4, 2))
    >>> with dask.config.set(scheduler="synchronous"):
    ...     refine(A, L, penalty=50.0).affinity.compute().round(1)
    array([[1. , 1. , 0.5, 0. ],
           [1. , 1. , 0.5, 0. ],
           [0.5, 0.5, 1. , 0.5],
           [0. , 0. , 0.5, 1. ]])
    """
    given = {
        "penalty": penalty,
        "tol": tol,
        "max_iter": max_iter,
        "step_size": step_size,
        "step_growth": step_growth,
        "max_step_size": max_step_size,
    }
    check_params("refine", DECLARED, given)
    target, linked = _read(coassociation, links)
    if tol is None:
        given["tol"] = default_tol(np, target.dtype)
    with a_cluster() as closes:
        engine = DaskEngine(target, linked, penalty)
        result = solve(engine, **given)  # type: ignore[arg-type]
        if closes:
            da = dask_array()
            affinity, completed = (da.from_array(matrix.compute()) for matrix in result[:2])
            result = RefineResult(affinity, completed, result.trace)
    return result


def _read(coassociation: Any, links: Any) -> tuple[Any, Any]:
    da = dask_array()
    target, linked = da.asarray(coassociation), da.asarray(links)
    if target.ndim != 2 or target.shape[0] != target.shape[1] or target.shape[0] < 2:
        message = (
            "coassociation must be a square matrix of at least 2 samples. "
            f"Got shape {target.shape}."
        )
        raise InvalidInputError(message)
    if linked.shape != target.shape:
        message = (
            f"links must have the shape of coassociation, {target.shape}. Got {linked.shape}."
        )
        raise InvalidInputError(message)
    target = target if target.dtype in (np.float32, np.float64) else target.astype(np.float64)
    target = target.rechunk({0: -1})
    linked = (linked if linked.dtype == bool else linked == 1).rechunk(target.chunks)
    return target, linked


@dataclass(frozen=True)
class _State:
    """State of a block of columns between iterations; arrays of shape (n, width)."""

    target: Array  # A
    linked: Array
    D1: Array
    D3: Array
    error: Array  # E
    spectra: Array  # of both slices of the next T: (2, n // 2 + 1, width)
    affinity: Array  # P2
    links: Array  # B


class _Step(NamedTuple):
    """Numbers that every block needs in an iteration."""

    by: Array  # the multipliers of each frequency: (4, n // 2 + 1)
    ratio: float  # μ over the next μ
    step: float
    next_step: float
    penalty: float


class _Sums(NamedTuple):
    """Results of an iteration on a block."""

    gaps: tuple[float, float, float]
    error_energy: float
    sums: Array  # Gram sums of the next spectra: (4, n // 2 + 1)


class DaskEngine:
    """Blocks of columns on a cluster; one computation per iteration."""

    def __init__(self, target: Any, linked: Any, penalty: float) -> None:
        self.n, self.penalty, self.dtype = int(target.shape[0]), penalty, target.dtype
        self.widths = [int(width) for width in target.chunks[1]]
        self.places = list(pairwise([0, *accumulate(self.widths)]))
        block = self.n * max(self.widths) * target.dtype.itemsize
        require_on_workers(_ARRAYS * block, "A block of columns of the refinement (rechunk it)")
        self.compute = Computes()
        self.multiplicity = multiplicity(self.n, like=np.empty(0))
        pairs = zip(target.to_delayed().ravel(), linked.to_delayed().ravel(), strict=True)
        self.pairs = [delay(_pair, matrix, truth) for matrix, truth in pairs]
        firsts = self.compute("first sums", delay(list, [delay(_look, p) for p in self.pairs]))
        sums = _total([first[0] for first in firsts])
        largest, any_link = (np.array([first[i] for first in firsts]) for i in (1, 2))
        energy = float(sum(first[3] for first in firsts))
        _check_range(min(first[4] for first in firsts), float(largest.max()))
        self.asleep = Asleep(sums, largest, any_link, energy, penalty)
        self.states: list[Any] = []
        self.sums = sums

    @property
    def bytes_exchanged(self) -> int:
        """Number of bytes of the tiles that blocks exchange in an iteration."""
        own = sum(width**2 for width in self.widths)
        return int(2 * (self.n**2 - own) * self.dtype.itemsize)

    def iterate(self, step: float, next_step: float) -> Report:
        """Do one iteration."""
        if not self.states:
            if not self.asleep.ends(step):
                return self.asleep.iterate(step, next_step)
            self._wake_up()
        by = shrinkage(np, self.sums, 1 / step)
        table = np.stack([by.first, by.second, by.cross_real, by.cross_imag])
        told = self._advance(_Step(table, step / next_step, step, next_step, self.penalty))
        gap1, gap2, gap3 = (float(g) for g in np.max([each.gaps for each in told], axis=0))
        self.sums = _total([each.sums for each in told])
        count = self.multiplicity
        return Report(
            gaps=(gap1, gap2, gap3),
            norm=float((count * by.singular_values).sum()) / self.n,
            error_energy=float(sum(each.error_energy for each in told)),
            n_survivors=int((count * (by.singular_values > 0)).sum()),
        )

    def iterate_arrays(self) -> tuple[Any, Any, Any]:
        """Raises an error: the matrices of an iteration stay on the cluster."""
        message = "The refinement on a Dask cluster does not accept a callback."
        raise NotImplementedError(message)

    def result_arrays(self) -> tuple[Any, Any]:
        """Refined affinity and links, as Dask arrays."""
        if not self.states:
            zero = [delay(_asleep_result, pair, self.dtype) for pair in self.pairs]
            return self._array(zero, 0), self._array(zero, 1)
        tiles = self._exchange([delay(_affinity, state) for state in self.states])
        ends = [
            delay(_finish, state, column) for state, column in zip(self.states, tiles, strict=True)
        ]
        return self._array(ends, 0), self._array(ends, 1)

    def _wake_up(self) -> None:
        """Write the matrices that were stored as multiples of the links and of A so far."""
        scalars = self.asleep
        multiples = (scalars.d, scalars.e, scalars.t1, scalars.t2)
        self.states = persist([delay(_wake, pair, multiples) for pair in self.pairs])
        self.pairs = []
        told = self.compute("waking", delay(list, [delay(_gram_of, s) for s in self.states]))
        self.sums = _total(told)

    def _advance(self, numbers: _Step) -> list[_Sums]:
        shared = share(numbers)
        tensors = [delay(_invert, state, shared, self.n) for state in self.states]
        sums = [delay(_add_duals, t, s) for t, s in zip(tensors, self.states, strict=True)]
        mirrored = self._exchange(sums)
        moved = [
            delay(_update, *parts, shared)
            for parts in zip(self.states, tensors, sums, mirrored, strict=True)
        ]
        done = persist([part_of(move, which) for which in (0, 1) for move in moved])
        self.states = done[: len(moved)]
        return self.compute("iteration", delay(list, done[len(moved) :]))

    def _exchange(self, blocks: Sequence[Any]) -> list[list[Any]]:
        """For each block of columns, the tiles with its transposed entries, top to bottom."""
        return [
            [delay(_tile, block, start, stop) for block in blocks] for start, stop in self.places
        ]

    def _array(self, blocks: Sequence[Any], which: int) -> Any:
        da = dask_array()
        return da.concatenate(
            [
                da.from_delayed(part_of(block, which), (self.n, width), self.dtype)
                for block, width in zip(blocks, self.widths, strict=True)
            ],
            axis=1,
        )


def _total(sums: Sequence[Array]) -> Gram:
    """Sums of all blocks, in order."""
    return Gram(*np.sum(sums, axis=0))


def _check_range(smallest: float, largest: float) -> None:
    if not (smallest >= 0 and largest <= 1):
        message = "The entries of coassociation must be in [0, 1]. Got others, or NaN."
        raise InvalidInputError(message)


# ---- tasks -----------------------------------------------------------------------------------


def _pair(target: Array, linked: Array) -> tuple[Array, Array]:
    return np.asarray(target), np.asarray(linked)


def _look(pair: tuple[Array, Array]) -> tuple[Array, float, bool, float, float]:
    """Gram sums of the links and A, largest entry, whether there is a link, energy, smallest."""
    target, linked = pair
    spectra = _transform(linked.astype(target.dtype), target)
    energy = float(np.einsum("ij,ij->", target, target, dtype=np.float64))
    return _gram(spectra), float(target.max()), bool(linked.any()), energy, float(target.min())


def _transform(first: Array, second: Array) -> Array:
    return np.stack([scipy.fft.rfft(matrix, axis=0) for matrix in (first, second)])


def _gram(spectra: Array) -> Array:
    return np.stack(gram(np, *spectra))


def _gram_of(state: _State) -> Array:
    return _gram(state.spectra)


def _wake(pair: tuple[Array, Array], multiples: tuple[float, ...]) -> _State:
    target, linked = pair
    d, e, t1, t2 = (target.dtype.type(x) for x in multiples)
    ones = linked.astype(target.dtype)
    zero = np.zeros_like(target)
    return _State(
        target, linked, -d * ones, zero, e * target, _transform(t1 * ones, t2 * target), zero, ones
    )


def _invert(state: _State, numbers: _Step, n: int) -> Array:
    """P: the spectra times the 2 × 2 multipliers, transformed back: (2, n, width)."""
    g1, g2 = state.spectra
    first, second, real, imag = (row[:, None].astype(state.target.dtype) for row in numbers.by)
    cross = real + 1j * imag
    slices = (g1 * first + g2 * np.conj(cross), g1 * cross + g2 * second)
    return np.stack([scipy.fft.irfft(s, n=n, axis=0) for s in slices])


def _add_duals(tensor: Array, state: _State) -> Array:
    return np.stack([tensor[0] + state.D1, tensor[1] + state.D3])


def _tile(block: Array, start: int, stop: int) -> Array:
    """Rows of a block, transposed, as columns of another."""
    return np.ascontiguousarray(np.swapaxes(block[:, start:stop], 1, 2))


def _update(
    state: _State, tensor: Array, sums: Array, tiles: Sequence[Array], numbers: _Step
) -> tuple[_State, _Sums]:
    """E, the copies B and C, the duals, and the next T, transformed."""
    real = state.target.dtype.type
    twice, step = 2 * numbers.penalty, numbers.step
    near = np.clip((sums + np.concatenate(tiles, axis=1)) / 2, 0, 1)
    copy1, copy2 = np.where(state.linked, real(1), near[0]), near[1]
    error = (real(step) * (state.target - tensor[1]) + real(twice) * state.error) / real(
        twice + step
    )
    gaps = (tensor[0] - copy1, tensor[1] + error - state.target, tensor[1] - copy2)
    D1, D3 = (real(numbers.ratio) * (sums[i] - copy) for i, copy in enumerate((copy1, copy2)))
    carry = real(1 - twice / numbers.next_step)
    spectra = _transform(copy1 - D1, (state.target - carry * error + copy2 - D3) / 2)
    told = _Sums(
        (float(abs(gaps[0]).max()), float(abs(gaps[1]).max()), float(abs(gaps[2]).max())),
        float(np.einsum("ij,ij->", error, error, dtype=np.float64)),
        _gram(spectra),
    )
    kept = _State(state.target, state.linked, D1, D3, error, spectra, tensor[1], copy1)
    return kept, told


def _affinity(state: _State) -> Array:
    return state.affinity[None]


def _finish(state: _State, tiles: Sequence[Array]) -> tuple[Array, Array]:
    mirrored = np.concatenate(tiles, axis=1)[0]
    return np.clip((state.affinity + mirrored) / 2, 0, 1), state.links


def _asleep_result(pair: tuple[Array, Array], dtype: Any) -> tuple[Array, Array]:
    return np.zeros_like(pair[0]), pair[1].astype(dtype)
