"""Names of other libraries that pages link to, kept here so that no build needs the network.

``python docs/_ext/inventories.py sklearn objects.inv`` writes ``docs/inventories/sklearn.inv``
from an inventory of that library's documentation: only classes, functions, methods and modules,
without titles. Those that are there were made from the inventories of scikit-learn 1.2,
SciPy 1.10 and pandas 1.5; the addresses of their names have not changed since.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

__all__ = ["names_of", "written"]

FOLDER = Path(__file__).parents[1] / "inventories"
_KINDS = {"py:class", "py:function", "py:method", "py:module"}
# Names that are younger than the inventory, at the address that all names of their library have.
_HDBSCAN = "sklearn.cluster.HDBSCAN py:class 1 modules/generated/sklearn.cluster.HDBSCAN.html#$ -"
_YOUNGER = {"sklearn": (_HDBSCAN,)}
_HEAD_LINES = 4


def names_of(content: bytes) -> list[str]:
    """The lines of an inventory, version 2."""
    *_, packed = content.split(b"\n", _HEAD_LINES)
    return zlib.decompress(packed).decode().splitlines()


def written(library: str, content: bytes) -> bytes:
    """The inventory with nothing but what can be linked from a docstring."""
    head = content.split(b"\n", _HEAD_LINES)[:_HEAD_LINES]
    kept = [line for line in names_of(content) if line.split()[1] in _KINDS]
    text = "".join(f"{line}\n" for line in sorted({*kept, *_YOUNGER.get(library, ())}))
    return b"\n".join([*head, zlib.compress(text.encode(), 9)])


if __name__ == "__main__":
    library, source = sys.argv[1:]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{library}.inv").write_bytes(written(library, Path(source).read_bytes()))
