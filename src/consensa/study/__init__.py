"""The paper's experiments: protocol, resumable store, tables."""

from consensa.study._fill import fill, protocol_of, write_tables

__all__ = ["fill", "protocol_of", "write_tables"]
