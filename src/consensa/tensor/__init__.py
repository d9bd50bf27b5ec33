"""Two matrices → refined affinity: the t-SVD toolbox and the solver of the paper.

Takes and returns arrays only, of any library that follows the array API standard.
"""

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
    "RefineIterate",
    "RefineResult",
    "prox_tensor_nuclear_norm",
    "refine",
    "t_product",
    "t_transpose",
    "tensor_nuclear_norm",
    "tsvd",
]
