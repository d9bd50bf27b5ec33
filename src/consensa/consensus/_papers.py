"""Papers that describe more than one method, as arguments of `MethodInfo`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "CLUSTER_ENSEMBLES",
    "CROWD_AGREEMENT",
    "LOCALLY_WEIGHTED",
    "PROBABILITY_TRAJECTORIES",
    "PROPAGATED_SIMILARITIES",
]


def _paper(year: int, reference: str) -> Mapping[str, Any]:
    return {"year": year, "reference": reference}


CLUSTER_ENSEMBLES = _paper(2002, "A. Strehl and J. Ghosh, JMLR 3")
CROWD_AGREEMENT = _paper(2015, "D. Huang, J.-H. Lai and C.-D. Wang, Neurocomputing 170")
PROBABILITY_TRAJECTORIES = _paper(2016, "D. Huang, J.-H. Lai and C.-D. Wang, IEEE TKDE 28(5)")
LOCALLY_WEIGHTED = _paper(
    2018, "D. Huang, C.-D. Wang and J.-H. Lai, IEEE Trans. Cybernetics 48(5)"
)
PROPAGATED_SIMILARITIES = _paper(
    2021, "D. Huang, C.-D. Wang, H. Peng, J. Lai and C.-K. Kwoh, IEEE TSMC 51(1)"
)
