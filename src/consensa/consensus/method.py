"""The decorator of all methods: checks before the call, numbering and warnings after it.

A method is a function ``name(ensemble, n_clusters, *, options)`` decorated with
`consensus_method`, which declares its options and its properties.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np

from consensa._array import is_on_gpu
from consensa._docs import FUNCTION, filled
from consensa._machine.memory import out_of_memory, peak_checked, require_bytes
from consensa._machine.threads import one_thread
from consensa._params import Constraint, Integer, RandomState, check_params, completed
from consensa._recorder import recorded_warnings
from consensa._result import ConsensusResult
from consensa._result.wording import counted
from consensa.consensus._empty_clusters import fill_empty_clusters
from consensa.consensus._in_order import Along, labels_as_given, result_as_given, sorts_samples
from consensa.consensus._result_warnings import (
    warn_if_fewer,
    warn_if_thin,
    warn_if_undecided,
    warn_of_filled,
)
from consensa.consensus.needs import LABELS, Arrays, require_arrays, sizes_of
from consensa.ensemble import Ensemble
from consensa.ensemble.canonical_form import CanonicalForm, canonical_form
from consensa.ensemble.details import LANDMARKS
from consensa.ensemble.equal_rows import places_among
from consensa.ensemble.passes import Numbered
from consensa.ensemble.rows import cluster_ids
from consensa.ensemble.stored_labels import StoredCodes
from consensa.exceptions import (
    InvalidInputError,
    InvalidParameterError,
)
from consensa.metrics.certainty import confidence_by_rows

__all__ = ["Along", "Arrays", "MethodInfo", "check_fits", "consensus_method"]

Function = TypeVar("Function", bound=Callable[..., ConsensusResult])


@dataclass(frozen=True)
class MethodInfo:
    """Properties of a method.

    They are used by the memory checks, `consensa methods`, the tables of the README and the
    guide, the methods on Dask and `consensa plan`.

    Attributes
    ----------
    name : str
        Name as in its paper.
    year : int
        Year of the paper.
    reference : str
        Authors and place of publication.
    time : str
        Cost in time, in n samples and m partitions.
    memory : str
        Cost in memory.
    square_arrays : float, default=0
        Maximum number of n × n arrays; 0 for a method that needs none.
    square_arrays_per_partition : float, default=0
        Further n × n arrays for each partition.
    arrays : tuple of Arrays, default=()
        The other arrays that grow with the input, beside the labels: their number and shape.
    order_free : bool, default=True
        Whether the labels do not depend on the order of the rows.
    missing : bool, default=True
        Whether it accepts missing labels.
    by_rows : bool, default=False
        Whether it works by blocks of rows, so that the labels may stay on disk.
    dask : bool, default=False
        Whether it is available in `consensa.distributed`.
    gpu : bool, default=False
        Whether it has a parameter `device`.
    sample_size : callable or None, default=None
        ``sample_size(n_samples, n_clusters)``: number of samples on which the method runs if it
        uses a subset; None for a method that uses all samples.
    revision : int, default=1
        Incremented when the results change, so that stored ones are computed again.
    """

    name: str
    year: int
    reference: str
    time: str
    memory: str
    square_arrays: float = 0
    square_arrays_per_partition: float = 0
    order_free: bool = True
    missing: bool = True
    arrays: tuple[Arrays, ...] = ()
    by_rows: bool = False
    dask: bool = False
    gpu: bool = False
    sample_size: Callable[[int, int], int] | None = None
    revision: int = 1


def consensus_method(
    info: MethodInfo, **own: tuple[Constraint, ...]
) -> Callable[[Function], Function]:
    """Decorate the function of a method with the checks and steps common to all methods.

    `own` declares the options, except positive numbers and `random_state`. Before the
    call, the parameters, missing labels and the memory for n × n arrays are checked. An order-free
    method gets the ensemble in canonical order. BLAS has one thread, so that the result does not
    depend on the number of threads. Afterwards, the result is converted to the given
    order, empty clusters are filled, labels are numbered in order of first appearance, the
    confidence is computed, and warnings are raised if there are fewer clusters than requested, if
    some were filled, if exchangeable samples were separated, or if too many labels are missing.
    The result stores the function, its parameters and the warnings.
    """

    def decorate(function: Function) -> Function:
        function.__doc__ = filled(function.__doc__, FUNCTION)
        signature = inspect.signature(function)
        name = function.__name__
        _, _, *options = signature.parameters.values()  # after the ensemble and n_clusters
        declared = completed({"random_state": (RandomState(),), **own}, options)

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
            """The same without checks of the parameters, for estimators that have checked them."""
            call = signature.bind(*args, **kwargs)
            call.apply_defaults()
            ensemble, asked = call.arguments["ensemble"], call.arguments["n_clusters"]
            _check_missing(info, ensemble)
            here = info.square_arrays > 0 and not _on_device(info, call.arguments)
            _check_labels_fit(info, ensemble)
            _check_arrays_fit(info, ensemble, call.arguments, square=here)
            parameters = {key: call.arguments[key] for key in ("n_clusters", *declared)}
            form = None
            with out_of_memory(info.name), recorded_warnings() as warned:
                groups = _n_groups(ensemble, int(asked))
                call.arguments["n_clusters"] = groups
                if info.order_free:
                    form = canonical_form(ensemble, sort_samples=sorts_samples(ensemble, info))
                    call.arguments["ensemble"] = form.ensemble
                with peak_checked(ensemble.n_samples if here else 0), one_thread():
                    result = function(*call.args, **call.kwargs)
                least = groups if parameters.get("exact_k", True) else 1
                numbering = _number(result.labels, ensemble, form, least)
                result = _numbered(name, info, result, numbering, form, int(asked), groups)
            said = _each_once(warned)
            details = {**ensemble.details, **result.details}
            if LANDMARKS in details and "exact" in details:
                details["exact"] = False  # the partitions were not computed from all samples
            return replace(
                result, made_by=checked, parameters=parameters, warnings=said, details=details
            )

        checked.unchecked = unchecked  # type: ignore[attr-defined]
        checked.info = info  # type: ignore[attr-defined]
        checked.declared = declared  # type: ignore[attr-defined]
        return cast("Function", checked)

    return decorate


def _n_groups(ensemble: Ensemble, asked: int) -> int:
    """Number of clusters to compute: as requested, at most the number of microclusters."""
    return asked if ensemble.separates(asked) else len(ensemble.rows.distinct(asked))


def _number(
    labels: Any, ensemble: Ensemble, form: CanonicalForm | None, least: int
) -> tuple[Numbered, int]:
    """Labels in the given order, numbered, with `least` clusters; and how many were found."""
    place, samples = (ensemble, None) if form is None else (form.ensemble, form.samples)
    given = labels if form is None else labels_as_given(form, labels)
    numbered = ensemble.rows.number(given)
    found = numbered.n_labels
    if found < least:
        filled = fill_empty_clusters(place, given if samples is None else given[samples], least)
        given = filled if form is None else labels_as_given(form, filled)
        numbered = ensemble.rows.number(given)
    return numbered, found


def _numbered(
    name: str,
    info: MethodInfo,
    result: ConsensusResult,
    numbering: tuple[Numbered, int],
    form: CanonicalForm | None,
    asked: int,
    groups: int,
) -> ConsensusResult:
    """The result in the given order, with numbered labels and warnings."""
    numbered, found = numbering
    separable = groups == asked
    result = result_as_given(form, result, numbered.rank)
    ensemble = result.ensemble
    if not separable:
        numbered = ensemble.rows.number(_label_distinct_rows(ensemble, groups))
    elif form is not None:
        warn_if_undecided(info.name, ensemble, numbered.labels)
    warn_if_fewer(name, asked, numbered.n_labels, separable)
    filled = separable and found < numbered.n_labels
    if filled and not _is_only_answer(info, ensemble, numbered):
        warn_of_filled(name, found, numbered.n_labels)
    if ensemble.has_missing:
        warn_if_thin(info.name, ensemble, numbered.labels)
    confidence = confidence_by_rows(ensemble, numbered.labels, numbered.n_labels)
    return replace(result, labels=numbered.labels, confidence=confidence, method=name)


def _each_once(warned: list[Warning]) -> tuple[Warning, ...]:
    """Warnings without duplicates, which a method with several starts may raise."""
    return tuple({(type(warning), str(warning)): warning for warning in warned}.values())


def _label_distinct_rows(ensemble: Ensemble, n_rows: int) -> Any:
    """Label the samples by their distinct rows.

    Samples of a microcluster are never separated.
    """
    rows = cluster_ids(ensemble.rows.distinct(n_rows), ensemble.cluster_counts)
    return ensemble.rows.label(functools.partial(places_among, rows))


def _is_only_answer(info: MethodInfo, ensemble: Ensemble, numbered: Numbered) -> bool:
    """Whether there are as many clusters as distinct rows, and each of them is one row.

    Order-free methods never separate equal rows.
    """
    if ensemble.separates(numbered.n_labels + 1):
        return False
    if info.order_free:
        return True
    by_rows = ensemble.rows.number(_label_distinct_rows(ensemble, numbered.n_labels))
    return np.array_equal(numbered.labels, by_rows.labels)


def _check_labels_fit(info: MethodInfo, ensemble: Ensemble) -> None:
    """Raise an error if the method needs all labels in memory and they do not fit."""
    if info.by_rows or not isinstance(ensemble.labels, StoredCodes):
        return
    require_bytes(
        float(ensemble.n_samples) * ensemble.n_partitions * ensemble.labels.dtype.itemsize,
        step=info.name,
        why="all labels",
        remedy=f"Methods that work by blocks of rows: {', '.join(_methods_that('by_rows'))}.",
    )


def _check_arrays_fit(
    info: MethodInfo, ensemble: Ensemble, arguments: dict[str, Any], *, square: bool
) -> None:
    """Raise an error if the arrays of the method do not fit in memory together."""
    arrays = list(info.arrays)
    if square:
        dtype = np.dtype(arguments.get("dtype", "float64"))
        number = info.square_arrays + info.square_arrays_per_partition * ensemble.n_partitions
        arrays.insert(0, Arrays(number, "nn", dtype.itemsize))
    if not info.by_rows or sorts_samples(ensemble, info):
        arrays.append(LABELS)
    asked = int(arguments["n_clusters"])
    size = info.sample_size
    seen = ensemble.n_samples if size is None else size(ensemble.n_samples, asked)
    require_arrays(info.name, arrays, sizes_of(ensemble, asked, seen))


def _on_device(info: MethodInfo, arguments: dict[str, Any]) -> bool:
    """Whether the method runs on a device; it then checks the memory there itself."""
    if not info.gpu:
        return False
    device = arguments["device"]
    return device == "cuda" or (device is None and is_on_gpu(arguments["ensemble"].labels))


def _check_ensemble(name: str, ensemble: Any) -> None:
    if not isinstance(ensemble, Ensemble):
        message = (
            f"{name} needs an Ensemble. Got {type(ensemble).__name__}. "
            f"Create one with Ensemble.from_labels(labels)."
        )
        raise InvalidParameterError(message)


def _check_missing(info: MethodInfo, ensemble: Ensemble) -> None:
    if ensemble.has_missing and not info.missing:
        count = ensemble.n_missing
        message = (
            f"{info.name} does not accept missing labels, and {counted(count, 'label')} "
            f"{'is' if count == 1 else 'are'} missing. "
            f"Use one of {', '.join(_methods_that('missing'))}."
        )
        raise InvalidInputError(message)


def _methods_that(can: str) -> Iterable[str]:
    from consensa.consensus.catalogue import methods_that  # it imports the methods, and they this

    return methods_that(can)


def check_fits(name: str, n_clusters: int, n_samples: int) -> None:
    """Raise an error for more clusters than samples."""
    if n_clusters > n_samples:
        message = (
            f"The 'n_clusters' parameter of {name} must be at most the number of samples, "
            f"{n_samples}. Got {n_clusters}."
        )
        raise InvalidParameterError(message)
