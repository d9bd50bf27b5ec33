"""Coherent links: the pairs of samples that every partition puts into the same cluster."""

from __future__ import annotations

from typing import Any

from consensa._array import is_on_gpu, to_library
from consensa._machine.memory import require_square
from consensa._params import Integer, NoneType, check_params
from consensa.ensemble import Ensemble
from consensa.similarity._agreement import full_agreement
from consensa.similarity._device import links_on_device

__all__ = ["coherent_links"]


def coherent_links(ensemble: Ensemble, *, min_shared: int | None = None) -> Any:
    r"""Pairs of samples that every partition puts into the same cluster.

    .. math:: M_{ij} = [\ell_{im} = \ell_{jm} \text{ for every } m \text{ that labels both}],

    and at least `min_shared` partitions label both. Partitions are counted as
    integers; a rounded proportion is never compared with 1.

    Parameters
    ----------
    ensemble : Ensemble or label matrix
        Base partitions.
    min_shared : int or None, default=None
        Minimum number of partitions that label both samples; None is half of them, rounded up.
        It matters only if labels are missing.

    Returns
    -------
    array of bool of shape (n_samples, n_samples)
        Symmetric with a true diagonal, in the array library of the ensemble.

    See Also
    --------
    coassociation : The proportion of partitions that put two samples together.

    Examples
    --------
    >>> from consensa import Ensemble, coherent_links
    >>> coherent_links(Ensemble.from_labels([[0, 0], [0, 1], [0, 0]])).astype(int)
    array([[1, 0, 1],
           [0, 1, 0],
           [1, 0, 1]])
    """
    declared = {"min_shared": (Integer(1), NoneType())}
    check_params("coherent_links", declared, {"min_shared": min_shared})
    ensemble = Ensemble.from_labels(ensemble)
    least = -(-ensemble.n_partitions // 2) if min_shared is None else min_shared
    n = ensemble.n_samples
    require_square(n, bool, arrays=1, step="The coherent-link matrix", like=ensemble.labels)
    if is_on_gpu(ensemble.labels):
        return links_on_device(ensemble, least)
    return to_library(full_agreement(ensemble, least), like=ensemble.labels)
