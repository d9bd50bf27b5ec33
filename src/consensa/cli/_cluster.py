"""``consensa cluster``: features in, labels out."""

from __future__ import annotations

import typer

from consensa._defaults import DEFAULT_METHOD
from consensa.cli import _options as options
from consensa.cli._columns import features, read_data
from consensa.cli._fit import fit_and_tell
from consensa.cli._methods import choose_method, read_options
from consensa.cli._number_of_clusters import settle_clusters
from consensa.cli._option_groups import FeatureOptions, GeneratorOptions, with_groups
from consensa.cli._page import check_page, write_page
from consensa.cli._write import check_output

__all__ = ["cluster"]

_COMBINE = "use `consensa combine`, or `audit` and `compare` with --labels"


@with_groups
def cluster(
    context: typer.Context,
    file: options.Source,
    clusters: options.ClustersOrRange,
    method: options.MethodName = DEFAULT_METHOD,
    output: options.Output = None,
    seed: options.Seed = 0,
    option: options.MethodOptions = None,
    report: options.Report = None,
    escape_formulas: options.EscapeFormulas = False,
    *,
    reading: FeatureOptions,
    generating: GeneratorOptions,
) -> None:
    """Cluster the rows of a table of features.

    Scales the columns if necessary, generates base partitions of several kinds and combines
    them. Columns may hold numbers or text; missing values are filled, and columns of row numbers
    or names are left out. `consensa inspect` shows what is in a file.

    With -k auto or a range such as -k 2-20, the number of clusters is selected and the evidence
    is printed; it is one if the data show no cluster structure.

    Example: consensa cluster flowers.csv -k 3 --truth species -o labels.csv
    """
    estimator = choose_method(method)
    parameters = read_options(estimator, option or ())
    check_output(output, source=file)
    check_page(report, source=file, output=output)
    generating.of(1)  # raises an error for a generator that does not take these options
    table, chosen = read_data(file, reading, labels=False)
    read, chosen = features(table, chosen, reading, partitions=_COMBINE)
    generator = generating.of(read.n_samples)
    settled = settle_clusters(clusters, read, read.n_samples, generator=generator, seed=seed)
    model = estimator(
        n_clusters=settled.n_clusters, generator=generator, random_state=seed, **parameters
    )
    run = fit_and_tell(model, read, chosen, output, escape=escape_formulas)
    if report is not None:
        write_page(report, model.result_, run, chosen, settled, words=context.obj or ())
