"""Co-association: the proportion of partitions that put two samples into the same cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import is_on_gpu, to_library
from consensa._machine.memory import require_square
from consensa._params import OneOf, check_params
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.similarity._agreement import agreement_share
from consensa.similarity._device import share_on_device

__all__ = ["DTYPES", "coassociation"]

DTYPES = ("float64", "float32")


def coassociation(
    ensemble: Ensemble,
    *,
    partition_weights: Any = None,
    dtype: str = "float64",
) -> Any:
    r"""Proportion of partitions that put two samples into the same cluster.

    .. math:: A_{ij} = \frac{\sum_m w_m [\ell_{im} = \ell_{jm}]}{\sum_m w_m},

    both sums over the partitions :math:`m` that label both samples; 0 where none does.
    The diagonal is 1. Without weights, all :math:`w_m = 1`.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    partition_weights : array-like of shape (n_partitions,) or None, default=None
        Non-negative weight of each partition; not all may be zero.
    dtype : {"float64", "float32"}, default="float64"
        Type of the result.

    Returns
    -------
    array of shape (n_samples, n_samples)
        Symmetric, in [0, 1], in the array library of the ensemble.

    See Also
    --------
    coherent_links : The pairs that every partition puts into the same cluster.

    Notes
    -----
    The result is exact. Without weights and for 1000 or more samples it is computed by compiled
    loops on all cores; otherwise by sparse products over blocks of rows, which need up to 100 MiB
    besides the result, and up to 200 if there are weights and missing labels. From labels on a
    CUDA device it is computed there, with the same result.

    Examples
    --------
    >>> from consensa import Ensemble, coassociation
    >>> coassociation(Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    check_params("coassociation", {"dtype": (OneOf(DTYPES),)}, {"dtype": dtype})
    ensemble = Ensemble.from_labels(ensemble)
    weights = _read_weights(partition_weights, ensemble.n_partitions)
    step = "The co-association matrix"
    require_square(ensemble.n_samples, dtype, arrays=1, step=step, like=ensemble.labels)
    if is_on_gpu(ensemble.labels):
        return share_on_device(ensemble, dtype, weights)
    return to_library(agreement_share(ensemble, dtype, weights), like=ensemble.labels)


def _read_weights(weights: Any, n_partitions: int) -> np.ndarray[Any, Any] | None:
    if weights is None:
        return None
    read = np.asarray(weights, dtype=np.float64)
    if (
        read.shape != (n_partitions,)
        or not np.isfinite(read).all()
        or (read < 0).any()
        or not read.any()
    ):
        message = (
            f"partition_weights must be {n_partitions} finite numbers, one for each partition, "
            f"none negative and not all zero. Got {weights!r}."
        )
        raise InvalidInputError(message)
    return read / read.max()  # so that float32 can hold them
