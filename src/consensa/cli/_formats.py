"""Frames → Excel workbooks and AnnData files."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import pandas as pd

from consensa._optional import require
from consensa.exceptions import InvalidInputError

__all__ = ["add_to_h5ad", "free_name", "with_own_names", "write_h5ad", "write_sheet"]

_MOST_ROWS = 1_048_575  # of a sheet, below the titles
_MOST_COLUMNS = 16_384


def write_sheet(frame: pd.DataFrame, path: Any) -> None:
    """Write a workbook with one sheet."""
    exceptions = require("openpyxl.utils.exceptions", extra="excel", purpose="An .xlsx file")
    if len(frame) > _MOST_ROWS or frame.shape[1] > _MOST_COLUMNS:
        message = (
            f"A sheet has at most {_MOST_ROWS:,} rows and {_MOST_COLUMNS:,} columns. The table "
            f"has {len(frame):,} and {frame.shape[1]:,}. Use .csv or .parquet."
        )
        raise InvalidInputError(message)
    with open(path, "wb") as file:
        try:
            frame.to_excel(file, index=False, sheet_name="consensa", engine="openpyxl")
        except exceptions.IllegalCharacterError as error:
            message = "A text of the table has a character that a sheet cannot hold. Use .csv."
            raise InvalidInputError(message) from error


def write_h5ad(frame: pd.DataFrame, path: Any) -> None:
    """Write an AnnData object without features: the columns are those of ``.obs``.

    The first column are the names of the observations. Clusters become categories, as scanpy's
    functions expect.
    """
    anndata = require("anndata", extra="anndata", purpose="An .h5ad file")
    frame = with_own_names(frame)
    obs = frame.iloc[:, 1:].set_axis(frame.iloc[:, 0].astype(str), axis=0)
    obs.index.name = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that occur twice, and of types of the index
        anndata.AnnData(obs=obs_columns(obs)).write_h5ad(path)


def with_own_names(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a name of its own for each column: the second "a" is "a.1", as it is read."""
    names: list[str] = []
    for name in frame.columns:
        others = (f"{name}.{number}" for number in itertools.count(1))
        taken = {*names, *frame.columns}
        names.append(name if name not in names else next(o for o in others if o not in taken))
    return frame.set_axis(names, axis=1)


def add_to_h5ad(source: Any, results: pd.DataFrame, path: Any) -> None:
    """Write the AnnData object of a file again, with the results in ``.obs``."""
    anndata = require("anndata", extra="anndata", purpose="An .h5ad file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata = anndata.read_h5ad(source)
        if len(results) != adata.n_obs:
            message = (
                f"--append needs a result for each of the {adata.n_obs} observations of {source}. "
                f"There are {len(results)}."
            )
            raise InvalidInputError(message)
        for name, column in obs_columns(results).items():
            adata.obs[free_name(name, adata.obs)] = column.array
        adata.write_h5ad(path)


def free_name(name: str, frame: pd.DataFrame) -> str:
    """The name of a column of the result in a table; with a number if that has such a column."""
    free = (f"{name}_{number}" for number in itertools.count(2))
    return name if name not in frame else next(other for other in free if other not in frame)


def obs_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of a result as `.obs` holds them: clusters and rivals are categories."""
    kinds = {name: "category" for name in ("cluster", "rival") if name in frame}
    texts = {name: frame[name].astype("Int64").astype("string") for name in kinds}
    return frame.assign(
        **{name: own.astype(object).astype("category") for name, own in texts.items()}
    )
