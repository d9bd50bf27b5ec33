"""``consensa audit``: whether a result depends on the order of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from consensa._defaults import DEFAULT_METHOD
from consensa._result.wording import counted
from consensa.cli import _options as options
from consensa.cli._folder import make_folder
from consensa.cli._function import load_function
from consensa.cli._generators import Generating
from consensa.cli._methods import choose_method, read_options
from consensa.cli._number_of_clusters import check_clusters
from consensa.cli._screen import answers, messages, score_table, showing
from consensa.cli._shared_options import sharing
from consensa.cli._source import FeatureSource
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidParameterError, OrderSensitivityWarning
from consensa.metrics import audit_order
from consensa.plotting.axes import require_matplotlib
from consensa.study.audit import (
    AUDIT_FILES,
    Audited,
    audit_report,
    measure_spectra,
    write_audit,
)

__all__ = ["audit"]

_MOST_NAMES = 12  # of partitions on the screen


@sharing
def audit(
    clusters: options.Clusters,
    labels: options.IsLabels = False,
    method: options.MethodName = DEFAULT_METHOD,
    function: Annotated[
        str | None,
        typer.Option(
            "--function",
            metavar="MODULE:NAME",
            help="Function f(labels, n_clusters) -> labels to audit in place of a method; with "
            "--labels.",
        ),
    ] = None,
    shuffles: options.Shuffles = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for audit.json, .png and .svg."
        ),
    ] = None,
    seed: options.Seed = 0,
    option: options.MethodOptions = None,
    *,
    generating: Generating,
    source: FeatureSource,
) -> None:
    """Measure whether a result depends on the order of the rows.

    Fits the method on the rows as they are, on shuffled rows and with other seeds. The labels of
    a method that draws random numbers differ between seeds too; only a larger difference
    between shuffled rows is an effect of the order.

    With --function package.module:name, a function of your own is measured in the same way.

    Example: consensa audit flowers.csv -k 3 --drop species --method lta -o out/audit
    """
    choice = _choose(method, function, option or (), labels)
    folder = None if output is None else output.absolute()  # a function may go elsewhere
    if folder is not None:
        require_matplotlib("The picture of an audit")
        make_folder(folder, files=AUDIT_FILES)
    table, chosen = source.read(labels=labels)
    check_clusters(clusters, len(chosen.data))
    rows: Any
    generator: Any
    if labels:
        rows, generator = Ensemble.from_labels(chosen.data), "precomputed"
        messages().print(_partitions(rows), markup=False, soft_wrap=True)
    else:
        rows, chosen = source.features(table, chosen, partitions="say --labels")
        generator = generating.of(rows.n_samples)
    model = choice.model(clusters, generator)
    with showing(messages(), f"Auditing {choice.name}"), _each_kind_of_warning_once():
        found = audit_order(
            choice.function if model is None else model,
            rows,
            n_clusters=clusters if model is None else None,
            n_shuffles=shuffles,
            n_seeds=None if choice.draws(labels) else 0,
            random_state=seed,
        )
        spectra = measure_spectra(rows, model, seed)
    report = audit_report(
        source.file, choice.audited(model, clusters), found, spectra, chosen.truth, seed
    )
    _tell(report)
    if output is not None and folder is not None:
        for path in write_audit(folder, found, spectra, report):
            messages().print(f"Written: {output / path.name}", markup=False, soft_wrap=True)


class _Choice(NamedTuple):
    """The method or the function that is audited."""

    name: str
    estimator: type[BaseConsensus] | None
    parameters: dict[str, Any]
    function: Callable[..., Any] | None

    def model(self, n_clusters: int, generator: Any) -> BaseConsensus | None:
        """The estimator with its parameters; None for a function."""
        if self.estimator is None:
            return None
        return self.estimator(n_clusters=n_clusters, generator=generator, **self.parameters)

    def draws(self, labels: bool) -> bool:
        """Whether it may draw random numbers.

        With partitions that are there already, only a method with a seed of its own does.
        """
        if self.estimator is None or not labels:
            return True
        function: Any = self.estimator._function
        return "random_state" in function.declared

    def audited(self, model: BaseConsensus | None, n_clusters: int) -> Audited:
        """What the report says about it."""
        if model is None:
            return Audited(self.name, {"n_clusters": n_clusters}, None, "labels")
        return Audited.of_model(model)


def _choose(method: str, function: str | None, pairs: Sequence[str], labels: bool) -> _Choice:
    """What the options name."""
    if function is None:
        estimator = choose_method(method)
        return _Choice(estimator.__name__, estimator, read_options(estimator, pairs), None)
    if method != DEFAULT_METHOD or pairs:
        message = "--function takes the place of --method and --option. Got both."
        raise InvalidParameterError(message)
    if not labels:
        message = (
            "--function needs a label matrix: say --labels, and give a file whose columns are "
            "partitions."
        )
        raise InvalidParameterError(message)
    return _Choice(function, None, {}, load_function(function))


@contextmanager
def _each_kind_of_warning_once() -> Iterator[None]:
    """Show the first warning of each kind, since every fit raises the same warnings.

    Warnings about the order are hidden, since the audit measures this effect.
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


