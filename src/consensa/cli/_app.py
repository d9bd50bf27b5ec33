"""The application: all commands, and the handling of their errors.

A command's module is imported when the command is called: help and ``--version`` answer without
scikit-learn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

import consensa
from consensa._machine.printable import printable
from consensa._optional import require
from consensa.cli import WRONG_INPUT

__all__ = ["app", "execute", "load_command"]


class _Command(NamedTuple):
    """Where a command is, and the first line of its help."""

    module: str
    line: str


COMMANDS = {
    "inspect": _Command("_inspect", "Look at a table before it is clustered."),
    "cluster": _Command("_cluster", "Cluster the rows of a table of features."),
    "combine": _Command("_combine", "Combine existing partitions into one."),
    "predict": _Command("_predict", "Label new rows with the clusters of a saved model."),
    "compare": _Command("_compare", "Compare several methods on the same base partitions."),
    "methods": _Command(
        "_methods", "List the consensus methods, their properties and their cost."
    ),
    "audit": _Command("_audit", "Measure whether a result depends on the order of the rows."),
    "plan": _Command(
        "_plan", "Estimate memory, passes over the data, transfers and time of a consensus."
    ),
    "demo": _Command(
        "_demo", "Cluster 1797 handwritten digits and score the clusters against the known digits."
    ),
    "study": _Command(
        "_study_figures",
        "Run the experiments of the LTA paper, with the rows as stored and shuffled.",
    ),
}


def load_command(name: str) -> Any:
    """The command of this name, with its options."""
    for library in ("pandas", "pyarrow"):
        require(library, extra="cli", purpose="The command line")
    command = getattr(import_module(f"consensa.cli.{COMMANDS[name].module}"), name)
    alone = typer.Typer(add_completion=False, callback=lambda: None)
    if isinstance(command, typer.Typer):
        alone.add_typer(command, name=name)
    else:
        alone.command(name)(command)
    group: Any = typer.main.get_command(alone)
    return group.commands[name]


# Errors in options: of the copy of click inside recent versions of typer, of click itself before.
_OPTION_ERROR: Any = typer.BadParameter.__base__


@contextmanager
def _printable_errors() -> Iterator[None]:
    """Errors of the options quote them, and an option may be the name of any file."""
    try:
        yield
    except _OPTION_ERROR as error:
        vars(error)["message"] = printable(error.message)
        raise


class _Commands(TyperGroup):
    """Commands of which only the first lines of help are known until one is called."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the options before the command."""
        with _printable_errors():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Read the other options and run the command."""
        with _printable_errors():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name, command and arguments of what was called."""
        if args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="consensa",
    cls=_Commands,
    help="Consensus clustering: combine many clusterings of the same samples into a better one.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _command in COMMANDS.items():
    app.command(_name, help=_command.line)(lambda: None)


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
        return _status_of(arguments)
    except Exception as error:
        message = _advice(error)
        if message is None:
            raise
    from consensa.cli._screen import messages

    messages().print(f"Error: {message}", style="red", markup=False, soft_wrap=True)
    return WRONG_INPUT


def _status_of(arguments: Sequence[str]) -> int:
    """Run a command and give its exit status."""
    try:
        app(list(arguments), prog_name="consensa", obj=tuple(arguments))
    except SystemExit as ended:
        sys.stdout.flush()  # here what cannot be written is an error with a message
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _advice(error: Exception) -> str | None:
    """Message for an error that the user can correct; None for a bug in Consensa."""
    from consensa.exceptions import ConsensaError  # loads scikit-learn

    if isinstance(error, ConsensaError):
        return str(error)
    if isinstance(error, MemoryError):
        what = f" {str(error).rstrip('.')}." if str(error) else ""
        return f"Out of memory.{what} Use fewer samples or a machine with more memory."
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}."
    return None
