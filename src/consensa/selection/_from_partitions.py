"""The number of clusters of a label matrix, and what it cannot tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from consensa._array import Array
from consensa._machine.progress import track
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.exceptions import InvalidInputError
from consensa.selection._candidates import Candidates
from consensa.selection._consensus_cdf import delta_area
from consensa.selection._evidence import Curves, measure
from consensa.selection._one_cluster import LEVEL, Statistic, is_plain, p_value_of
from consensa.selection._references import permuted_partitions
from consensa.selection._resampling import Trial, combined, stability
from consensa.selection._result import SelectionResult
from consensa.selection._subsets import drawn_rows
from consensa.selection._table import score_table

__all__ = ["select_from_partitions"]

_LEAST_PARTITIONS = 3
_TEST_SAMPLES = 200
_TEST_DRAWS = 4
_CLEAR = 0.8  # proportion of draws that recommend the same number
_AGREE = 0.8  # mean agreement of partitions that all have the same number of clusters


def select_from_partitions(
    partitions: Ensemble,
    candidates: Candidates,
    *,
    model: BaseConsensus,
    n_draws: int,
    n_references: int,
    max_samples: int,
    rng: np.random.RandomState,
) -> SelectionResult:
    """Recommend a number of clusters for existing partitions."""
    samples = drawn_rows(partitions.codes, max_samples)
    ensemble = _of_rows(partitions, samples)
    usable = _usable(candidates, ensemble)
    if usable == [1] or _common_number(ensemble) is not None:
        n_references = 0  # there is nothing to compare
    trial = Trial(model, usable, rng)
    curves = measure(trial, ensemble, n_draws=n_draws)
    observed, references = None, np.empty((0, len(usable)))
    if n_references:
        observed, references = _compared(trial, ensemble, n_references)
    found = _concluded(usable, curves, observed, references, samples, ensemble)
    if len(samples) == partitions.n_samples:
        seed = int(rng.randint(2**31 - 1))
        found = replace(found, result=combined(model, partitions, found.n_clusters, seed))
    return found


def _compared(trial: Trial, ensemble: Ensemble, n_references: int) -> tuple[Array, Array]:
    """Evidence of few samples, and that of shuffled partitions."""
    small = _of_rows(ensemble, drawn_rows(ensemble.codes, _TEST_SAMPLES, 1))
    observed = _statistic(trial, small)
    drawn: list[Statistic] = []
    with track("references", n_references) as advance:
        while len(drawn) < n_references and not is_plain(observed, {"": drawn}):
            drawn.append(_statistic(trial, permuted_partitions(small, trial.rng)))
            advance()
    return observed[0], np.array([own for (own,) in drawn])


def _statistic(trial: Trial, ensemble: Ensemble) -> Statistic:
    """Evidence for each candidate; 0 for those above the number of microclusters."""
    possible = [k for k in trial.candidates if _is_usable(k, ensemble)]
    answer = np.zeros(len(trial.candidates))
    if possible:
        own = measure(trial._replace(candidates=possible), ensemble, n_draws=_TEST_DRAWS)
        answer[np.isin(trial.candidates, possible)] = own.evidence
    return (answer,)


def _concluded(
    usable: list[int],
    curves: Curves,
    observed: Array | None,
    references: Array,
    samples: Array,
    ensemble: Ensemble,
) -> SelectionResult:
    order = np.argsort(-curves.evidence, kind="stable")
    ranking = [usable[place] for place in order]
    p_value = None if observed is None else p_value_of((observed,), [(own,) for own in references])
    by_draw = curves.evidence_by_draw(ensemble).argmax(axis=1)
    clarity = float(np.mean(by_draw == order[0]))
    common = _common_number(ensemble)
    answer = "clear" if clarity >= _CLEAR else "unclear"
    if common is not None:
        answer = "unknown"
        first = common if stability(ensemble) >= _AGREE else 1
        ranking = [first, *(k for k in ranking if k != first)]
    elif usable == [1] or (p_value is not None and p_value > LEVEL):
        answer = "one"
        ranking = [1, *(k for k in ranking if k != 1)]
        clarity = clarity if p_value is None else p_value
    votes = {
        "stability": curves.stability,
        "agreement": curves.agreement,
        "eigengap": curves.eigengap,
        "pac": -curves.pac,
    }
    columns = {"evidence": curves.evidence, **votes, "pac": curves.pac, "area": curves.area}
    columns["delta_area"] = delta_area(curves.area)
    return SelectionResult(
        n_clusters=ranking[0],
        answer=answer,
        good=(ranking[0],),
        ranking=tuple(ranking),
        scores=score_table(usable, columns),
        clarity=clarity,
        p_value=p_value,
        p_values={} if p_value is None else {"shuffled": p_value},
        finding=_finding(ranking, answer, clarity, p_value, ensemble),
        favorites={name: usable[int(np.argmax(curve))] for name, curve in votes.items()},
        labels=curves.labels,
        samples=samples,
        grid=np.linspace(0, 1, curves.cdf.shape[1]),
        cdf=curves.cdf,
        tested=np.array(usable) if observed is not None else np.array([]),
        observed=observed,
        references=references,
        ensemble=ensemble,
    )


def _common_number(ensemble: Ensemble) -> int | None:
    """The number of clusters of all partitions, if it is the same and more than one."""
    counts = np.unique(ensemble.cluster_counts)
    return int(counts[0]) if len(counts) == 1 and 1 < counts[0] < ensemble.n_samples else None


def _finding(
    ranking: list[int], answer: str, clarity: float, p_value: float | None, ensemble: Ensemble
) -> str:
    if answer == "unknown":
        agree = stability(ensemble)
        words = "agree" if agree >= _AGREE else "do not agree well"
        return (
            f"These partitions all have {ensemble.cluster_counts[0]} clusters, so they cannot "
            f"tell how many there are; they {words} with each other (mean adjusted Rand index "
            f"{agree:.2f}). Use partitions with different numbers of clusters, or the features."
        )
    compared = "" if p_value is None else f" (p = {p_value:.3f} against shuffled partitions)"
    if answer == "one" and p_value is None:
        return "1 cluster: every partition has one cluster."
    if answer == "one":
        return (
            f"One cluster: the partitions agree no more than shuffled ones{compared}. If there "
            f"are clusters, {ranking[1]} is the most likely number."
        )
    start = f"{ranking[0]} clusters" if answer == "clear" else f"No clear number: {ranking[0]}"
    return (
        f"{start}, which {clarity:.0%} of random halves of the partitions recommend{compared}. "
        f"Partitions alone cannot tell clusters from slices of one cluster: use the features if "
        f"there are any."
    )


def _usable(candidates: Candidates, ensemble: Ensemble) -> list[int]:
    """Candidates for which there are enough microclusters; a warning names the others.

    If every partition has one cluster, one is the only candidate.
    """
    if ensemble.n_partitions < _LEAST_PARTITIONS:
        message = (
            f"select_n_clusters draws random halves of the partitions and needs at least "
            f"{_LEAST_PARTITIONS} of them. Got {ensemble.n_partitions}."
        )
        raise InvalidInputError(message)
    if ensemble.cluster_counts.max() == 1:
        return [1]
    groups = len(ensemble.microclusters().sizes)
    there = f"The ensemble has {groups} microclusters of {ensemble.n_samples} samples"
    return candidates.possible(lambda k: _is_usable(k, ensemble), there=there)


def _is_usable(n_clusters: int, ensemble: Ensemble) -> bool:
    """Whether there are enough microclusters, and more samples than clusters."""
    return n_clusters < ensemble.n_samples and ensemble.separates(n_clusters)


def _of_rows(ensemble: Ensemble, rows: Array) -> Ensemble:
    """Partitions of some samples, without partitions that label none of them."""
    if len(rows) == ensemble.n_samples:
        return ensemble
    codes = ensemble.codes[rows]
    kept = is_labeled(codes).any(axis=0)
    return Ensemble.from_labels(codes[:, kept])
