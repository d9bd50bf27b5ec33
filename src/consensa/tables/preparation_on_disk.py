"""The same for features on disk: missing values are filled, and ids left out, by passes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from consensa.exceptions import InvalidInputError
from consensa.features.column_statistics import column_fills, count_gaps
from consensa.features.identifiers import identifier_columns
from consensa.features.stored_features import StoredFeatures
from consensa.tables.preparation import (
    HALF,
    empty_columns_sentence,
    filled_sentence,
    ids_sentence,
)

__all__ = ["PreparedOnDisk", "prepare_on_disk"]


class PreparedOnDisk(NamedTuple):
    """Features on disk as they are clustered, and what was done to the columns.

    Attributes
    ----------
    features : StoredFeatures
        The columns that are used, complete.
    places : list of int
        Their places in the file.
    notes, warnings : list of str
        What was done, and what was left out.
    """

    features: StoredFeatures
    places: list[int]
    notes: list[str]
    warnings: list[str]


def prepare_on_disk(
    stored: StoredFeatures,
    places: Sequence[int],
    *,
    missing: str = "error",
    keep: Collection[str] = (),
) -> PreparedOnDisk:
    """Make features of some columns of a file, by the rules of `prepare`.

    Rows of which more than half is missing cannot be left out, and are an error.

    Parameters
    ----------
    stored : StoredFeatures
        All columns of the file.
    places : sequence of int
        Those to use.
    missing : {"impute", "error"}, default="error"
        What to do with missing values: fill them with the median of the column or its most
        frequent entry, or nothing: the first one that is read is an error.
    keep : collection of str, default=()
        Columns that are used even if they look like ids.

    Returns
    -------
    PreparedOnDisk
        The features, and what was done.
    """
    names = list(map(str, stored.column_names or range(stored.n_columns)))
    made = PreparedOnDisk(_selected(stored, places), list(places), [], [])
    fills: dict[int, object] = {}
    if missing == "impute":
        made, fills = _imputed(stored, made, names)
    found = identifier_columns(made.features)
    ids = [str(name) for name in found if str(name) not in keep]
    if ids:
        made.warnings.append(ids_sentence(ids))
        left = [place for place in made.places if names[place] not in ids]
        made = made._replace(features=_selected(stored, left, fills), places=left)
    return made


def _selected(
    stored: StoredFeatures, places: Sequence[int], fills: dict[int, object] | None = None
) -> StoredFeatures:
    """Some columns, filled; `fills` are by their place in the file."""
    chosen = stored if len(places) == stored.n_columns else stored.select(places)
    own = {i: fills[place] for i, place in enumerate(places) if fills and place in fills}
    return chosen.filled(own) if own else chosen


def _imputed(
    stored: StoredFeatures, made: PreparedOnDisk, names: Sequence[str]
) -> tuple[PreparedOnDisk, dict[int, object]]:
    """The columns that are not mostly missing, filled, and what fills them."""
    places, gaps = made.places, count_gaps(made.features)
    mostly = gaps.counts > HALF * stored.n_samples
    if mostly.any():
        empty = [names[places[i]] for i in np.flatnonzero(mostly)]
        made.warnings.append(empty_columns_sentence(empty))
        places = [place for place, out in zip(places, mostly, strict=True) if not out]
        if not places:
            message = f"No column of {stored.name} is left: more than half is missing in each."
            raise InvalidInputError(message)
        made = made._replace(features=_selected(stored, places), places=places)
        gaps = count_gaps(made.features)
    if gaps.sparse_row is not None:
        message = (
            f"{made.features.place_of(gaps.sparse_row)} has no value in more than half of the "
            f"columns. Such rows are not filled, and cannot be left out of a file that is read in "
            f"blocks of rows. Remove them, or drop the columns."
        )
        raise InvalidInputError(message)
    if not gaps.counts.any():
        return made, {}
    found = column_fills(made.features, np.flatnonzero(gaps.counts).tolist())
    fills = {places[i]: fill for i, fill in found.items()}
    counts = {names[places[i]]: int(gaps.counts[i]) for i in found}
    made.notes.append(filled_sentence(counts))
    return made._replace(features=_selected(stored, places, fills)), fills
