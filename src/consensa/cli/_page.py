"""``--report``: the report of a run, written after its labels."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from consensa.cli._columns import Chosen
from consensa.cli._number_of_clusters import Settled
from consensa.cli._sampled_page import Shown
from consensa.cli._screen import messages, showing
from consensa.cli._write import check_place
from consensa.description.clusters import has_features
from consensa.exceptions import ConsensaError, InvalidInputError
from consensa.report import Run, write_report

__all__ = ["check_page", "write_page"]

_ENDINGS = (".html", ".htm")  # no other file is replaced by mistake


def check_page(page: Path | None, *, source: Path, output: Path | None) -> None:
    """Refuse a report that could not be written, or that would replace other data."""
    if page is None:
        return
    if page.suffix.lower() not in _ENDINGS:
        message = f"--report must end in {' or '.join(_ENDINGS)}. Got {page.name!r}."
        raise InvalidInputError(message)
    check_place(page, "--report")
    for other, what in ((source, "the input"), (output, "--output")):
        if other is not None and os.path.realpath(page) == os.path.realpath(other):
            message = f"--report must be a separate file. {page} is also {what}."
            raise InvalidInputError(message)


def write_page(
    page: Path, shown: Shown, run: Run, settled: Settled, *, words: Sequence[str]
) -> None:
    """Write the report of a run; if that fails, the message adds that the labels were written.

    `run` is the data of the fit, and `words` are those of the command line.
    """
    result, chosen = shown.result, shown.chosen
    data = "partitions" if result.features is None else "X"
    seen = result.features if shown.title is None else None
    is_numeric = seen is not None and seen.encoding is None
    run = replace(
        run,
        command=shlex.join(["consensa", *words]),
        lines=_lines(chosen, settled, data, ".astype(float)" if is_numeric else ""),
        data=data,
        names_title=chosen.names_title,
    )
    console = messages()
    try:
        with showing(console, "Report"):
            write_report(
                result,
                page,
                X=chosen.data if has_features(result) else None,
                truth=chosen.truth,
                ids=chosen.row_names,
                selection=settled.evidence,
                title=shown.title,
                run=run,
            )
    except OSError as error:
        raise _failure(page, error.strerror or str(error)) from error
    except (ConsensaError, MemoryError) as error:
        raise _failure(page, str(error)) from error
    console.print(f"Report written to {page}", soft_wrap=True, markup=False)


def _failure(page: Path, reason: str) -> InvalidInputError:
    return InvalidInputError(
        f"The report {page} could not be written: {reason.rstrip('.')}. The labels were written "
        f"before."
    )


def _lines(chosen: Chosen, settled: Settled, data: str, cast: str) -> str:
    """Python code that reads the data, and how the number of clusters was selected."""
    reading, aside = chosen.code, list(chosen.aside)
    used = {
        "np.": "numpy as np",
        "pd.": "pandas as pd",
        "consensa.tables.": "consensa.tables",
        "consensa.": "consensa",
    }
    prepares = chosen.preparation is not None
    named = reading + ("consensa.tables." if prepares else "")
    lines = [f"import {module}" for short, module in used.items() if short in named]
    then = f".drop(columns={aside!r})" if aside else ""
    if then or prepares or cast:
        lines.append(f"table = {reading}")
        reading = f"table{then}"
    if prepares:
        reading = f"consensa.tables.prepare({reading}{chosen.preparation}).frame"
    lines.append(f"{data} = {reading}{cast}")
    if settled.arguments is not None:
        call = f"consensa.select_n_clusters({data}, {settled.arguments})"
        lines.append(f"# The number of clusters is {call}.n_clusters.")
    return "\n".join(lines)
