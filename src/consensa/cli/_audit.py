"""``consensa audit``: whether an answer is an artefact of the order of the rows."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

import consensa
from consensa._array import Array
from consensa._defaults import DEFAULT_METHOD, DEFAULT_N_PARTITIONS
from consensa._machine.memory import require_square
from consensa.cli import _options as options
from consensa.cli._columns import Chosen, choose_columns, features
from consensa.cli._fit import base_partitions
from consensa.cli._folder import make_folder
from consensa.cli._methods import choose_method, read_options
from consensa.cli._number_of_clusters import check_clusters
from consensa.cli._read import Request, Table, read_table
from consensa.cli._screen import answers, messages, score_table, showing
from consensa.cli._write import writing
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.exceptions import NotEnoughMemoryError, OrderSensitivityWarning
from consensa.generation.base import generated
from consensa.metrics import OrderAudit, audit_order, clustering_scores, order_spectrum
from consensa.metrics._order import spectrum_information
from consensa.plotting import OrderAgreementDisplay, OrderSpectrumDisplay
from consensa.plotting.axes import new_figure, require_matplotlib, save_figure
from consensa.similarity import coassociation

__all__ = ["audit"]


class _Spectra(NamedTuple):
    """What the order tells, rows as given and shuffled; or why that is not known."""

    n_samples: int
    given: Array | None = None
    shuffled: Array | None = None
    reason: str | None = None

    def information(self) -> dict[str, float | str]:
        if self.given is None or self.shuffled is None:
            return {"reason": str(self.reason)}
        return {
            "as_given": spectrum_information(self.given, self.n_samples),
            "shuffled": spectrum_information(self.shuffled, self.n_samples),
        }


def audit(
    file: options.Source,
    clusters: options.Clusters,
    labels: options.IsLabels = False,
    method: options.MethodName = DEFAULT_METHOD,
    shuffles: options.Shuffles = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where to write audit.json, .png and .svg."
        ),
    ] = None,
    truth: options.Truth = None,
    drop: options.Drop = None,
    row_id: options.Id = None,
    partitions: options.Partitions = DEFAULT_N_PARTITIONS,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    option: options.MethodOptions = None,
    header: options.Header = None,
    array: options.ArrayName = None,
) -> None:
    """Measure whether an answer comes from the data or from the order of the rows.

    Fits the method on the rows as they are, on shuffled rows and with other seeds, and
    compares: a method that draws random numbers differs between seeds too, and only what the
    order does beyond that is its effect.

    Example: consensa audit flowers.csv -k 3 --drop species --method lta -o out/audit
    """
    estimator = choose_method(method)
    parameters = read_options(estimator, option or ())
    if output is not None:
        require_matplotlib("The picture of an audit")
        make_folder(output)
    usual = ("labels",) if labels else ("X", "data", "features")
    table = read_table(file, Request(header, array, usual, (row_id,) if row_id else ()))
    chosen = choose_columns(table, truth=truth, row_id=row_id, drop=drop or ())
    check_clusters(clusters, len(chosen.data))
    rows, generator = _rows(table, chosen, labels, partitions, jobs)
    model = estimator(n_clusters=clusters, generator=generator, **parameters)
    # With partitions that are there already, only a method with a seed of its own draws numbers.
    function: Any = type(model)._function
    draws = not labels or "random_state" in function.declared
    with showing(messages(), f"Auditing {estimator.__name__}"), _each_kind_of_warning_once():
        found = audit_order(
            model,
            rows,
            n_shuffles=shuffles,
            n_seeds=None if draws else 0,
            random_state=seed,
        )
        spectra = _spectra(rows, model, seed)
    report = _report(file, model, found, spectra, chosen.truth, seed)
    _tell(report)
    if output is not None:
        _write(output, found, spectra, report)


def _rows(
    table: Table, chosen: Chosen, labels: bool, partitions: int, jobs: int | None
) -> tuple[Any, Any]:
    """What the method is fitted on, and what makes its base partitions."""
    if labels:
        return Ensemble.from_labels(chosen.data), "precomputed"
    read = features(table, chosen.data, partitions="say --labels")
    return read, base_partitions(partitions, jobs, read.n_samples)


@contextmanager
def _each_kind_of_warning_once() -> Iterator[None]:
    """Show the first warning of each kind: twenty fits would say the same twenty times.

    Warnings about the order are left out, for the audit measures what they warn of.
    """
    shown: set[type[Warning]] = set()
    with warnings.catch_warnings():
        show: Any = warnings.showwarning

        def show_first(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
            if category not in shown:
                shown.add(category)
                show(message, category, *rest, **more)

        warnings.simplefilter("ignore", OrderSensitivityWarning)
        warnings.showwarning = show_first
        yield


def _spectra(rows: Any, model: BaseConsensus, seed: int) -> _Spectra:
    """Fourier energy of the co-association matrix, where that matrix fits in memory."""
    ensemble = rows
    if not isinstance(rows, Ensemble):
        ensemble = generated(model.generator, rows, model.n_clusters, seed)
    n = ensemble.n_samples
    try:
        require_square(n, np.float32, arrays=2, step="The co-association matrix")
    except NotEnoughMemoryError as error:
        return _Spectra(n, reason=str(error))
    matrix = coassociation(ensemble, dtype="float32")
    order = np.random.RandomState(seed).permutation(n)
    return _Spectra(n, order_spectrum(matrix), order_spectrum(matrix[order]))


def _report(
    file: Path, model: BaseConsensus, found: OrderAudit, spectra: _Spectra, truth: Any, seed: int
) -> dict[str, Any]:
    """Everything that was found, as it is written to audit.json."""
    known = model.get_params(deep=False)
    report: dict[str, Any] = {
        "file": file.name,
        "method": type(model).__name__,
        "parameters": {
            name: value
            for name, value in sorted(known.items())
            if name not in ("generator", "random_state")
        },
        "order_free_by_design": model.info.order_free,
        "input": "labels" if model.generator == "precomputed" else "features",
        "n_samples": len(found.labels),
        "seed": seed,
        "verdict": found.verdict,
        "finding": found.finding,
        "p_value": found.p_value,
        "between_orders": found.between_orders.tolist(),
        "between_seeds": found.between_seeds.tolist(),
        "order_information": spectra.information(),
        "version": consensa.__version__,
    }
    if truth is not None:
        report["scores"] = _scores(found, truth)
    return report


def _scores(found: OrderAudit, truth: Any) -> dict[str, dict[str, float]]:
    """Scores of the answer as given, and mean scores of the others."""

    def mean(answers: Array) -> dict[str, float]:
        each = [clustering_scores(truth, labels) for labels in answers]
        return {name: float(np.mean([scores[name] for scores in each])) for name in each[0]}

    scores = {"as given": mean(found.labels[None]), "rows shuffled": mean(found.shuffled_labels)}
    if len(found.reseeded_labels):
        scores["other seeds"] = mean(found.reseeded_labels)
    return scores


def _tell(report: dict[str, Any]) -> None:
    """Print the verdict and what it rests on."""
    console = answers(soft_wrap=True)
    depends = report["finding"] in ("slight", "strong")
    console.print(report["verdict"], style="bold yellow" if depends else "bold green")
    information = report["order_information"]
    if "reason" in information:
        console.print(f"Order information was not measured. {information['reason']}", markup=False)
    else:
        console.print(
            f"What the order tells about the partitions, from 0 to 1: "
            f"{information['as_given']:.2f} as given, {information['shuffled']:.2f} shuffled."
        )
    if report["finding"] != "none":
        console.print(_remedy(report), markup=False)
    if "scores" in report:
        console.print(score_table("Mean scores against the truth", report["scores"]))


def _remedy(report: dict[str, Any]) -> str:
    """What to do about it."""
    method = report["method"]
    if report["finding"] == "chance":
        return "More base partitions make the answer depend less on chance."
    if report["order_free_by_design"] and report["input"] == "features":
        return (
            f"{method} itself does not read the order; the base partitions do, by where they "
            f"start. More of them (--partitions) make the answer steadier."
        )
    if report["order_free_by_design"]:
        return (
            f"{method} does not read the order, but where two steps are equally good it takes the "
            f"first it meets. More partitions, or partitions into more clusters, make such ties "
            f"rarer."
        )
    return (
        f"{method} reads the order of the rows. Unless the order means something, use a method "
        f"that does not, such as {DEFAULT_METHOD}; `consensa methods` says which."
    )


def _write(folder: Path, found: OrderAudit, spectra: _Spectra, report: dict[str, Any]) -> None:
    with writing(folder / "audit.json") as temporary:
        temporary.write_text(json.dumps(report, indent=1, allow_nan=False) + "\n")
    panels = 1 if spectra.given is None else 2
    figure = new_figure((6.0 * panels, 3.6))
    axes = figure.subplots(1, panels, squeeze=False)[0]
    OrderAgreementDisplay.from_audit(found, ax=axes[0])
    if spectra.given is not None:
        shares = spectra.given, spectra.shuffled
        OrderSpectrumDisplay(*shares, n_samples=spectra.n_samples).plot(axes[1])
    figure.suptitle(f"{report['method']} on {report['file']}: {_SHORT[found.finding]}")
    written = save_figure(figure, folder / "audit")
    for path in (folder / "audit.json", *written):
        messages().print(f"Written: {path}", markup=False, soft_wrap=True)


_SHORT = {
    "none": "the order of the rows does not matter",
    "chance": "chance matters, the order does not",
    "slight": "the order of the rows matters a little",
    "strong": "the answer follows the order of the rows",
}
