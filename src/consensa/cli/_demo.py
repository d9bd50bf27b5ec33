"""``consensa demo``: a complete example on data that ships with scikit-learn."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from rich.console import Console
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state

from consensa._array import Array
from consensa._defaults import DEFAULT_METHOD, DEFAULT_N_PARTITIONS
from consensa._machine.atomic import writing
from consensa._result import ConsensusResult
from consensa.cli import _options as options
from consensa.cli._folder import make_folder
from consensa.cli._generators import base_partitions
from consensa.cli._methods import choose_method
from consensa.cli._screen import messages, score_table, showing
from consensa.cli._write import write_frame
from consensa.consensus import lta
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.ensemble.appearance import number_by_appearance
from consensa.exceptions import OrderSensitivityWarning
from consensa.metrics import clustering_scores
from consensa.partition import kmeans_labels
from consensa.plotting import AffinityDisplay, ConvergenceDisplay
from consensa.plotting.axes import figure_bytes, new_figure, require_matplotlib

__all__ = ["demo"]

_CLUSTERS = 10
_FILES = ("labels.csv", "consensus.png", "convergence.png")
_DEFAULT = f"default ({DEFAULT_METHOD}), either order"


class _Answers(NamedTuple):
    """What the demo compares; all labels are in the stored order of the rows."""

    kmeans: Array
    order_free: BaseConsensus
    lta: ConsensusResult
    lta_shuffled: ConsensusResult
    lta_shuffled_labels: Array


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Output folder.")
    ] = Path("out/demo"),
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
) -> None:
    """Cluster 1797 handwritten digits and score the clusters against the known digits.

    Compares an order-free consensus, LTA and a single run of k-means. Nothing is downloaded.
    """
    require_matplotlib("The demo")
    make_folder(output, files=_FILES)
    console = messages()
    images, digits = load_digits(return_X_y=True)
    with showing(console, "Clustering handwritten digits"):
        answers = _answer(images, seed, jobs)
        _write(output, digits, answers)
    _tell(console, digits, answers)
    for name in _FILES:
        console.print(f"Written: {output / name}", markup=False, soft_wrap=True)


def _answer(images: Array, seed: int, jobs: int | None) -> _Answers:
    generator = base_partitions(DEFAULT_N_PARTITIONS, jobs, len(images))
    ensemble = generator.generate(images, n_clusters=_CLUSTERS, random_state=seed)
    order_free = choose_method(DEFAULT_METHOD)(
        n_clusters=_CLUSTERS, generator="precomputed", random_state=seed
    )
    order = check_random_state(seed).permutation(len(images))
    shuffled = _refined(Ensemble.from_labels(ensemble.codes[order]), seed)
    restored = np.empty_like(shuffled.labels)
    restored[order] = shuffled.labels
    return _Answers(
        kmeans=kmeans_labels(images, _CLUSTERS, n_init=1, random_state=seed),
        order_free=order_free.fit(ensemble),
        lta=_refined(ensemble, seed),
        lta_shuffled=shuffled,
        lta_shuffled_labels=number_by_appearance(restored),
    )


def _refined(ensemble: Ensemble, seed: int) -> ConsensusResult:
    with warnings.catch_warnings():
        # The demo shows the effect itself: both orders side by side.
        warnings.simplefilter("ignore", OrderSensitivityWarning)
        # float32 takes little more than half the time.
        return lta(ensemble, _CLUSTERS, dtype="float32", random_state=seed)


def _write(folder: Path, digits: Array, answers: _Answers) -> None:
    labels = {
        "index": np.arange(len(digits)),
        "digit": digits,
        "kmeans": answers.kmeans,
        DEFAULT_METHOD.lower(): answers.order_free.labels_,
        "lta_as_stored": answers.lta.labels,
        "lta_shuffled": answers.lta_shuffled_labels,
    }
    write_frame(pd.DataFrame(labels), folder / "labels.csv")
    figure = new_figure((11.6, 5.2))
    left, right = figure.subplots(1, 2)
    AffinityDisplay.from_estimator(answers.order_free, ax=left)
    left.set_title(f"{DEFAULT_METHOD}: affinity")
    AffinityDisplay.from_result(answers.lta, ax=right)
    right.set_title("LTA: the same matrix, refined")
    _save(figure, folder / "consensus.png")

    figure = new_figure((6.4, 4.2))
    ConvergenceDisplay.from_result(answers.lta, ax=figure.subplots())
    _save(figure, folder / "convergence.png")


def _save(figure: Any, path: Path) -> None:
    with writing(path) as temporary:
        temporary.write_bytes(figure_bytes(figure, "png"))


def _tell(console: Console, digits: Array, answers: _Answers) -> None:
    partitions = {
        "k-means, one run": answers.kmeans,
        _DEFAULT: answers.order_free.labels_,
        "LTA, as stored": answers.lta.labels,
        "LTA, shuffled": answers.lta_shuffled_labels,
    }
    scores = _ranked(
        {name: clustering_scores(digits, labels) for name, labels in partitions.items()}
    )
    n_partitions = answers.order_free.ensemble_.n_partitions
    title = f"{len(digits):,} handwritten digits, {n_partitions} base partitions, 10 clusters"
    console.print(score_table(title, scores))
    first = next(iter(scores))
    if first != _DEFAULT:
        console.print(
            f"{first!r} has the highest ARI here: the default has one setting for all data, and "
            f"is not the best on each.",
            style="dim",
        )
    stored, shuffled = (
        result.details["order_information"] for result in (answers.lta, answers.lta_shuffled)
    )
    console.print(
        "LTA uses the order of the rows: if a file is sorted by class, its scores come from the "
        f"sorting. Order information here, from 0 to 1: {stored:.2f} as stored, "
        f"{shuffled:.2f} shuffled.",
        style="dim",
    )


def _ranked(scores: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The rows, the one with the highest ARI first."""
    return dict(sorted(scores.items(), key=lambda row: -row[1]["ari"]))
