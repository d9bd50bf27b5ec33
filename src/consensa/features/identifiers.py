"""Columns that name the samples instead of describing them: row numbers, ids and names.

They are recognized by their values alone, never by the order of the rows, so that shuffled rows
give the same columns.
"""

from __future__ import annotations

from typing import Any

from consensa.features._features import Features
from consensa.features._row_numbers import row_number_columns
from consensa.features._row_numbers_on_disk import row_number_columns_on_disk
from consensa.features.stored_features import StoredFeatures

__all__ = ["identifier_columns"]

_MOST_COLUMNS = 0.5  # if more than that look like ids, they are ranks


def identifier_columns(features: Features | StoredFeatures) -> tuple[Any, ...]:
    """Names of the columns of X that look like row numbers or names of the samples.

    Such a column holds distinct whole numbers that nearly fill their range (at least 80 % of it),
    in 20 rows or more; or text, of which each row has its own (at least 90 % of 20 rows or more).
    If more than half of the columns are of this kind, such as ranks, or if there is only one
    column, none is named.

    Parameters
    ----------
    features : Features or StoredFeatures
        The features, as `read_features` returns them, or on disk. Of these, columns that may be
        row numbers, by the first, a middle and the last block, are read as a whole.

    Returns
    -------
    tuple
        Names of the columns, or their numbers if they have no names.

    See Also
    --------
    read_features : Reads X.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.features import read_features
    >>> from consensa.features.identifiers import identifier_columns
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=30), rng.permutation(30) + 1, rng.normal(size=30)])
    >>> identifier_columns(read_features(X))
    (1,)
    """
    found: tuple[Any, ...]
    if isinstance(features, StoredFeatures):
        names = features.column_names or range(features.n_columns)
        numbered = {names[place] for place in row_number_columns_on_disk(features)}
        named = set() if features.encoding is None else set(features.encoding.identifiers)
        found = tuple(name for name in names if name in numbered | named)
    elif features.encoding is not None:
        found = features.encoding.identifiers
    else:
        names = features.column_names or range(features.n_columns)
        found = tuple(names[place] for place in row_number_columns(features.points))
    return found if len(found) <= _MOST_COLUMNS * features.n_columns else ()
