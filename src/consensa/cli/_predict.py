"""``consensa predict``: a saved model and new rows in, labels out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from consensa._machine.suggest import listed, suggestion
from consensa._result.wording import counted
from consensa._saved_model import SavedModel, load_model
from consensa.cli import _options as options
from consensa.cli._append import appended, goes_into_h5ad, write_into_h5ad
from consensa.cli._columns import refuse_complaints, sample_names
from consensa.cli._screen import messages, showing
from consensa.cli._shared_options import sharing
from consensa.cli._source import Reading
from consensa.cli._write import check_output, write_frame
from consensa.description.sample_table import rounded
from consensa.exceptions import InvalidInputError
from consensa.tables.preparation import prepare_new
from consensa.tables.table import Table

__all__ = ["predict"]

Model = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="File written by `consensa cluster --save`.", show_default=False
    ),
]


@sharing
def predict(
    model: Model,
    file: options.File,
    output: options.Output = None,
    row_id: options.Id = None,
    append: options.Append = False,
    escape_formulas: options.EscapeFormulas = False,
    na: options.NotAvailable = None,
    decimal: options.Decimal = None,
    *,
    reading: Reading,
) -> None:
    """Label new rows with the clusters of a saved model.

    The columns of the fit are found by their names; others are ignored. They are scaled and
    encoded as in the fit, and missing values filled with the median or the most frequent text of
    the fit. No code in the model's file is run.

    Example: consensa predict model.npz new.csv -o labels.csv
    """
    check_output(output, source=file)
    if not model.exists():
        message = f"MODEL must exist. There is no {model}."
        raise InvalidInputError(message)
    loaded = load_model(model)
    is_labels = loaded.result.features is None
    asked = {"missing": tuple(na or ()), "decimal": decimal}
    table = reading.table(file, labels=is_labels, truth=None, row_id=row_id, **asked)
    data, filled = _columns(loaded, table)
    console = messages()
    with showing(console, "Prediction"):
        found = rounded(loaded.sample_table(data))
    names, title = _names(table, row_id)
    frame = found.reset_index(drop=True)
    if append and goes_into_h5ad(output, table):
        write_into_h5ad(table, frame, output)
    elif append:
        results = {name: found[name].array for name in found}
        write_frame(appended(table, results), output, escape=escape_formulas)
    else:
        frame.insert(0, title, names, allow_duplicates=True)
        write_frame(frame, output, escape=escape_formulas)
    n_outliers = int(found["outlier"].sum())
    said = f"{counted(len(found), 'sample')} labeled, {counted(n_outliers, 'outlier')}"
    console.print(said, soft_wrap=True)
    if filled:
        console.print(f"{counted(filled, 'missing value')} filled as in the fit", soft_wrap=True)
    if output is not None:
        console.print(f"Labels written to {output}", soft_wrap=True, markup=False)


def _columns(loaded: SavedModel, table: Table) -> tuple[object, int]:
    """The columns of the fit, and how many missing values are filled in them."""
    plan, names = loaded.columns, loaded.result.ensemble.partition_names
    if plan is not None:
        made = prepare_new(table, plan)
        refuse_complaints(table, made.complaints)
        return made.frame, plan.count_missing(table.frame)
    if names is not None and set(names) <= set(table.frame.columns):
        return table.frame[list(names)], 0
    return table.frame, 0


def _names(table: Table, row_id: str | None) -> tuple[object, str]:
    if row_id is None:
        known = table.row_names
        return (np.arange(len(table.frame)) if known is None else sample_names(known)), "sample"
    if row_id not in table.frame.columns:
        known = list(map(str, table.frame.columns))
        message = (
            f"--id must name a column of {table.source}. Got {row_id!r}."
            f"{suggestion(row_id, known)} Columns: {listed(known)}."
        )
        raise InvalidInputError(message)
    return sample_names(table.frame[row_id]), row_id
