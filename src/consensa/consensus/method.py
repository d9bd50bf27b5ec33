"""The decorator of every method's function: its checks before, its numbering and warnings after.

A method is a function ``name(ensemble, n_clusters, *, options)`` under `consensus_method`,
which declares its options and what is known about it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from consensa._array import is_on_gpu
from consensa._docs import FUNCTION, filled
from consensa._machine.memory import peak_checked, require_bytes, require_square
from consensa._params import Constraint, Integer, RandomState, check_params
from consensa._recorder import recorded_warnings
from consensa._result import ConsensusResult
from consensa.consensus._in_order import Along, labels_as_given, ordered, result_as_given
from consensa.consensus._result_warnings import (
    warn_if_fewer,
    warn_if_thin,
    warn_if_undecided,
)
from consensa.ensemble import Ensemble
from consensa.ensemble.canonical_form import CanonicalForm
from consensa.ensemble.equal_rows import places_among
from consensa.ensemble.rows import cluster_ids
from consensa.ensemble.stored_labels import StoredCodes
from consensa.exceptions import (
    InvalidInputError,
    InvalidParameterError,
)
from consensa.metrics.certainty import confidence_by_rows

__all__ = ["Along", "MethodInfo", "check_fits", "consensus_method"]

Function = TypeVar("Function", bound=Callable[..., ConsensusResult])


@dataclass(frozen=True)
class MethodInfo:
    """What a method is and what it can do, said once.

    The checks of memory, `consensa methods`, the tables of the README and the guide, the twins
    on Dask and `consensa plan` read it.

    Attributes
    ----------
    name : str
        As its paper writes it.
    year : int
        Of the paper.
    reference : str
        Authors and place of publication.
    time : str
        Cost in time, in n samples and m partitions.
    memory : str
        Cost in memory.
    square_arrays : float
        Number of n × n arrays at the peak; 0 for a method that makes none.
    order_free : bool
        Whether the order of the rows cannot change the answer.
    missing : bool
        Whether it takes missing labels.
    by_rows : bool, default=False
        Whether it works by blocks of rows, so that the labels may stay on disk.
    dask : bool, default=False
        Whether it has a twin in `consensa.distributed`.
    gpu : bool, default=False
        Whether it has a parameter `device`.
    sample_size : callable or None, default=None
        ``sample_size(n_samples, n_clusters)``: number of samples that are looked at together,
        where these are a part of all; None for a method without such a sample.
    revision : int, default=1
        Raised when the answers change, so that stored ones are known to be old.
    """

    name: str
    year: int
    reference: str
    time: str
    memory: str
    square_arrays: float
    order_free: bool
    missing: bool
    by_rows: bool = False
    dask: bool = False
    gpu: bool = False
    sample_size: Callable[[int, int], int] | None = None
    revision: int = 1


# What the options that many methods have must be.
_SHARED: dict[str, tuple[Constraint, ...]] = {
    "max_iter": (Integer(1),),
    "n_init": (Integer(1),),
    "random_state": (RandomState(),),
}


def consensus_method(
    info: MethodInfo, **own: tuple[Constraint, ...]
) -> Callable[[Function], Function]:
    """Give a method's function the checks and the ending that all of them share.

    `own` declares the options of the method, except those that many methods share. Before: the
    arguments are what they are declared to be, the method takes missing labels
    if there are any, the n × n arrays it will make fit in memory. An order-free method is given
    the ensemble in canonical order. After: the result is as the ensemble was given, labels are
    numbered in order of first appearance, each has its confidence, and warnings say if there are
    fewer clusters than asked for, if exchangeable samples were told apart, or if too many labels
    are missing for an answer. The result says which function made it, from which parameters, and
    with what warnings.
    """

    def decorate(function: Function) -> Function:
        function.__doc__ = filled(function.__doc__, FUNCTION)
        signature = inspect.signature(function)
        name = function.__name__
        declared = _declared(signature, own)

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> ConsensusResult:
            call = signature.bind(*args, **kwargs)
            call.apply_defaults()
            ensemble, asked = call.arguments["ensemble"], call.arguments["n_clusters"]
            _check_ensemble(name, ensemble)
            check_params(name, {"n_clusters": (Integer(1),), **declared}, call.arguments)
            check_fits(name, asked, ensemble.n_samples)
            return unchecked(*call.args, **call.kwargs)

        def unchecked(*args: Any, **kwargs: Any) -> ConsensusResult:
            """The same for arguments that an estimator has checked in its own name."""
            call = signature.bind(*args, **kwargs)
            call.apply_defaults()
            ensemble, asked = call.arguments["ensemble"], call.arguments["n_clusters"]
            _check_missing(info, ensemble)
            here = info.square_arrays > 0 and not _on_device(info, call.arguments)
            if here:
                dtype = call.arguments.get("dtype", "float64")
                require_square(
                    ensemble.n_samples, dtype, arrays=info.square_arrays, step=info.name
                )
            _check_labels_fit(info, ensemble)
            parameters = {key: call.arguments[key] for key in ("n_clusters", *declared)}
            groups = _n_groups(ensemble, int(asked))
            call.arguments["n_clusters"] = groups
            form = None
            if info.order_free:
                form = ordered(ensemble, square_arrays=info.square_arrays, by_rows=info.by_rows)
                call.arguments["ensemble"] = form.ensemble
            with recorded_warnings() as warned:
                with peak_checked(ensemble.n_samples if here else 0):
                    result = function(*call.args, **call.kwargs)
                result = _numbered(name, info, result, ensemble, form, int(asked), groups)
            said = _each_once(warned)
            return replace(result, made_by=checked, parameters=parameters, warnings=said)

        checked.unchecked = unchecked  # type: ignore[attr-defined]
        checked.info = info  # type: ignore[attr-defined]
        checked.declared = declared  # type: ignore[attr-defined]
        return cast("Function", checked)

    return decorate


def _n_groups(ensemble: Ensemble, asked: int) -> int:
    """How many groups to look for: as asked, or all that the partitions tell apart."""
    return asked if ensemble.separates(asked) else len(ensemble.rows.distinct(asked))


def _numbered(
    name: str,
    info: MethodInfo,
    result: ConsensusResult,
    ensemble: Ensemble,
    form: CanonicalForm | None,
    asked: int,
    groups: int,
) -> ConsensusResult:
    """The result as the ensemble was given, its labels numbered, with warnings about them."""
    separable = groups == asked
    raw = result.labels if form is None else labels_as_given(form, result.labels)
    numbered = ensemble.rows.number(raw)
    result = result_as_given(form, result, numbered.rank)
    if not separable:
        numbered = ensemble.rows.number(_label_distinct_rows(ensemble, groups))
    elif form is not None:
        warn_if_undecided(info.name, ensemble, numbered.labels)
    warn_if_fewer(name, asked, numbered.n_labels, separable)
    if ensemble.has_missing:
        warn_if_thin(info.name, ensemble, numbered.labels)
    confidence = confidence_by_rows(ensemble, numbered.labels, numbered.n_labels)
    return replace(result, labels=numbered.labels, confidence=confidence, method=name)


def _declared(
    signature: inspect.Signature, own: dict[str, tuple[Constraint, ...]]
) -> dict[str, tuple[Constraint, ...]]:
    """What each option must be, in the order of the signature."""
    options = [key for key in signature.parameters if key not in ("ensemble", "n_clusters")]
    return {key: own[key] if key in own else _SHARED[key] for key in options}


def _each_once(warned: list[Warning]) -> tuple[Warning, ...]:
    """A method that starts several times may say the same several times."""
    return tuple({(type(warning), str(warning)): warning for warning in warned}.values())


def _label_distinct_rows(ensemble: Ensemble, n_rows: int) -> Any:
    """Label samples by which of the few different rows they have.

    Samples that no partition tells apart stay together, whatever a method does.
    """
    rows = cluster_ids(ensemble.rows.distinct(n_rows), ensemble.cluster_counts)
    return ensemble.rows.label(functools.partial(places_among, rows))


def _check_labels_fit(info: MethodInfo, ensemble: Ensemble) -> None:
    """Refuse labels on disk that the method must hold as a whole, if they do not fit."""
    if info.by_rows or not isinstance(ensemble.labels, StoredCodes):
        return
    require_bytes(
        float(ensemble.n_samples) * ensemble.n_partitions * ensemble.labels.dtype.itemsize,
        step=info.name,
        why="all labels",
        remedy=f"Methods that read them by blocks: {', '.join(_methods_that('by_rows'))}.",
    )


def _on_device(info: MethodInfo, arguments: dict[str, Any]) -> bool:
    """Whether the method works on a device; it then looks at the memory there itself."""
    if not info.gpu:
        return False
    device = arguments["device"]
    return device == "cuda" or (device is None and is_on_gpu(arguments["ensemble"].labels))


def _check_ensemble(name: str, ensemble: Any) -> None:
    if not isinstance(ensemble, Ensemble):
        message = (
            f"{name} takes an Ensemble. Got {type(ensemble).__name__}; "
            f"make one with Ensemble.from_labels(labels)."
        )
        raise InvalidParameterError(message)


def _check_missing(info: MethodInfo, ensemble: Ensemble) -> None:
    if ensemble.has_missing and not info.missing:
        message = (
            f"{info.name} does not take missing labels, and {ensemble.n_missing} labels are "
            f"missing. Methods that do: {', '.join(_methods_that('missing'))}."
        )
        raise InvalidInputError(message)


def _methods_that(can: str) -> Iterable[str]:
    from consensa.consensus.catalogue import methods_that  # it imports the methods, and they this

    return methods_that(can)


def check_fits(name: str, n_clusters: int, n_samples: int) -> None:
    """Refuse more clusters than samples."""
    if n_clusters > n_samples:
        message = (
            f"The 'n_clusters' parameter of {name} must be at most the number of samples, "
            f"{n_samples}. Got {n_clusters}."
        )
        raise InvalidParameterError(message)
