"""``consensa compare``: several methods on one ensemble."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from rich.console import Console
from rich.markup import escape

import consensa
from consensa._machine.atomic import writing
from consensa.cli import _options as options
from consensa.cli._columns import Chosen
from consensa.cli._generators import Generating
from consensa.cli._methods import choose_method
from consensa.cli._number_of_clusters import check_clusters
from consensa.cli._screen import answers, messages, print_in_parts, score_table, showing
from consensa.cli._shared_options import sharing
from consensa.cli._source import FeatureSource
from consensa.cli._write import check_output, rescuing, write_frame
from consensa.ensemble import Ensemble
from consensa.selection import MethodComparison, compare_methods

__all__ = ["compare"]


@sharing
def compare(
    clusters: options.Clusters,
    labels: options.IsLabels = False,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method", "-m", metavar="NAME",
            help="Method to compare; can be repeated. By default all order-free methods that "
            "accept missing labels.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE",
            help="Output file: .json for everything; .csv, .tsv or .parquet for the labels of "
            "each method and the disagreement, with a row for each sample.",
        ),
    ] = None,
    most: Annotated[
        int,
        options.integer_option(
            "--most", parser=options.whole_number(0), help="Number of samples to list."
        ),
    ] = 10,
    seed: options.Seed = 0,
    escape_formulas: options.EscapeFormulas = False,
    *,
    generating: Generating,
    source: FeatureSource,
) -> None:  # fmt: skip
    """Compare several methods on the same base partitions.

    Prints the agreement of their labels, the time of each, scores if the truth is known, and the
    samples on which the methods disagree most.

    Example: consensa compare runs.csv -k 4 --labels --id name -o comparison.json
    """
    chosen_methods = [choose_method(name) for name in method] if method else None
    check_output(output, source=source.file, also=(".json",))
    table, chosen = source.read(labels=labels)
    check_clusters(clusters, len(chosen.data))
    with showing(messages(), "Comparing"):
        if labels:
            ensemble = Ensemble.from_labels(chosen.data)
        else:
            read, chosen = source.features(table, chosen, partitions="say --labels")
            ensemble = generating.of(read.n_samples).generate(
                read, n_clusters=clusters, random_state=seed
            )
        found = compare_methods(
            ensemble, clusters, methods=chosen_methods, truth=chosen.truth, random_state=seed
        )
    if output is not None and output.suffix.lower() != ".json":
        write_frame(_frame(found, chosen), output, escape=escape_formulas)
    elif output is not None:
        with rescuing([_frame(found, chosen)]):
            _write_json(output, source.file, found, chosen, clusters, seed)
    _tell(found, chosen, most, output)


def _write_json(
    output: Path, file: Path, found: MethodComparison, chosen: Chosen, clusters: int, seed: int
) -> None:
    report = {
        "file": file.name,
        "n_samples": found.ensemble.n_samples,
        "n_partitions": found.ensemble.n_partitions,
        "n_clusters": clusters,
        "seed": seed,
        "methods": list(found.names),
        "agreement": found.agreement.tolist(),
        "seconds": found.seconds.tolist(),
        "scores": None if found.scores is None else list(found.scores),
        "most_typical": found.most_typical,
        "failures": dict(found.failures),
        "warnings": {name: list(said) for name, said in found.notes.items()},
        "samples": _json_values(chosen.row_names),
        "labels": dict(zip(found.names, found.labels.T.tolist(), strict=True)),
        "disagreement": found.disagreement.tolist(),
        "version": consensa.__version__,
    }
    with writing(output) as temporary:
        temporary.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _json_values(names: Any) -> list[Any]:
    """Names as JSON has them: dates and the like as text, missing ones as null."""
    plain = pd.Series(np.asarray(names)).astype(object)
    return [
        None if missing else name if isinstance(name, str | int | float) else str(name)
        for name, missing in zip(plain, plain.isna(), strict=True)
    ]


def _frame(found: MethodComparison, chosen: Chosen) -> pd.DataFrame:
    """A row for each sample: its name, its cluster in every method, the disagreement."""
    labels = dict(zip(found.names, found.labels.T, strict=True))
    return chosen.frame({**labels, "disagreement": found.disagreement})


def _tell(found: MethodComparison, chosen: Chosen, most: int, output: Path | None) -> None:
    console = answers()
    _print_agreement(console, found)
    if found.scores is not None:
        scores = dict(zip(found.names, found.scores, strict=True))
        console.print(score_table("Scores against the truth", scores))
    split = np.argsort(-found.disagreement, kind="stable")[:most]
    if len(split) and found.disagreement[split[0]] > 0:
        _print_samples(console, found, chosen, split)
    elif len(found.names) > 1:
        console.print("The methods agree on every sample.")
    for name, reason in found.failures.items():
        console.print(f"{name} did not run: {reason}", markup=False, style="yellow")
    for name, said in found.notes.items():
        for text in said:
            console.print(f"{name}: {text}", markup=False, style="yellow")
    if output is not None:
        messages().print(f"Written: {output}", markup=False, soft_wrap=True)


def _print_agreement(console: Console, found: MethodComparison) -> None:
    others = max(len(found.names) - 1, 1)
    columns = [
        *(
            (name, [f"{value:.2f}" for value in own])
            for name, own in zip(found.names, found.agreement.T, strict=True)
        ),
        ("mean", [f"{(row.sum() - 1) / others:.2f}" for row in found.agreement]),
        ("seconds", [f"{seconds:.2f}" for seconds in found.seconds]),
    ]
    title = "Agreement between the methods (adjusted Rand index)"
    print_in_parts(console, title, ("", list(found.names)), columns)


def _print_samples(console: Console, found: MethodComparison, chosen: Chosen, split: Any) -> None:
    labels = found.labels[split].T
    columns = [
        *((name, list(map(str, own))) for name, own in zip(found.names, labels, strict=True)),
        ("disagreement", [f"{value:.2f}" for value in found.disagreement[split]]),
    ]
    # Names come from a file: what looks like rich's markup in them is text.
    names = [escape(str(name)) for name in np.asarray(chosen.row_names)[split]]
    title = "Samples on which the methods disagree most"
    print_in_parts(console, title, (escape(chosen.names_title), names), columns)
