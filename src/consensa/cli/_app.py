"""The application: all commands, and the handling of their errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

import consensa
from consensa.cli import WRONG_INPUT
from consensa.cli._audit import audit
from consensa.cli._cluster import cluster
from consensa.cli._combine import combine
from consensa.cli._compare import compare
from consensa.cli._demo import demo
from consensa.cli._methods import methods
from consensa.cli._plan import plan
from consensa.cli._screen import messages
from consensa.cli._study_figures import study
from consensa.exceptions import ConsensaError

__all__ = ["app", "execute"]

app = typer.Typer(
    name="consensa",
    help="Consensus clustering: combine many clusterings of the same samples into a better one.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (cluster, combine, compare, methods, audit, plan, demo):
    app.command()(command)
app.add_typer(study, name="study")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"consensa {consensa.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Options before the command."""


def execute(arguments: Sequence[str]) -> int:
    """Run a command; an error that the user can correct gives one message and status 2.

    Any other error is a bug in Consensa and keeps its traceback.
    """
    try:
        app(list(arguments), prog_name="consensa", obj=tuple(arguments))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except ConsensaError as error:
        message = str(error)
    except MemoryError as error:
        message = f"Out of memory. {error} Use fewer samples or a machine with more memory."
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{error.strerror or error}."
    messages().print(f"Error: {message}", style="red", markup=False, soft_wrap=True)
    return WRONG_INPUT
