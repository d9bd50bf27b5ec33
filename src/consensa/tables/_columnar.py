"""Parquet, Feather and Arrow files."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import feather, parquet

from consensa.tables._code import own_code
from consensa.tables._content import Content
from consensa.tables.table import Request, Table

__all__ = ["read_feather", "read_parquet"]


def read_parquet(content: Content, request: Request) -> Table:
    """Read a Parquet file; its index, if it is not a row number, names the rows."""
    frame, options = pd.read_parquet(content.path, engine="pyarrow"), ""
    if _has_lost_integers(frame, parquet.read_schema(content.path)):
        frame = pd.read_parquet(content.path, engine="pyarrow", dtype_backend="numpy_nullable")
        options = ", dtype_backend='numpy_nullable'"
    code = f"pd.read_parquet({str(content.source)!r}{options}).rename(columns=str)"
    return _table(content, frame, code, "Parquet")


def read_feather(content: Content, request: Request) -> Table:
    """Read a Feather file, or a file or stream of Arrow."""
    with content.path.open("rb") as file:
        is_file = file.read(4) in (b"ARRO", b"FEA1")
    if is_file:
        arrow = feather.read_table(content.path)
    else:
        with pa.OSFile(str(content.path)) as stream:
            arrow = pa.ipc.open_stream(stream).read_all()
    frame = arrow.to_pandas()
    exact = _has_lost_integers(frame, arrow.schema)
    if exact:
        frame = arrow.to_pandas(types_mapper=_NULLABLE.get)
    plain = f"pd.read_feather({str(content.source)!r}).rename(columns=str)"
    code = plain if is_file and not exact else own_code(content, request)
    return _table(content, frame, code, "Feather" if is_file else "Arrow stream")


def _table(content: Content, frame: pd.DataFrame, code: str, word: str) -> Table:
    frame.columns = frame.columns.map(str)
    plain = frame.reset_index(drop=True)
    named = frame.index.nlevels == 1 and not frame.index.equals(plain.index)
    names = frame.index.to_numpy() if named else None
    counted = isinstance(frame.index, pd.RangeIndex) or frame.index.name is None
    title = "" if counted else str(frame.index.name)
    return Table(
        content.source, plain, names, code=code, frame_code=code, found=(word,), names_title=title
    )


_NULLABLE: dict[Any, Any] = {
    getattr(pa, name.lower())(): getattr(pd, f"{name}Dtype")()
    for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
}


def _has_lost_integers(frame: pd.DataFrame, schema: pa.Schema) -> bool:
    """Whether integers of the file became floats, because some are missing."""
    plain = frame.reset_index() if frame.index.name in schema.names else frame
    return any(
        pa.types.is_integer(own.type) and own.name in plain and plain[own.name].dtype.kind == "f"
        for own in schema
    )
