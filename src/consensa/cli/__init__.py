"""The command line: ``consensa cluster``, ``combine``, ``audit``, ``study`` and others.

Its libraries (typer, rich, pandas, pyarrow) are the extra ``cli``. They are imported when a
command runs, so that a missing one gives a sentence and not a traceback; and everything else
is imported after the guard against Ctrl-C stands.
"""

from __future__ import annotations

import sys

try:
    from consensa.cli import _interrupt
except KeyboardInterrupt:  # it takes some milliseconds, and the guard does not stand yet
    raise SystemExit(130) from None

__all__ = ["main", "run"]

TYPE_CHECKING = False  # that of `typing`, which is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

WRONG_INPUT = 2  # status of everything the user can put right, as for a wrong option


def main() -> int:
    """Run the command line of this process; the console script calls it."""
    _interrupt.end_at_once_when_signalled()
    from consensa.cli._streams import open_streams

    open_streams()
    return _interrupt.guarded(lambda: run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and give its exit status."""
    from consensa._optional import require

    try:
        for library in ("typer", "rich"):
            require(library, extra="cli", purpose="The command line")
    except ImportError as error:
        print(f"consensa: {error}", file=sys.stderr)
        return WRONG_INPUT
    from consensa.cli._app import execute

    return execute(arguments)
