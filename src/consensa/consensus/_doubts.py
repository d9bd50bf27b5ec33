"""Doubts about a clustering of features, although nothing went wrong.

The bounds are measured: see "What a result says of itself" in the user guide.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from consensa._result import ConsensusResult
from consensa._result.wording import two_digits
from consensa.consensus._deciding_column import deciding_column
from consensa.ensemble import Ensemble
from consensa.ensemble.checks import looks_transposed
from consensa.ensemble.deferred import RowValues
from consensa.ensemble.details import AGREEMENT_OF_KINDS
from consensa.exceptions import (
    DecidingColumnWarning,
    DisagreeingKindsWarning,
    DoubtWarning,
    IdColumnWarning,
    LowConfidenceWarning,
    TransposedLabelsWarning,
    UnusedScalingWarning,
)
from consensa.features import Features
from consensa.features.identifiers import identifier_columns

__all__ = ["warn_if_transposed", "with_doubts"]

_LOW_CONFIDENCE = 0.6
_DISAGREEMENT = 0.4
_LEAST_SAMPLES = 20  # of fewer, partitions disagree by chance
_OF_THE_FIT = 5  # stack level of the call of `fit`
_MOST_NAMED = 5
_AS_BESIDE_TEXT = ("auto", "range")  # scalings that text columns do not change


def with_doubts(result: ConsensusResult, features: Features | None) -> ConsensusResult:
    """Warn of everything that makes a result doubtful; the result keeps the warnings."""
    doubts = tuple(_doubts(features, result))
    for doubt in doubts:
        warnings.warn(doubt, stacklevel=_OF_THE_FIT)
    return replace(result, warnings=(*result.warnings, *doubts)) if doubts else result


def warn_if_transposed(ensemble: Ensemble) -> None:
    """Warn, before the work begins, if the samples may be in the columns."""
    if looks_transposed(ensemble.n_samples, ensemble.n_partitions):
        message = (
            f"The label matrix has {ensemble.n_samples} rows and {ensemble.n_partitions} columns. "
            f"Rows are samples, and columns are partitions. Use labels.T if it is the other way "
            f"round."
        )
        warnings.warn(TransposedLabelsWarning(message), stacklevel=_OF_THE_FIT)


def _doubts(features: Features | None, result: ConsensusResult) -> Iterator[DoubtWarning]:
    if features is not None:
        yield from _unused_scaling(features, result)
        yield from _identifiers(features)
        if isinstance(features, Features):  # and not on disk
            yield from _deciding(features, result)
    if result.ensemble.n_samples >= _LEAST_SAMPLES:
        yield from _disagreement(result)
        yield from _low_confidence(result)


def _unused_scaling(features: Features, result: ConsensusResult) -> Iterator[DoubtWarning]:
    scaling = getattr(result.generator, "scaling", "auto")
    if features.encoding is not None and features.is_scaled and scaling not in _AS_BESIDE_TEXT:
        message = (
            f"scaling={scaling!r} is not used: beside text columns, each column of numbers is "
            f"divided by its range, so that all columns weigh the same. Drop the text columns to "
            f"use it."
        )
        yield UnusedScalingWarning(message)


def _identifiers(features: Features) -> Iterator[DoubtWarning]:
    names = identifier_columns(features)
    if names:
        shown = ", ".join(repr(name) for name in names[:_MOST_NAMED])
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        which = f"Column {shown} looks" if len(names) == 1 else f"Columns {shown}{more} look"
        message = (
            f"{which} like row numbers or names of the samples, and may decide the clusters. "
            f"Drop what does not describe the samples."
        )
        yield IdColumnWarning(message)


def _deciding(features: Features, result: ConsensusResult) -> Iterator[DoubtWarning]:
    name = deciding_column(features, np.asarray(result.labels))
    if name is not None:
        message = (
            f"Column {name!r} decides alone: it gives nearly the same clusters without the other "
            f"columns, and these do not without it. Drop it if the clusters should rest on more, "
            f"or scale the columns."
        )
        yield DecidingColumnWarning(message)


def _disagreement(result: ConsensusResult) -> Iterator[DoubtWarning]:
    agreement = result.details.get(AGREEMENT_OF_KINDS, 1.0)
    if agreement < _DISAGREEMENT and result.n_clusters > 1:
        message = (
            f"Base partitions of different kinds disagree: no kind agrees with the others by more "
            f"than {two_digits(agreement)} (adjusted Rand index), as on data without clusters. "
            f"Try another number of clusters, or other features."
        )
        yield DisagreeingKindsWarning(message)


def _low_confidence(result: ConsensusResult) -> Iterator[DoubtWarning]:
    here = isinstance(result.confidence, (np.ndarray, RowValues))  # and not on a Dask cluster
    if result.generator is None or not here:
        return
    mean = float(result.confidence.mean())
    if mean < _LOW_CONFIDENCE:
        message = (
            f"The mean confidence is {two_digits(mean)}: the base partitions often separate "
            f"samples of one cluster. Try another number of clusters, or other features."
        )
        yield LowConfidenceWarning(message)
