"""Fit an estimator, write its labels, say what came out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console

from consensa.cli._columns import Chosen
from consensa.cli._page import PageRequest
from consensa.cli._screen import messages, score_table, showing
from consensa.cli._write import write_frame
from consensa.consensus.base import BaseConsensus
from consensa.generation.base import BaseGenerator
from consensa.generation.default import default_generator
from consensa.metrics import clustering_scores

__all__ = ["base_partitions", "fit_and_tell"]

_MOST_SIZES = 30
_LABELS_WORTH_PROCESSES = 50_000  # they take some 5 s to make, and processes 2 s to start


def base_partitions(n_partitions: int, jobs: int | None, n_samples: int) -> BaseGenerator:
    """Generator of base partitions, on all cores unless the processes cost more than they save."""
    worth_it = n_partitions * n_samples > _LABELS_WORTH_PROCESSES
    return default_generator(n_partitions, n_jobs=jobs or (-1 if worth_it else 1))


def fit_and_tell(
    model: BaseConsensus,
    data: Any,
    chosen: Chosen,
    output: Path | None,
    page: PageRequest | None = None,
) -> None:
    """Fit `model` on `data`, write the labels, print scores and a summary; then the page."""
    console = messages()
    started = time.perf_counter()
    with showing(console, type(model).__name__) as warned:
        model.fit(data)
    seconds = time.perf_counter() - started
    labels = np.asarray(model.labels_)  # where Dask has them, they are brought here
    write_frame(
        pd.DataFrame({chosen.names_title: np.asarray(chosen.row_names), "cluster": labels}),
        output,
    )
    scores = {} if chosen.truth is None else clustering_scores(chosen.truth, labels)
    if scores:
        console.print(score_table("Scores against the truth", {type(model).__name__: scores}))
    _summarize(console, model, labels, seconds, output)
    if page is not None:
        with showing(console, "Report"):
            page.write(model, seconds=seconds, scores=scores, warned=warned)
        console.print(f"Report written to {page.path}", soft_wrap=True, markup=False)


def _summarize(
    console: Console, model: BaseConsensus, labels: Any, seconds: float, output: Path | None
) -> None:
    ensemble = model.ensemble_
    low, high = ensemble.cluster_counts.min(), ensemble.cluster_counts.max()
    counts = f"{low}" if low == high else f"{low} to {high}"
    sizes = np.sort(np.bincount(labels))[::-1]
    shown = ", ".join(f"{size:,}" for size in sizes[:_MOST_SIZES])
    more = f" and {len(sizes) - _MOST_SIZES} smaller" if len(sizes) > _MOST_SIZES else ""
    console.print(
        f"{ensemble.n_samples:,} samples, {ensemble.n_partitions} partitions of {counts} "
        f"clusters, combined by {type(model).__name__} in {seconds:.1f} s",
        soft_wrap=True,
    )
    console.print(f"{len(sizes)} clusters of sizes {shown}{more}", soft_wrap=True)
    if output is not None:
        console.print(f"Labels written to {output}", soft_wrap=True, markup=False)
