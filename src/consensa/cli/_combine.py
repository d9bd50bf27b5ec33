"""``consensa combine``: a label matrix in, labels out."""

from __future__ import annotations

from typing import Any

import typer

from consensa._defaults import DEFAULT_METHOD
from consensa.cli import _options as options
from consensa.cli._columns import read_data
from consensa.cli._fit import fit_and_tell
from consensa.cli._large import is_large, on_dask, open_large, the_cluster
from consensa.cli._methods import choose_method, read_options
from consensa.cli._number_of_clusters import settle_clusters
from consensa.cli._option_groups import LabelOptions, with_groups
from consensa.cli._page import check_page, write_page
from consensa.cli._write import check_output
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError

__all__ = ["combine"]


@with_groups
def combine(
    context: typer.Context,
    file: options.Source,
    clusters: options.ClustersOrRange,
    method: options.MethodName = DEFAULT_METHOD,
    output: options.Output = None,
    seed: options.Seed = 0,
    option: options.MethodOptions = None,
    engine: options.Engine = "local",
    scheduler: options.Scheduler = None,
    report: options.Report = None,
    escape_formulas: options.EscapeFormulas = False,
    *,
    reading: LabelOptions,
) -> None:
    """Combine existing partitions into one.

    The file holds a label matrix: a row for each sample and a column for each partition, with
    integers or names. Empty, NA and -1 are missing labels; -1 among names is one too, unless
    other names are numbers with a sign. Files written by Ensemble.save can be read too. Folders
    of Parquet or Zarr files, and large files, are read in blocks of rows.

    With -k auto or a range such as -k 2-20, the number of clusters is selected and the evidence
    is printed.

    Example: consensa combine runs.csv -k 4 --id name -o consensus.csv
    """
    dask = engine == "dask" or scheduler is not None
    estimator = on_dask(choose_method(method)) if dask else choose_method(method)
    parameters = read_options(estimator, option or ())
    check_output(output, source=file)
    check_page(report, source=file, output=output)
    if dask and report is not None:
        message = "--report is not available with --engine dask."
        raise InvalidInputError(message)
    labels: Any
    if is_large(file, dask=dask):
        labels, chosen = open_large(
            file, truth=reading.truth, row_id=reading.row_id, drop=reading.drop or ()
        )
    else:
        _, chosen = read_data(file, reading, labels=True)
        labels = chosen.data if dask else Ensemble.from_labels(chosen.data)
    settled = settle_clusters(
        clusters, labels, len(chosen.row_names), generator="precomputed", seed=seed
    )
    model = estimator(
        n_clusters=settled.n_clusters, generator="precomputed", random_state=seed, **parameters
    )
    with the_cluster(scheduler):
        run = fit_and_tell(model, labels, chosen, output, escape=escape_formulas)
    if report is not None:
        write_page(report, model.result_, run, chosen, settled, words=context.obj or ())
