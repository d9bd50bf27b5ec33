"""The labels of features on disk as a table, made block by block of rows when it is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from consensa._machine.progress import track
from consensa._machine.threads import over_row_blocks
from consensa._result import ConsensusResult
from consensa.cli._append import joined
from consensa.cli._columns import Chosen
from consensa.description.sample_table import ColumnsInBlocks, result_columns, rounded
from consensa.ensemble.deferred import DeferredRows
from consensa.features.stored_features import StoredFeatures

__all__ = ["TableInBlocks"]

_ROWS = 2**17  # of a block that is written
_ROWS_OF_THREAD = 2**14


class TableInBlocks:
    """A frame of each block of rows: names and columns of the result.

    Parameters
    ----------
    result : ConsensusResult
        The result.
    chosen : Chosen
        Has the names of the rows.
    user : StoredFeatures or None, default=None
        The user's table, if its columns come first.
    outlier : array or None, default=None
        Marks of the outliers, if a rule was learned for them.
    """

    def __init__(
        self,
        result: ConsensusResult,
        chosen: Chosen,
        user: StoredFeatures | None = None,
        outlier: Any = None,
    ) -> None:
        self.chosen, self.user, self.n_rows = chosen, user, result.ensemble.n_samples
        if isinstance(result.ensemble.rows, DeferredRows):
            self._read = ColumnsInBlocks(result).read
        else:
            whole = pd.DataFrame(result_columns(result, outlier))
            self._read = lambda start, stop: whole[start:stop].reset_index(drop=True)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        with track("labels written", -(-self.n_rows // _ROWS)) as advance:
            for start, stop, own in self._blocks():
                results = self._results(start, stop)
                names = self.chosen.names(slice(start, stop))
                if own is None:
                    yield self.chosen.frame(results, names)
                else:
                    yield joined(own, results)
                advance()

    def _blocks(self) -> Iterator[tuple[int, int, pd.DataFrame | None]]:
        """First and last row of each block, and the columns of the user's table."""
        if self.user is None:
            for start in range(0, self.n_rows, _ROWS):
                yield start, min(start + _ROWS, self.n_rows), None
            return
        waiting: list[pd.DataFrame] = []
        first = 0
        for start, frame in self.user.tables():
            waiting.append(frame)
            stop = start + len(frame)
            if stop - first >= _ROWS or stop == self.n_rows:
                whole = waiting[0] if len(waiting) == 1 else pd.concat(waiting, ignore_index=True)
                yield first, stop, self._with_names(whole, first, stop)
                waiting, first = [], stop

    def _with_names(self, frame: pd.DataFrame, start: int, stop: int) -> pd.DataFrame:
        """The columns of a block, after the names of the rows if the file has any."""
        names = self.chosen.index_names
        if names is not None:
            frame.insert(0, names.title, names[start:stop], allow_duplicates=True)
        return frame

    def _results(self, start: int, stop: int) -> dict[str, Any]:
        parts = over_row_blocks(
            lambda low, high: pd.DataFrame(self._read(start + low, start + high)),
            stop - start,
            _ROWS_OF_THREAD,
        )
        frame = rounded(pd.concat(parts, ignore_index=True))
        return {str(name): frame[name].array for name in frame}
