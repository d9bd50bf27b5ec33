"""The methods of the tables: each fills one row, or several from one computation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from consensa import consensus
from consensa._array import Array
from consensa.consensus import lta, pta
from consensa.ensemble import Ensemble
from consensa.exceptions import TooSlowError
from consensa.partition import linkage_tree

__all__ = ["METHODS", "PAPER_PENALTY", "Found", "StudyMethod", "run_lta"]

PAPER_PENALTY = 0.002


class Found(NamedTuple):
    """The partitions of one computation, by the name of their row, and further results."""

    labels: dict[str, Array]
    details: dict[str, Any]


@dataclass(frozen=True)
class StudyMethod:
    """A method as the study runs it.

    Attributes
    ----------
    name : str
        The lower-case function.
    rows : tuple of str
        Rows of the tables that it fills, named as in the paper if they are in it.
    run : function
        ``run(ensemble, n_clusters, random_state, device)`` returns `Found`.
    settings : mapping
        Settings of its cells in addition to the protocol: parameters that differ from the
        defaults, and the revision of a method whose results have changed.
    cubic : bool
        Whether its time is cubic in the number of samples, and hours on the larger sets.
    """

    name: str
    rows: tuple[str, ...]
    run: Callable[[Ensemble, int, int, str | None], Found]
    settings: Mapping[str, Any] = field(default_factory=dict)
    cubic: bool = False

    def check_size(self, n_samples: int, limit: int | None) -> None:
        """Raise an error if a set is too large for a method of cubic cost."""
        if self.cubic and limit is not None and n_samples > limit:
            message = f"n = {n_samples} is above the limit of {limit} for methods of cubic cost"
            raise TooSlowError(message)


def _one_row(function: Any, *, cubic: bool = False) -> StudyMethod:
    """A method with its defaults."""
    row, revision = function.info.name, function.info.revision
    settings = {"revision": revision} if revision > 1 else {}

    def run(ensemble: Ensemble, n_clusters: int, random_state: int, device: str | None) -> Found:
        seeded = "random_state" in function.declared
        options: dict[str, Any] = {"random_state": random_state} if seeded else {}
        if function.info.gpu:
            options["device"] = device
        return Found({row: function(ensemble, n_clusters, **options).labels}, {})

    return StudyMethod(function.__name__, (row,), run, settings, cubic)


def run_lta(
    ensemble: Ensemble,
    n_clusters: int,
    random_state: int,
    device: str | None,
    *,
    penalty: float = PAPER_PENALTY,
) -> Found:
    """One refinement, partitioned in the paper's two ways."""
    result = lta(ensemble, n_clusters, penalty=penalty, random_state=random_state, device=device)
    groups = min(n_clusters, len(ensemble.microclusters().sizes))
    by_average = linkage_tree(result.affinity, method="average").cut(groups)
    assert result.trace is not None
    details = {
        "iterations": result.trace.n_iter,
        "converged": bool(result.trace.converged),
        "order_information": float(result.details["order_information"]),
    }
    return Found({"Ours-EA": by_average, "Ours-SC": result.labels}, details)


def _run_pta(ensemble: Ensemble, n_clusters: int, random_state: int, device: str | None) -> Found:
    """The paper's three linkages."""
    linkages = {"PTA-AL": "average", "PTA-CL": "complete", "PTA-SL": "single"}
    labels = {
        row: pta(ensemble, n_clusters, linkage=linkage).labels for row, linkage in linkages.items()
    }
    return Found(labels, {})


_SPECIAL = (
    StudyMethod("pta", ("PTA-AL", "PTA-CL", "PTA-SL"), _run_pta),
    StudyMethod("lta", ("Ours-EA", "Ours-SC"), run_lta, {"penalty": PAPER_PENALTY}),
    _one_row(consensus.gtlec, cubic=True),
)
_IN_PAPER = (
    "pta", "ptgp", "lwsc", "lwea", "lwgp", "ecpcshc", "ecpcsmc", "drec", "spce", "sec", "lta",
)  # fmt: skip


def _find() -> dict[str, StudyMethod]:
    """Every method of `consensa.consensus`: the paper's in its order, then the others."""
    special = {method.name: method for method in _SPECIAL}
    functions = [name for name in consensus.__all__ if name.islower()]
    ordered = [*_IN_PAPER, *(name for name in functions if name not in _IN_PAPER)]
    return {name: special.get(name) or _one_row(getattr(consensus, name)) for name in ordered}


METHODS = _find()
