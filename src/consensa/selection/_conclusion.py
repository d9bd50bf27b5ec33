"""Evidence for each number of clusters → one recommendation."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.selection._consensus_cdf import delta_area
from consensa.selection._evidence import Curves
from consensa.selection._result import SelectionResult

__all__ = ["conclude", "p_value_of"]

_LEVEL = 0.05  # above this p-value the result is one cluster


def p_value_of(observed: Array, references: Array) -> float:
    r"""Proportion of data sets, the observed one included, that deviate as much as it does.

    The deviation is :math:`\max_k (t_k - \bar t_k) / \sigma_k`, with the mean and the standard
    deviation over all data sets. Without clusters, each of them is equally likely to deviate most.
    """
    every = np.vstack([observed, references])
    deviation = np.maximum(every.std(axis=0), 1e-6)
    outstanding = ((every - every.mean(axis=0)) / deviation).max(axis=1)
    return float(np.mean(outstanding >= outstanding[0]))


def conclude(
    candidates: list[int],
    curves: Curves,
    observed: Array | None,
    references: Array,
    samples: Array,
    ensemble: Ensemble,
) -> SelectionResult:
    """Recommend a number, from the evidence and the reference data; `samples` were used."""
    order = np.argsort(-curves.evidence, kind="stable")
    ranking = [candidates[place] for place in order]
    p_value = None if observed is None else p_value_of(observed, references)
    by_draw = curves.evidence_by_draw(ensemble).argmax(axis=1)
    clarity = float(np.mean(by_draw == order[0]))
    if p_value is not None and p_value > _LEVEL:
        ranking.insert(0, 1)
        clarity = p_value
    votes = {
        "stability": curves.stability,
        "agreement": curves.agreement,
        "eigengap": curves.eigengap,
        "pac": -curves.pac,
    }
    return SelectionResult(
        n_clusters=ranking[0],
        ranking=tuple(ranking),
        scores=_scores(candidates, curves),
        clarity=clarity,
        p_value=p_value,
        finding=_finding(ranking, curves.evidence[order], clarity, p_value),
        favorites={name: candidates[int(np.argmax(curve))] for name, curve in votes.items()},
        labels=curves.labels,
        samples=samples,
        grid=np.linspace(0, 1, curves.cdf.shape[1]),
        cdf=curves.cdf,
        observed=observed,
        references=references,
        ensemble=ensemble,
    )


def _scores(candidates: list[int], curves: Curves) -> Array:
    columns = {
        "evidence": curves.evidence,
        "stability": curves.stability,
        "agreement": curves.agreement,
        "eigengap": curves.eigengap,
        "pac": curves.pac,
        "area": curves.area,
        "delta_area": delta_area(curves.area),
    }
    kinds = [("n_clusters", np.int64), *((name, np.float64) for name in columns)]
    table = np.empty(len(candidates), dtype=kinds)
    table["n_clusters"] = candidates
    for name, column in columns.items():
        table[name] = column
    return table


def _finding(ranking: list[int], evidence: Array, clarity: float, p_value: float | None) -> str:
    """The recommendation in a sentence; `evidence` is that of the candidates, the best first."""
    if ranking == [1]:
        return "1 cluster: every partition has one cluster."
    compared = "" if p_value is None else f" (p = {p_value:.2f} against data without clusters)"
    if ranking[0] == 1:
        return (
            f"No cluster structure found{compared}; if there are clusters, "
            f"{ranking[1]} is the most likely number."
        )
    words = "clear" if clarity >= 0.8 else "fair" if clarity >= 0.5 else "weak"
    next_best = f", then {ranking[1]} with {evidence[1]:.2f}" if len(ranking) > 1 else ""
    return (
        f"{ranking[0]} clusters: evidence {evidence[0]:.2f}{next_best}; the evidence is {words}: "
        f"{clarity:.0%} of the draws agree{compared}."
    )
