"""The audit of a result as files: JSON and a figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import consensa
from consensa._array import Array
from consensa._machine.atomic import writing
from consensa._machine.memory import require_square
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.exceptions import NotEnoughMemoryError
from consensa.generation.base import generated
from consensa.metrics import OrderAudit, class_runs, clustering_scores, order_spectrum
from consensa.metrics.spectrum import spectrum_information
from consensa.plotting import OrderAgreementDisplay, OrderSpectrumDisplay
from consensa.plotting.axes import new_figure, plain_text, save_figure
from consensa.similarity import coassociation

__all__ = ["AUDIT_FILES", "Audited", "Spectra", "audit_report", "measure_spectra", "write_audit"]

AUDIT_FILES = ("audit.json", "audit.png", "audit.svg")
_SHORT = {
    "none": "the result does not depend on the order of the rows",
    "chance": "no effect of the order was found beyond that of the seed",
    "slight": "the result depends slightly on the order of the rows",
    "strong": "the result depends on the order of the rows",
}


class Audited(NamedTuple):
    """What was audited: a method of Consensa, or a function of the user."""

    name: str
    parameters: dict[str, Any]
    order_free: bool | None  # None: not known
    takes: str  # "labels" or "features"

    @classmethod
    def of_model(cls, model: BaseConsensus) -> Audited:
        """A method, with its parameters."""
        known = model.get_params(deep=False)
        parameters = {
            name: value
            for name, value in sorted(known.items())
            if name not in ("generator", "random_state")
        }
        takes = "labels" if model.generator == "precomputed" else "features"
        return cls(type(model).__name__, parameters, model.info.order_free, takes)


class Spectra(NamedTuple):
    """Order information of the rows as given and shuffled, or why it is not known."""

    n_samples: int
    given: Array | None = None
    shuffled: Array | None = None
    reason: str | None = None

    def information(self) -> dict[str, float | str]:
        """Order information of each order, or why it is not known."""
        if self.given is None or self.shuffled is None:
            return {"reason": str(self.reason)}
        return {
            "as_given": spectrum_information(self.given, self.n_samples),
            "shuffled": spectrum_information(self.shuffled, self.n_samples),
        }


def measure_spectra(rows: Any, model: BaseConsensus | None, seed: int) -> Spectra:
    """Fourier energy of the co-association matrix, if that matrix fits in memory."""
    ensemble = rows
    if model is not None and not isinstance(rows, Ensemble):
        ensemble = generated(model.generator, rows, model.n_clusters, seed)
    n = ensemble.n_samples
    try:
        require_square(n, np.float32, arrays=2, step="The co-association matrix")
    except NotEnoughMemoryError as error:
        return Spectra(n, reason=str(error))
    matrix = coassociation(ensemble, dtype="float32")
    order = np.random.RandomState(seed).permutation(n)
    return Spectra(n, order_spectrum(matrix), order_spectrum(matrix[order]))


def audit_report(
    file: Path, audited: Audited, found: OrderAudit, spectra: Spectra, truth: Any, seed: int
) -> dict[str, Any]:
    """The contents of ``audit.json``."""
    report: dict[str, Any] = {
        "file": file.name,
        "method": audited.name,
        "parameters": audited.parameters,
        "order_free_by_design": audited.order_free,
        "input": audited.takes,
        "n_samples": len(found.labels),
        "n_clusters_found": len(np.unique(found.labels)),
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
        runs = class_runs(truth)
        report["class_runs"] = {**runs._asdict(), "sortedness": runs.sortedness}
    return report


def _scores(found: OrderAudit, truth: Any) -> dict[str, dict[str, float]]:
    """Scores of the result as given, and mean scores of the others."""

    def mean(answers: Array) -> dict[str, float]:
        each = [clustering_scores(truth, labels) for labels in answers]
        return {name: float(np.mean([scores[name] for scores in each])) for name in each[0]}

    scores = {"as given": mean(found.labels[None]), "rows shuffled": mean(found.shuffled_labels)}
    if len(found.reseeded_labels):
        scores["other seeds"] = mean(found.reseeded_labels)
    return scores


def write_audit(
    folder: Path, found: OrderAudit, spectra: Spectra, report: dict[str, Any]
) -> list[Path]:
    """Write ``audit.json``, ``audit.png`` and ``audit.svg``."""
    with writing(folder / "audit.json") as temporary:
        temporary.write_text(json.dumps(report, indent=1, allow_nan=False) + "\n")
    panels = 1 if spectra.given is None else 2
    figure = new_figure((6.0 * panels, 3.6))
    axes = figure.subplots(1, panels, squeeze=False)[0]
    OrderAgreementDisplay.from_audit(found, ax=axes[0])
    if spectra.given is not None:
        shares = spectra.given, spectra.shuffled
        OrderSpectrumDisplay(*shares, n_samples=spectra.n_samples).plot(axes[1])
    where = plain_text(report["file"])
    figure.suptitle(f"{report['method']} on {where}: {_SHORT[found.finding]}")
    return [folder / "audit.json", *save_figure(figure, folder / "audit")]
