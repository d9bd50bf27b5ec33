"""What all consensus methods share, and so no method repeats.

A method is a function ``name(ensemble, n_clusters, *, options)`` under the decorator
`consensus_method`, which declares its options and what is known about it, and an estimator
of the same name whose base class does the rest.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from consensa._array import is_on_gpu
from consensa._ensemble import Ensemble
from consensa._labels import number_by_appearance
from consensa._memory import require_square
from consensa._params import (
    Constraint,
    HasMethod,
    Integer,
    NoneType,
    OneOf,
    RandomState,
    check_params,
)
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa._validation import read_matrix
from consensa.exceptions import FewerClustersWarning, InvalidInputError, InvalidParameterError
from consensa.generation import RandomKMeans

__all__ = ["BaseConsensus", "HiddenParameter", "MethodInfo", "consensus_method"]

Function = TypeVar("Function", bound=Callable[..., ConsensusResult])


@dataclass(frozen=True)
class MethodInfo:
    """What `consensa methods`, the README and the guide say of a method.

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
    """

    name: str
    year: int
    reference: str
    time: str
    memory: str
    square_arrays: float
    order_free: bool
    missing: bool


_missing_takers: list[str] = []


def consensus_method(
    info: MethodInfo, **declared: tuple[Constraint, ...]
) -> Callable[[Function], Function]:
    """Give a method's function the checks and the ending that all of them share.

    Before: the arguments are what they are declared to be, the method takes missing labels
    if there are any, the n × n arrays it will make fit in memory. After: labels are numbered
    in order of first appearance, and if there are fewer clusters than asked for, a warning
    says so.
    """
    if info.missing:
        _missing_takers.append(info.name)

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        name = function.__name__

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> ConsensusResult:
            call = signature.bind(*args, **kwargs)
            call.apply_defaults()
            ensemble, asked = call.arguments["ensemble"], call.arguments["n_clusters"]
            _check_ensemble(name, info, ensemble)
            check_params(name, {"n_clusters": (Integer(1),), **declared}, call.arguments)
            _check_fits(name, asked, ensemble.n_samples)
            if info.square_arrays and not _on_device(call.arguments):
                dtype = call.arguments.get("dtype", "float64")
                require_square(
                    ensemble.n_samples, dtype, arrays=info.square_arrays, step=info.name
                )
            separable = ensemble.separates(int(asked))
            groups = int(asked) if separable else len(ensemble.microclusters().sizes)
            call.arguments["n_clusters"] = groups
            result = function(*call.args, **call.kwargs)
            # Samples that no partition tells apart stay together, whatever a method does.
            raw = result.labels if separable else ensemble.microclusters().labels
            labels = number_by_appearance(np.asarray(raw)).astype(np.int64)
            _warn_if_fewer(name, int(asked), int(labels.max()) + 1, separable)
            return replace(result, labels=labels)

        checked.info = info  # type: ignore[attr-defined]
        checked.declared = declared  # type: ignore[attr-defined]
        return cast("Function", checked)

    return decorate


def _on_device(arguments: dict[str, Any]) -> bool:
    """Whether the method works on a device; it then looks at the memory there itself."""
    on_gpu = "device" in arguments and is_on_gpu(arguments["ensemble"].labels)
    return arguments.get("device", "cpu") == "cuda" or (on_gpu and arguments["device"] is None)


def _check_ensemble(name: str, info: MethodInfo, ensemble: Any) -> None:
    if not isinstance(ensemble, Ensemble):
        message = (
            f"{name} takes an Ensemble. Got {type(ensemble).__name__}; "
            f"make one with Ensemble.from_labels(labels)."
        )
        raise InvalidParameterError(message)
    if ensemble.has_missing and not info.missing:
        message = (
            f"{info.name} does not take missing labels, and {ensemble.n_missing} labels are "
            f"missing. Methods that do: {', '.join(_missing_takers)}."
        )
        raise InvalidInputError(message)


def _check_fits(name: str, n_clusters: int, n_samples: int) -> None:
    if n_clusters > n_samples:
        message = (
            f"The 'n_clusters' parameter of {name} must be at most the number of samples, "
            f"{n_samples}. Got {n_clusters}."
        )
        raise InvalidParameterError(message)


def _warn_if_fewer(name: str, asked: int, found: int, separable: bool) -> None:
    if found >= asked:
        return
    reason = (
        "some of its clusters won no sample. Try another random_state, or fewer clusters."
        if separable
        else "the partitions do not separate more groups of samples. Ask for fewer, or add "
        "partitions."
    )
    message = f"{name} was asked for {asked} clusters and returns {found}: {reason}"
    warnings.warn(message, FewerClustersWarning, stacklevel=4)


class HiddenParameter:
    """A parameter that can be set and is found by `get_params`, but is not an attribute.

    scikit-learn takes every object with an attribute ``transform`` for a transformer; the
    parameter of that name must not make a clusterer one.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value

    def __get__(self, instance: Any, owner: type) -> Any:
        message = (
            f"{owner.__name__}.{self.name} is a parameter: read it with "
            f"get_params()[{self.name!r}]."
        )
        raise AttributeError(message)