def _partitions(ensemble: Ensemble) -> str:
    """Which columns are partitions, so that a class among them is seen."""
    names = ensemble.partition_names
    if not names:
        return counted(ensemble.n_partitions, "partition")
    shown = names if len(names) <= _MOST_NAMES else (*names[: _MOST_NAMES - 1], "…", names[-1])
    return f"{counted(len(names), 'partition')}: {', '.join(shown)}"


def _tell(report: dict[str, Any]) -> None:
    """Print the verdict, the number of clusters, the order information and the scores."""
    console = answers(soft_wrap=True)
    depends = report["finding"] in ("slight", "strong")
    console.print(report["verdict"], style="bold yellow" if depends else "bold green")
    asked, came = report["parameters"]["n_clusters"], report["n_clusters_found"]
    if came != asked:
        clusters = counted(came, "cluster")
        console.print(
            f"{report['method']} returned {clusters}; {asked} were asked for.", markup=False
        )
    information = report["order_information"]
    if "reason" in information:
        console.print(f"Order information was not computed. {information['reason']}", markup=False)
    else:
        console.print(
            f"Order information of the partitions, from 0 to 1: "
            f"{information['as_given']:.2f} as given, {information['shuffled']:.2f} shuffled."
        )
    if report["finding"] != "none":
        console.print(_remedy(report), markup=False)
    if "scores" in report:
        runs = report["class_runs"]
        console.print(
            f"Runs of equal classes along the file: {runs['n_runs']}; in random order "
            f"{runs['expected']:.0f}, sorted by class {runs['n_classes']}."
        )
        console.print(score_table("Mean scores against the truth", report["scores"]))


def _remedy(report: dict[str, Any]) -> str:
    """Advice for the user."""
    method = report["method"]
    if report["order_free_by_design"] is None:
        return _remedy_of_function(report)
    if report["finding"] == "chance":
        return "Use more base partitions to reduce the effect of chance."
    if report["order_free_by_design"] and report["input"] == "features":
        return (
            f"{method} is order-free, but the base partitions depend on the order through their "
            f"random starts. Use more of them (--partitions) to reduce the effect."
        )
    if report["order_free_by_design"]:
        return (
            f"{method} is order-free except for ties between equally good steps. More partitions, "
            f"or partitions with more clusters, make ties rarer."
        )
    return (
        f"{method} uses the order of the rows. Unless the order has a meaning, use an order-free "
        f"method, such as {DEFAULT_METHOD}; `consensa methods` lists them."
    )


def _remedy_of_function(report: dict[str, Any]) -> str:
    """Advice for the author of a function."""
    method = report["method"]
    if report["finding"] == "chance":
        return (
            f"{method} draws random numbers. If it repeats its random part and keeps the best or "
            f"the most typical result, less of the result depends on them."
        )
    if min(report["between_seeds"], default=1.0) == 1.0:
        return (
            f"Other seeds changed nothing. If {method} fixes a seed of its own, give it a "
            f"parameter random_state instead and audit again: what is drawn for row 0 is given to "
            f"another sample after a shuffle. If it draws nothing, look for ties that are broken "
            f"by the row number, for starts at the first rows, and for transforms along the rows."
        )
    return (
        f"{method} changes with the order more than with the seed. Look for ties that are broken "
        f"by the row number, for starts at the first rows, and for transforms along the rows."
    )
