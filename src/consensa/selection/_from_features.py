"""The number of clusters of features: criteria for each candidate, and references."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.progress import track
from consensa._random import random_source
from consensa.consensus.base import BaseConsensus
from consensa.features import Features
from consensa.generation.base import generated, require_memory_of
from consensa.generation.landscape import Sources, first_of_distinct, scaling_of
from consensa.selection._candidates import Candidates
from consensa.selection._consensus_cdf import delta_area
from consensa.selection._feature_criteria import FeatureCriteria
from consensa.selection._one_cluster import LEAST_POINTS, OneClusterTest, compare_with_references
from consensa.selection._resampling import combined
from consensa.selection._result import SelectionResult
from consensa.selection._rule import VOTES, decide, evidence_of, shares_of
from consensa.selection._subsets import drawn_rows
from consensa.selection._table import score_table
from consensa.selection._words import answer_of, feature_finding

__all__ = ["select_from_features"]

_SUBSETS = 3  # of many samples, so that the choice of one does not decide
_COLUMNS = (
    "stability", "weakest_stability", "agreement", "overall_agreement", "silhouette", "separation",
    "weakest_separation", "tree_separation", "eigengap", "merge_gap", "votes", "bic", "pac",
    "area",
)  # fmt: skip
_SMALLER_IS_BETTER = ("bic", "pac")


def select_from_features(
    features: Features,
    candidates: Candidates,
    *,
    model: BaseConsensus,
    generator: Any,
    n_references: int,
    max_samples: int,
    rng: np.random.RandomState,
) -> SelectionResult:
    """Recommend a number of clusters for features that were read."""
    require_memory_of(generator, features)
    rows = features.points
    n_distinct = len(first_of_distinct(rows))
    if n_distinct == 1:
        return _all_equal(features, model, generator, rng)
    parts = _parts(rows, max_samples)
    seeds = rng.randint(2**31 - 1, size=1 + len(parts))
    scaling = "none" if features.is_scaled else scaling_of(generator)
    test = None
    if n_references and n_distinct >= LEAST_POINTS:
        test = compare_with_references(rows, scaling, n_references, random_source(seeds[0]))
    most = min(n_distinct, max_samples)
    there = f"There are {most} distinct samples"
    numbers = np.array(candidates.possible(lambda k: k <= most, there=there))
    criteria = [
        FeatureCriteria(model, Sources(generator, features.take(part), source), source)
        for part, source in zip(parts, map(random_source, seeds[1:]), strict=True)
    ]
    columns = _measured(criteria, numbers)
    while test is None or not test.is_one:  # of one cluster, larger numbers would be small pieces
        wider = candidates.wider(numbers, evidence_of(columns))
        if wider is None:
            break
        numbers = np.array(wider)
        columns = _measured(criteria, numbers)
    return _concluded(candidates, numbers, criteria[0], columns, test, parts[0],
                      is_whole=len(parts[0]) == len(rows))  # fmt: skip


def _all_equal(
    features: Features, model: BaseConsensus, generator: Any, rng: np.random.RandomState
) -> SelectionResult:
    """One cluster, because all samples are equal."""
    ensemble = generated(generator, features, 1, rng)
    result = combined(model, ensemble, 1, int(rng.randint(2**31 - 1)))
    columns = dict.fromkeys(("evidence", *_COLUMNS), np.ones(1))
    return SelectionResult(
        n_clusters=1,
        answer="one",
        good=(1,),
        ranking=(1,),
        scores=score_table([1], columns | {"pac": np.zeros(1), "delta_area": np.zeros(1)}),
        clarity=1.0,
        p_value=None,
        p_values={},
        finding="One cluster: all samples are equal.",
        favorites={},
        labels=np.zeros((features.n_samples, 1), np.int64),
        samples=np.arange(features.n_samples),
        grid=np.linspace(0, 1, 101),
        cdf=np.append(np.zeros((1, 100)), [[1.0]], axis=1),
        tested=np.array([]),
        observed=None,
        references=np.empty((0, 0)),
        ensemble=ensemble,
        result=result,
    )


def _parts(rows: Array, most: int) -> list[Array]:
    """All rows at once, or several subsets drawn by their content."""
    n_parts = 1 if len(rows) <= most else _SUBSETS
    return [drawn_rows(rows, most, number) for number in range(n_parts)]


def _measured(criteria: list[FeatureCriteria], numbers: Array) -> dict[str, Array]:
    """Each criterion of the numbers of clusters, as the mean over the subsets."""
    with track("numbers of clusters", len(numbers) * len(criteria)) as advance:
        for k in numbers:
            for one in criteria:
                one.measure([int(k)])
                advance()
    tables = [one.columns(numbers) for one in criteria]
    return {name: np.mean([table[name] for table in tables], axis=0) for name in _COLUMNS}


def _concluded(
    candidates: Candidates,
    numbers: Array,
    first: FeatureCriteria,
    measured: dict[str, Array],
    test: OneClusterTest | None,
    samples: Array,
    *,
    is_whole: bool,
) -> SelectionResult:
    shares = shares_of(evidence_of(measured))
    verdict = decide(numbers, shares)
    is_one = test is not None and test.is_one
    ranking = (1, *verdict.ranking) if is_one else verdict.ranking
    columns = {"evidence": shares} | measured
    columns["delta_area"] = delta_area(columns["area"])
    votes = {name: columns[name] for name in _COLUMNS if name != "area"}
    return SelectionResult(
        n_clusters=ranking[0],
        answer=answer_of(verdict, test),
        good=(1,) if is_one else verdict.good,
        ranking=ranking,
        scores=score_table(numbers, columns),
        clarity=test.p_value if test is not None and is_one else verdict.clarity,
        p_value=None if test is None else test.p_value,
        p_values={} if test is None else test.p_values,
        finding=feature_finding(verdict, test, candidates, numbers),
        favorites={
            name: int(numbers[np.argmax(-own if name in _SMALLER_IS_BETTER else own)])
            for name, own in votes.items()
        },
        labels=np.stack([first.labels[int(k)] for k in numbers], axis=1),
        samples=samples,
        grid=np.linspace(0, 1, 101),
        cdf=np.array([first.cdf[int(k)] for k in numbers]),
        tested=np.array([]) if test is None else test.numbers,
        observed=None if test is None else test.observed,
        references=np.empty((0, 0)) if test is None else test.references,
        ensemble=first.ensembles.get(ranking[0], first.ensembles[verdict.ranking[0]]),
        result=first.result(ranking[0]) if is_whole else None,
    )


assert {vote.criterion for vote in VOTES} <= set(_COLUMNS)