class BaseConsensus(ClusterMixin, BaseEstimator):
    """Estimator of a consensus method; a subclass names its function and its parameters."""

    _function: ClassVar[Callable[..., ConsensusResult]]
    _declared: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "n_clusters": (Integer(1),),
        "generator": (OneOf(("precomputed",)), HasMethod("generate"), NoneType()),
        "random_state": (RandomState(),),
    }
    info: ClassVar[MethodInfo]

    n_clusters: int
    generator: Any
    random_state: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        function: Any = cls._function
        cls._declared = BaseConsensus._declared | function.declared
        cls.info = function.info

    def fit(self, X: Any, y: Any = None) -> BaseConsensus:
        """Make the base partitions if need be, and combine them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), label matrix or Ensemble
            Features; with ``generator="precomputed"``, labels of shape
            (n_samples, n_partitions).
        y : None
            Not used; scikit-learn asks for it.

        Returns
        -------
        BaseConsensus
            The estimator itself.

        See Also
        --------
        consensa.Ensemble.from_labels : What a label matrix may look like.

        Examples
        --------
        >>> from consensa import EAC
        >>> EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]]).labels_
        array([0, 0, 1])
        """
        check_params(type(self).__name__, self._declared, self.get_params(deep=False))
        rng = random_source(self.random_state)
        ensemble = self._read_ensemble(X, rng)
        _check_fits(type(self).__name__, self.n_clusters, ensemble.n_samples)
        function: Any = type(self)._function
        params = self.get_params(deep=False)
        options = {name: params[name] for name in function.declared}
        if "random_state" in options:
            options["random_state"] = rng
        self._keep(function(ensemble, self.n_clusters, **options))
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the estimator, by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add the parameters of the generator, as ``generator__<name>``.

        Returns
        -------
        dict of str to object
            The parameters.

        See Also
        --------
        sklearn.base.BaseEstimator.set_params : Change them.

        Examples
        --------
        >>> from consensa import EAC
        >>> EAC(3).get_params()["n_clusters"]
        3
        """
        # From the instance's own dictionary, where a HiddenParameter is visible too.
        params = {name: vars(self)[name] for name in self._declared}
        if deep and hasattr(self.generator, "get_params"):
            nested = self.generator.get_params().items()
            params |= {f"generator__{name}": value for name, value in nested}
        return params

    def _read_ensemble(self, X: Any, rng: np.random.RandomState) -> Ensemble:
        """Partitions from features, or the label matrix that the user says X is."""
        if isinstance(X, Ensemble) or self.generator == "precomputed":
            ensemble = Ensemble.from_labels(X)
            self.n_features_in_ = ensemble.n_partitions
            return ensemble
        generator = RandomKMeans() if self.generator is None else self.generator
        ensemble = generator.generate(read_matrix(X, estimator=self), random_state=rng)
        if not isinstance(ensemble, Ensemble):
            message = (
                f"The 'generator' parameter of {type(self).__name__} must generate an Ensemble. "
                f"{type(generator).__name__}.generate returned {type(ensemble).__name__}."
            )
            raise InvalidParameterError(message)
        return ensemble

    def _keep(self, result: ConsensusResult) -> None:
        """Set the fitted attributes that this result has."""
        self.labels_ = result.labels
        self.ensemble_ = result.ensemble
        if result.affinity is not None:
            self.affinity_matrix_ = result.affinity
        if result.tree is not None:
            self.linkage_matrix_ = result.tree.merges
        if result.trace is not None:
            self.trace_ = result.trace
            self.n_iter_ = result.trace.n_iter
        for name, value in result.details.items():
            setattr(self, f"{name}_", value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.generator, str)
        tags.input_tags.allow_nan = precomputed
        tags.input_tags.string = precomputed
        tags.input_tags.categorical = precomputed
        return tags
