"""The methods on Dask: same names, same parameters, same labels.

Needs ``pip install 'consensa[dask]'``.
"""

from consensa.distributed._methods import ECPCSMC, HBGF, LWGP, MCLA, SEC, TEA
from consensa.distributed._one_call import cluster
from consensa.distributed._random_kmeans import RandomKMeans
from consensa.distributed._refine import refine
from consensa.distributed.planning import Cluster, Plan, plan

__all__ = [
    "ECPCSMC",
    "HBGF",
    "LWGP",
    "MCLA",
    "SEC",
    "TEA",
    "Cluster",
    "Plan",
    "RandomKMeans",
    "cluster",
    "plan",
    "refine",
]
