"""The experiments of the LTA paper: protocol, resumable store, tables, figures."""

from consensa.study._table_files import write_tables
from consensa.study.options import RunOptions
from consensa.study.protocol import protocol_of
from consensa.study.run import fill

__all__ = ["RunOptions", "fill", "protocol_of", "write_tables"]
