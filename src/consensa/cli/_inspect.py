"""``consensa inspect``: a look at a table before it is clustered."""

from __future__ import annotations

import shlex

from consensa.cli._screen import answers, plain_table
from consensa.cli._shared_options import given_options, sharing
from consensa.cli._source import FeatureSource
from consensa.tables.inspection import Inspection, inspect_table

__all__ = ["inspect"]

_MOST_COLUMNS = 200


@sharing
def inspect(source: FeatureSource) -> None:
    """Look at a table before it is clustered.

    Prints its columns with their kinds, missing values and ranges, what is noticeable about them
    (constants, duplicates, ids, dates, outliers, scale), and the command to run.

    Example: consensa inspect flowers.csv
    """
    table, chosen = source.read(labels=False)
    found = inspect_table(table, chosen.data)
    console = answers(soft_wrap=True)
    console.print(_columns(found))
    more = len(found.columns) - _MOST_COLUMNS
    if more > 0:
        console.print(f"And {more} more columns.")
    for sentence in found.findings:
        console.print(f"- {sentence}", markup=False)
    for problem in found.problems:
        console.print(f"- To correct: {problem}", style="yellow", markup=False)
    when = ", when this is corrected" if found.problems else ""
    console.print(f"\nNext{when}: {_command(source, found)}", markup=False)


def _columns(found: Inspection) -> object:
    table = plain_table("Columns")
    for name in ("column", "kind"):
        table.add_column(name)
    for name in ("missing", "distinct", "outliers"):
        table.add_column(name, justify="right")
    table.add_column("values")
    for own in found.columns[:_MOST_COLUMNS]:
        counts = (
            str(count) if count else "" for count in (own.missing, own.distinct, own.outliers)
        )
        table.add_row(own.name, own.kind, *counts, own.values)
    return table


def _command(source: FeatureSource, found: Inspection) -> str:
    """The command that clusters the table."""
    given = given_options(source)
    wanted = found.options
    if source.row_id is not None:  # there is one column of names
        wanted = tuple(option.replace("--id ", "--drop ") for option in wanted)
    options = dict.fromkeys([*given, *wanted])
    parts = ["consensa cluster", shlex.quote(str(source.file)), "-k auto", *options]
    return " ".join([*parts, "-o labels.csv"])
