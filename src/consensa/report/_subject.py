"""A result or a fitted estimator, whichever it is → what a report speaks of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from consensa import consensus
from consensa._array import Array
from consensa._result import ConsensusResult, SolverTrace
from consensa.consensus.base import BaseConsensus
from consensa.consensus.method import MethodInfo
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.metrics import sample_confidence
from consensa.report._repeat import call_lines, fit_lines

__all__ = ["Subject", "read_subject"]


@dataclass(frozen=True)
class Subject:
    """An answer, and what is known of how it was made.

    Attributes
    ----------
    labels, confidence : ndarray of shape (n_samples,)
        Cluster of each sample, and how sure it is.
    ensemble : Ensemble
        The base partitions.
    affinity, merges, leaves : array or None
        The matrix that was cut, the merges of the tree and the leaf of each sample, where
        there are any.
    trace : SolverTrace or None
        What the solver did.
    details : mapping
        What else the method told.
    method : str or None
        Name of the method.
    info : MethodInfo or None
        What is known of it.
    parameters : mapping
        What it was asked for; `generator` is not among them.
    generator : object or None
        What made the base partitions.
    repeat : callable
        Writes the Python lines that make the answer again.
    """

    labels: Array
    confidence: Array
    ensemble: Ensemble
    affinity: Any
    merges: Array | None
    leaves: Array | None
    trace: SolverTrace | None
    details: Mapping[str, Any]
    method: str | None
    info: MethodInfo | None
    parameters: Mapping[str, Any]
    generator: Any
    repeat: Callable[[str | None, str], str] | None


def read_subject(result: Any) -> Subject:
    """What is known of a result or a fitted estimator."""
    if isinstance(result, ConsensusResult):
        return _of_result(result)
    if isinstance(result, BaseConsensus) and hasattr(result, "labels_"):
        return _of_estimator(result)
    message = (
        f"A report is of a ConsensusResult or a fitted consensus estimator. Got "
        f"{type(result).__name__}{': call fit first' if hasattr(result, 'fit') else ''}."
    )
    raise InvalidInputError(message)


def _of_result(result: ConsensusResult) -> Subject:
    function: Any = getattr(consensus, result.method or "", None)
    confidence = result.confidence
    if confidence is None:
        confidence = sample_confidence(result.ensemble, result.labels)
    return Subject(
        labels=np.asarray(result.labels),
        confidence=np.asarray(confidence),
        ensemble=result.ensemble,
        affinity=result.affinity,
        merges=result.linkage_matrix,
        leaves=None if result.tree is None else result.tree.leaf_of_sample,
        trace=result.trace,
        details=result.details,
        method=None if function is None else function.info.name,
        info=None if function is None else function.info,
        parameters=result.parameters,
        generator=None,
        repeat=None
        if function is None
        else lambda before, data: call_lines(function, result.parameters),
    )


def _of_estimator(model: Any) -> Subject:
    parameters = model.get_params(deep=False)
    generator = parameters.pop("generator")
    information = getattr(model, "order_information_", None)
    return Subject(
        labels=np.asarray(model.labels_),
        confidence=np.asarray(model.confidence_),
        ensemble=model.ensemble_,
        affinity=getattr(model, "affinity_matrix_", None),
        merges=getattr(model, "linkage_matrix_", None),
        leaves=getattr(model, "leaf_of_sample_", None),
        trace=getattr(model, "trace_", None),
        details={} if information is None else {"order_information": information},
        method=model.info.name,
        info=model.info,
        parameters=parameters,
        generator=generator,
        repeat=lambda before, data: fit_lines(model, data=data, before=before),
    )
