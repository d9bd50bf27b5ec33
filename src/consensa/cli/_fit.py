"""Fit an estimator, write its labels and print a summary."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from consensa._result import ConsensusResult
from consensa._result.wording import counted, landmark_line, listed_sizes
from consensa.cli._outputs import Outputs, Samples
from consensa.cli._screen import messages, score_table, showing
from consensa.consensus.base import BaseConsensus
from consensa.ensemble.details import LANDMARKS, SPACE
from consensa.exceptions import DoubtWarning
from consensa.metrics import clustering_scores
from consensa.report import Run

__all__ = ["fit_and_tell"]

_MOST_SIZES = 30


def fit_and_tell(model: BaseConsensus, data: Any, samples: Samples, outputs: Outputs) -> Run:
    """Fit `model` on `data`, print scores and a summary, write the labels and other files.

    Returns the data of the run that the report shows in addition to the result.
    """
    chosen, console = samples.chosen, messages()
    started = time.perf_counter()
    with showing(console, type(model).__name__):
        warnings.simplefilter("ignore", DoubtWarning)  # printed below, after the result
        result = model.fit(data).result_
    seconds = time.perf_counter() - started
    rule = outputs.write_labels(result, data, samples)
    scores = {}
    if chosen.truth is not None:
        scores = clustering_scores(chosen.truth, np.asarray(result.labels))
    if scores:
        console.print(score_table("Scores against the truth", {type(model).__name__: scores}))
    for line in _summary(type(model).__name__, result, seconds):
        console.print(line, soft_wrap=True)
    for doubt in result.warnings:
        if isinstance(doubt, DoubtWarning):
            console.print(f"Warning: {doubt}", style="yellow", markup=False)
    outputs.write_others(result, rule, samples)
    return Run(source=chosen.source, seconds=seconds, scores=scores, notes=chosen.notes)


def _summary(method: str, result: ConsensusResult, seconds: float) -> Iterator[str]:
    ensemble = result.ensemble
    low, high = int(ensemble.cluster_counts.min()), int(ensemble.cluster_counts.max())
    each = counted(low, "cluster") if low == high else f"{low} to {high} clusters"
    sizes = result.cluster_sizes
    yield (
        f"{counted(ensemble.n_samples, 'sample')}, "
        f"{counted(ensemble.n_partitions, 'partition')} of {each}, combined by {method} in "
        f"{seconds:.1f} s"
    )
    if SPACE in ensemble.details:
        yield f"Space: {ensemble.details[SPACE]}"
    if LANDMARKS in ensemble.details:
        yield landmark_line(ensemble.details[LANDMARKS])
    size = "size" if len(sizes) == 1 else "sizes"
    yield f"{counted(len(sizes), 'cluster')} of {size} {listed_sizes(sizes, _MOST_SIZES)}"
