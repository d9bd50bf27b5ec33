"""Points for data that are too large for all samples to be one: drawn, and found for every row.

Two passes over blocks of rows. The first draws distinct rows by a hash of their values, with the
number of samples that have each of them; the space of the features is learned from these. The
second finds the nearest point of every row. Neither depends on the order of the rows or on the
blocks, so data in memory, on disk and on many machines have the same points.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.hashing import hash_features
from consensa._machine.progress import track
from consensa._machine.row_sample import RowSample, merge_row_samples, sample_rows, spread_rows
from consensa._machine.run_state import RunState, StoredNumbers
from consensa._machine.threads import one_thread, share_among_threads
from consensa.ensemble import Ensemble
from consensa.features.space import Space
from consensa.features.stored_features import StoredFeatures
from consensa.generation._labels_of_points import LookedUpCodes
from consensa.generation._nearest_point import NearestPoint, coordinates_of
from consensa.generation._neighbors import distinct_rows

__all__ = [
    "DrawnRows",
    "FeaturePasses",
    "LocalPasses",
    "RowNumbers",
    "SameRow",
    "counted",
    "in_order",
    "kept_points",
    "kept_sample",
    "passes_over",
    "seed_of",
]

_LARGEST_SEED = np.iinfo(np.int32).max
_SAMPLE, _POINTS = "sample", "points"  # files of the state of a run
_MOST_SMALL = 2**16  # points whose numbers have 16 bits
_ROWS = 2**16  # that are counted at once
Part = tuple[int, int]
Finder = Callable[[Any], Array]


class DrawnRows(NamedTuple):
    """Distinct rows of features, ordered by value.

    Attributes
    ----------
    rows : ndarray or CSR array of shape (n_drawn, n_features)
        The rows.
    counts : ndarray of shape (n_drawn,)
        Number of samples with each row.
    complete : bool
        Whether there are no other rows.
    hashes : ndarray of shape (n_drawn,) or None
        Their hashes, if they were drawn.
    seed : int
        Seed of the hashes.
    """

    rows: Any
    counts: Array
    complete: bool
    hashes: Array | None = None
    seed: int = 0

    def for_space(self, limit: int) -> Any:
        """The rows that a space is learned from: with their duplicates, at most `limit`."""
        return self.rows[spread_rows(self.counts, limit)]

    def points(self, space: Space) -> Array:
        """Coordinates of the rows; if they are a sample, those that are equal are one point."""
        if self.complete:
            return space.apply(self.rows)
        found = coordinates_of(self.rows, space)
        return found[np.sort(distinct_rows(found).first)]

    def finder(self, points: Array, space: Space, device: Any = None) -> Finder:
        """The function that finds the point of each row of a block."""
        if self.complete:
            assert self.hashes is not None
            return SameRow(self.hashes, self.seed)
        return NearestPoint(points, space, device)


class SameRow:
    """Number of the known row that is equal to each row of a block, by its hash."""

    def __init__(self, hashes: Array, seed: int) -> None:
        self.order = np.argsort(hashes)
        self.hashes, self.seed = hashes[self.order], seed

    def __call__(self, rows: Any) -> Array:
        """Number of the equal row of each row."""
        return self.order[np.searchsorted(self.hashes, hash_features(rows, self.seed))]


def seed_of(rng: np.random.RandomState) -> int:
    """A seed from a random generator, which goes on as if it had not been asked."""
    return int(copy.deepcopy(rng).randint(_LARGEST_SEED))


def in_order(sample: RowSample, seed: int) -> DrawnRows:
    """The drawn rows, ordered by value."""
    order = distinct_rows(sample.rows).first
    rows = sample.rows[order]
    rows = rows if sparse.issparse(rows) else rows + 0  # -0 is 0
    return DrawnRows(rows, sample.counts[order], sample.complete, sample.hashes[order], seed)


class RowNumbers(NamedTuple):
    """The point of each sample in one space.

    Attributes
    ----------
    of_sample : array of shape (n_samples,)
        Number of the point of each sample.
    sizes : ndarray of shape (n_points,)
        Number of samples of each point.
    first : ndarray of shape (n_points,)
        Number of its first sample.
    """

    of_sample: Any
    sizes: Array
    first: Array


class FeaturePasses(Protocol):
    """The two passes over the rows of features."""

    def draw(self, limit: int, seed: int) -> RowSample:
        """Up to `limit` distinct rows with the smallest hashes, and their counts."""

    def number(self, finders: Sequence[Finder], n_points: Sequence[int]) -> list[RowNumbers]:
        """The point that each finder gives every row; each finder has so many points."""

    def look_up(self, tables: Sequence[Array], numbers: Sequence[Any]) -> Ensemble:
        """The ensemble whose rows are those of the points, looked up when they are needed.

        `tables` are the codes of the points in each space, and `numbers` the points of samples.
        """

    def with_state(self, state: RunState) -> FeaturePasses:
        """The same passes, which keep what they finish in the state of a run."""


def passes_over(features: Any) -> FeaturePasses:
    """The passes over these features, on this machine unless they have their own."""
    return getattr(features, "passes", None) or LocalPasses(features)


class LocalPasses:
    """The passes on this machine, with the parts of the features distributed over threads.

    With the `state` of a run, what an earlier one finished is not computed again.
    """

    def __init__(self, features: Any, state: RunState | None = None) -> None:
        self.features, self.state = features, state

    def draw(self, limit: int, seed: int) -> RowSample:
        """Up to `limit` distinct rows with the smallest hashes, and their counts."""
        return kept_sample(self.state, partial(self._draw, limit, seed))

    def _draw(self, limit: int, seed: int) -> RowSample:
        hash_of = partial(hash_features, number=seed)

        def draw(parts: Sequence[Part]) -> RowSample:
            return sample_rows(self._streamed(parts, advance), hash_of, limit, self.features.none)

        parts = self.features.parts
        with track("sample of rows", len(parts)) as advance:
            return merge_row_samples(share_among_threads(draw, parts), limit)

    def number(self, finders: Sequence[Finder], n_points: Sequence[int]) -> list[RowNumbers]:
        """The point that each finder gives every row; each finder has so many points."""
        kept = self._kept([self._dtype(n) for n in n_points])
        done = kept.finished()
        parts = [part for part in self.features.parts if part not in done]

        def number(parts: Sequence[Part]) -> None:
            for part in parts:
                blocks = [
                    [find(rows) for find in finders] for _, rows in self.features.stream(part)
                ]
                kept.write(part, [np.concatenate(own) for own in zip(*blocks, strict=True)])
                advance()

        with one_thread(), track("nearest points", len(parts)) as advance:
            share_among_threads(number, parts)
        return [counted(own, n) for own, n in zip(kept.arrays, n_points, strict=True)]

    def _kept(self, dtypes: list[Any]) -> StoredNumbers | _NumbersInMemory:
        n_rows = self.features.n_samples
        if self.state is None:
            return _NumbersInMemory([np.empty(n_rows, dtype) for dtype in dtypes])
        return kept_points(self.state, dtypes, n_rows)

    def with_state(self, state: RunState) -> LocalPasses:
        """The same passes, which keep what they finish in the state of a run."""
        return LocalPasses(self.features, state)

    def look_up(self, tables: Sequence[Array], numbers: Sequence[Array]) -> Ensemble:
        """The ensemble whose rows are those of the points, looked up when they are needed."""
        deferred = getattr(self.features, "deferred", False)
        return Ensemble(LookedUpCodes(tables, numbers, deferred=deferred))

    def _dtype(self, n_points: int) -> Any:
        """Type of the numbers: small if they are those of features on disk."""
        small = isinstance(self.features, StoredFeatures) and n_points <= _MOST_SMALL
        return np.uint16 if small else np.int64

    def _streamed(
        self, parts: Sequence[Part], advance: Callable[[], None]
    ) -> Iterator[tuple[int, Any]]:
        for part in parts:
            yield from self.features.stream(part)
            advance()


class _NumbersInMemory(NamedTuple):
    """Numbers of rows that are not kept on disk."""

    arrays: list[Array]

    def write(self, part: Part, numbers: Sequence[Array]) -> None:
        """Write the numbers of a part of the rows."""
        for own, new in zip(self.arrays, numbers, strict=True):
            own[slice(*part)] = new

    def finished(self) -> set[Part]:
        """Parts that were written by an earlier run: none."""
        return set()


def kept_sample(state: RunState | None, draw: Callable[[], RowSample]) -> RowSample:
    """The rows that an earlier run drew; else new ones, which are kept if there is a state."""
    if state is None:
        return draw()
    if (saved := state.load(_SAMPLE)) is not None:
        saved["complete"] = bool(saved["complete"])
        return RowSample(**saved)
    sample = draw()
    state.save(_SAMPLE, {name: np.asarray(own) for name, own in sample._asdict().items()})
    return sample


def kept_points(state: RunState, dtypes: list[Any], n_rows: int) -> StoredNumbers:
    """The points of samples that the state of a run keeps, part by part."""
    return state.numbers(_POINTS, dtypes, n_rows)


def counted(of_sample: Array, n_points: int) -> RowNumbers:
    """The point of each sample, with the number of samples of each point, and the first."""
    sizes = np.zeros(n_points, np.int64)
    first = np.full(n_points, len(of_sample))
    for start in reversed(range(0, len(of_sample), _ROWS)):
        block = of_sample[start : start + _ROWS]
        sizes += np.bincount(block, minlength=n_points)
        first[block[::-1]] = np.arange(start, start + len(block))[::-1]  # the last write stays
    return RowNumbers(of_sample, sizes, first)
