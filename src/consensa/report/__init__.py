"""One page that tells what was found, how sure it is, and how to find it again."""

from consensa.report._data import Run
from consensa.report._write import write_report

__all__ = ["Run", "write_report"]
