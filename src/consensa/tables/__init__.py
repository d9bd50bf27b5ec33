"""Tables as people have them: recognized, read and checked, without a command line."""

from consensa.tables.preparation import prepare
from consensa.tables.reading import read_frame

__all__ = ["prepare", "read_frame"]
