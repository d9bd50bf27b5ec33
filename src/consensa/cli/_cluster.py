"""``consensa cluster``: features in, labels out."""

from __future__ import annotations

import typer

from consensa._defaults import DEFAULT_METHOD, DEFAULT_N_PARTITIONS
from consensa.cli import _options as options
from consensa.cli._columns import choose_columns, features
from consensa.cli._fit import base_partitions, fit_and_tell
from consensa.cli._methods import choose_method, read_options
from consensa.cli._number_of_clusters import settle_clusters
from consensa.cli._page import check_page, write_page
from consensa.tables import Request, read_table
from consensa.cli._write import check_output

__all__ = ["cluster"]

_COMBINE = "use `consensa combine`, or `audit` and `compare` with --labels"


def cluster(
    context: typer.Context,
    file: options.Source,
    clusters: options.ClustersOrRange,
    method: options.MethodName = DEFAULT_METHOD,
    output: options.Output = None,
    truth: options.Truth = None,
    drop: options.Drop = None,
    row_id: options.Id = None,
    partitions: options.Partitions = DEFAULT_N_PARTITIONS,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    option: options.MethodOptions = None,
    header: options.Header = None,
    array: options.ArrayName = None,
    report: options.Report = None,
    escape_formulas: options.EscapeFormulas = False,
) -> None:
    """Cluster the rows of a table of features.

    Scales the columns if necessary, generates base partitions of several kinds and combines
    them. Columns may hold numbers or text.

    With -k auto or a range such as -k 2-20, the number of clusters is selected and the evidence
    is printed; it is one if the data show no cluster structure.

    Example: consensa cluster flowers.csv -k 3 --truth species -o labels.csv
    """
    estimator = choose_method(method)
    parameters = read_options(estimator, option or ())
    check_output(output, source=file)
    check_page(report, source=file, output=output)
    request = Request.of(header, array, labels=False, truth=truth, row_id=row_id)
    table = read_table(file, request)
    chosen = choose_columns(table, truth=truth, row_id=row_id, drop=drop or ())
    read = features(table, chosen.data, partitions=_COMBINE)
    generator = base_partitions(partitions, jobs, read.n_samples)
    settled = settle_clusters(clusters, read, read.n_samples, generator=generator, seed=seed)
    model = estimator(
        n_clusters=settled.n_clusters, generator=generator, random_state=seed, **parameters
    )
    run = fit_and_tell(model, read, chosen, output, escape=escape_formulas)
    if report is not None:
        write_page(report, model.result_, run, chosen, settled, words=context.obj or ())
