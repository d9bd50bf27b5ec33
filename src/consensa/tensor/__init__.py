"""Matrices → refined affinity: the t-SVD toolbox and the solvers of LTA and GTLEC.

Takes and returns arrays only, of any library that follows the array API standard.
"""

from consensa.tensor._members import MembersResult, refine_members
from consensa.tensor._refine import refine
from consensa.tensor._tsvd import (
    TSVD,
    prox_tensor_nuclear_norm,
    t_product,
    t_transpose,
    tensor_nuclear_norm,
    tsvd,
)
from consensa.tensor.solver import RefineIterate, RefineResult

__all__ = [
    "TSVD",
    "MembersResult",
    "RefineIterate",
    "RefineResult",
    "prox_tensor_nuclear_norm",
    "refine",
    "refine_members",
    "t_product",
    "t_transpose",
    "tensor_nuclear_norm",
    "tsvd",
]
