"""The base class of all estimators: `fit`, `predict` and the conventions of scikit-learn.

A subclass has its function, decorated with `consensus_method`, and its own parameters as fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from consensa._docs import ESTIMATOR, filled
from consensa._machine.memory import limited_memory, out_of_memory
from consensa._params import (
    Constraint,
    HasMethod,
    Integer,
    JobCount,
    ListOf,
    NoneType,
    OneOf,
    ParameterFields,
    RandomState,
    check_params,
)
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._doubts import warn_if_transposed, with_doubts
from consensa.consensus.fitted import Fitted
from consensa.consensus.method import MethodInfo, check_fits
from consensa.ensemble import Ensemble
from consensa.features import Features, read_features
from consensa.features.partitions import warn_of_partitions
from consensa.features.seen import SeenFeatures
from consensa.features.space import PRECOMPUTED
from consensa.features.stored_features import StoredFeatures, features_of
from consensa.generation.base import generated
from consensa.generation.default import default_generator, read_generator, with_parameter

__all__ = ["BaseConsensus", "Given"]


class Given(NamedTuple):
    """The partitions that `fit` combines, and their origin.

    Attributes
    ----------
    ensemble : Ensemble
        The partitions.
    generator : object or "precomputed"
        Their generator; ``"precomputed"`` if labels were given.
    features : SeenFeatures or None
        Columns of the features, if any.
    columns : Features or None
        The features themselves, for remarks on them; None if there are none.
    """

    ensemble: Ensemble
    generator: Any = "precomputed"
    features: SeenFeatures | None = None
    columns: Features | None = None


class BaseConsensus(ParameterFields, ClusterMixin, BaseEstimator):
    """Base class of the estimators; a subclass has its function and its own parameters."""

    _function: ClassVar[Callable[..., ConsensusResult]]
    _declared: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "n_clusters": (Integer(1), OneOf(("auto",)), ListOf((Integer(1),))),
        "generator": (OneOf(("precomputed",)), HasMethod("generate"), NoneType()),
        "n_jobs": (JobCount(), NoneType()),
        "random_state": (RandomState(),),
    }
    info: ClassVar[MethodInfo]

    n_clusters: Any = field(default=2, kw_only=False)
    generator: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    labels_ = Fitted("labels")
    n_clusters_ = Fitted("n_clusters")
    confidence_ = Fitted("confidence")
    ensemble_ = Fitted("ensemble")
    affinity_matrix_ = Fitted("affinity")
    linkage_matrix_ = Fitted("linkage_matrix")
    leaf_of_sample_ = Fitted("leaf_of_sample")
    trace_ = Fitted("trace")
    n_iter_ = Fitted("n_iter")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = filled(cls.__doc__, ESTIMATOR)
        function: Any = cls._function
        cls._declared = BaseConsensus._declared | function.declared
        cls.info = function.info

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the generator are ``generator__name``.

        Parameters
        ----------
        **params : dict
            Parameters by their names. ``generator__n_partitions`` and the like set those of the
            default generator too, which ``generator=None`` stands for.

        Returns
        -------
        BaseConsensus
            The estimator itself.

        See Also
        --------
        consensa.DiverseKinds : The default generator and its parameters.

        Examples
        --------
        >>> from consensa import EAC
        >>> EAC(2).set_params(generator__n_partitions=5).generator
        DiverseKinds(n_partitions=5)
        """
        nested = any(name.startswith("generator__") for name in params)
        if nested and params.get("generator", self.generator) is None:
            params = {**params, "generator": default_generator()}
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Generate base partitions, unless they are precomputed, and combine them.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of features, stored features, labels or Ensemble
            Features, of shape (n_samples, n_features), in memory or opened with
            `consensa.open_features`; text columns of a frame are one-hot encoded. With
            ``generator="precomputed"``, labels of shape (n_samples, n_partitions).
        y : None
            Ignored; present for compatibility with scikit-learn.

        Returns
        -------
        BaseConsensus
            The estimator itself.

        See Also
        --------
        consensa.Ensemble.from_labels : Accepted forms of a label matrix.

        Examples
        --------
        >>> from consensa import EAC
        >>> EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]]).labels_
        array([0, 0, 1])
        """
        return self._fit(X, owner=type(self).__name__)

    def _fit(self, X: Any, owner: str) -> Self:
        """Fit; `owner` is the class or the function that messages name."""
        params = self.get_params(deep=False)
        check_params(owner, BaseConsensus._declared, params)
        own = {k: v for k, v in self._declared.items() if k not in BaseConsensus._declared}
        check_params(type(self).__name__, own, params)
        rng = random_source(self.random_state)
        most = X.most_memory() if isinstance(X, StoredFeatures) else None
        with out_of_memory(owner), limited_memory(most):
            if not Integer(1).accepts(self.n_clusters):
                return self._fit_automatic(X, rng, owner)
            self.__dict__.pop("selection_", None)  # of an earlier fit
            given = self._read(X, rng, owner)
            self._keep(self._combine(given.ensemble, rng), given)
        return self

    def _fit_automatic(self, X: Any, rng: np.random.RandomState, owner: str) -> Self:
        """Fit with the number of clusters that is chosen; the partitions are not made twice."""
        # A room above this one: it runs the methods.
        choose = import_module("consensa.selection.automatic").chosen_number
        model, generator = clone(self), self._generator_in_use()
        rows = X
        if isinstance(X, StoredFeatures):  # the number is chosen from drawn rows
            rows = X.sampled()
            X = rows if rows.n_samples == X.n_samples else X
        found = choose(
            rows, self.n_clusters, model=model, generator=generator, owner=owner, rng=rng
        )
        model.set_params(n_clusters=found.n_clusters)
        if found.result is None or rows is not X:
            given = model._read(X, rng, owner)
            result = model._combine(given.ensemble, rng)
        elif isinstance(X, Ensemble) or isinstance(self.generator, str):
            given, result = Given(found.result.ensemble), found.result
            model.n_features_in_ = given.ensemble.n_partitions
        else:
            seen = model._remember_columns(read_features(X))
            given, result = Given(found.result.ensemble, generator, seen), found.result
        model._keep(result, given)
        for name in ("n_features_in_", "feature_names_in_", "result_"):
            vars(self).pop(name, None)  # of an earlier fit
        vars(self).update({name: own for name, own in vars(model).items() if name.endswith("_")})
        self.selection_ = found
        return self

    def _combine(self, ensemble: Ensemble, rng: np.random.RandomState) -> ConsensusResult:
        """The result of the method's function with the parameters of the estimator."""
        function: Any = type(self)._function
        params = self.get_params(deep=False)
        options = {name: params[name] for name in function.declared}
        if "random_state" in options:
            options["random_state"] = rng
        result: ConsensusResult = function.unchecked(ensemble, self.n_clusters, **options)
        return result

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        r"""Predict the clusters of new samples, by the votes of the base partitions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or label matrix
            New samples in the form of the data of `fit`: features or, with
            ``generator="precomputed"``, labels in the base partitions.

        Returns
        -------
        ndarray of shape (n_samples,)
            Clusters, numbered as in ``labels_``; -1 for a sample whose labels are all missing.

        Raises
        ------
        InvalidInputError
            If the base partitions have no models for new samples.

        See Also
        --------
        consensa.ConsensusResult.predict : The formula.
        predict_labels : Predict from labels in the base partitions.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa import EAC
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> EAC(2, random_state=0).fit(X).predict([[0.15], [4.9]])
        array([0, 1])
        """
        check_is_fitted(self)
        return self.result_.predict(X)

    def predict_labels(self, labels: Any) -> np.ndarray[Any, Any]:
        """Predict the clusters of new samples from their labels in the base partitions.

        Parameters
        ----------
        labels : array-like or frame of shape (n_samples, n_partitions)
            New rows of the label matrix, with the same partitions and cluster names. Missing and
            unknown labels do not vote.

        Returns
        -------
        ndarray of shape (n_samples,)
            Clusters, numbered as in ``labels_``; -1 for a sample without a known label.

        See Also
        --------
        predict : Predict from features.

        Examples
        --------
        >>> from consensa import EAC
        >>> seen = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
        >>> EAC(2, generator="precomputed").fit(seen).predict_labels([["b", None], ["a", "x"]])
        array([1, 0])
        """
        check_is_fitted(self)
        return self.result_.predict_labels(labels)

    def _read(self, X: Any, rng: np.random.RandomState, owner: str) -> Given:
        """Partitions from features, or X as a label matrix if it is precomputed."""
        if isinstance(X, Ensemble) or isinstance(self.generator, str):
            ensemble = Ensemble.from_labels(X)
            if not isinstance(X, Ensemble):
                warn_if_transposed(ensemble)
            self.n_features_in_ = ensemble.n_partitions
            check_fits(owner, self.n_clusters, ensemble.n_samples)
            return Given(ensemble)
        features = features_of(X)
        warn_of_partitions(X, stacklevel=5)
        seen = self._remember_columns(features)
        check_fits(owner, self.n_clusters, features.n_samples)
        generator = self._generator_in_use()
        ensemble = generated(generator, features, int(self.n_clusters), rng)
        given = getattr(generator, "metric", None) == PRECOMPUTED  # columns are not features
        return Given(ensemble, generator, seen, None if given else features)

    def _generator_in_use(self) -> Any:
        """The generator of the base partitions, with the number of threads."""
        if self.n_jobs is None or isinstance(self.generator, str):
            return read_generator(self.generator)
        owner = type(self).__name__
        return with_parameter(self.generator, "n_jobs", self.n_jobs, owner=owner)

    def _remember_columns(self, features: Features) -> SeenFeatures:
        """The columns of X for `predict`; sets scikit-learn's attributes."""
        seen = SeenFeatures.of(features, type(self).__name__)
        self.n_features_in_ = seen.count
        if seen.names is not None:
            self.feature_names_in_ = seen.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit
        return seen

    def _keep(self, result: ConsensusResult, given: Given) -> None:
        """Store the result, with the estimator, its parameters, the columns of X and doubts."""
        generator = given.generator
        if hasattr(generator, "get_params"):
            generator = clone(generator)  # a copy: the user may change it later
        made = replace(
            result,
            made_by=type(self),
            parameters=self.get_params(deep=False) | {"generator": generator},
            features=given.features,
        )
        self.result_ = with_doubts(made, given.columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.generator, str)
        tags.input_tags.sparse = not precomputed
        tags.input_tags.allow_nan = precomputed
        tags.input_tags.string = precomputed
        tags.input_tags.categorical = precomputed
        return tags
