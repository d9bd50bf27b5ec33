"""Tables as people have them: recognized, read and checked, without a command line."""

from consensa.tables._read import PACKED, READERS, read_frame, read_table, recognized
from consensa.tables._table import BadCells, Request, Table
from consensa.tables.preparation import MISSING, Prepared, prepare

__all__ = [
    "MISSING",
    "PACKED",
    "READERS",
    "BadCells",
    "Prepared",
    "Request",
    "Table",
    "prepare",
    "read_frame",
    "read_table",
    "recognized",
]
