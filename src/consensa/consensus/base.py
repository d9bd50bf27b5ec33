"""The base class of every method's estimator: fitting, predicting, scikit-learn's manners.

A subclass names its function, which is under `consensus_method`, and its parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from consensa._defaults import DEFAULT_GENERATOR
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
from consensa.consensus._prediction import assign_by_vote, codes_of_features, codes_of_labels
from consensa.consensus.method import MethodInfo, check_fits
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.features import Features, read_features
from consensa.features.seen import SeenFeatures, read_new
from consensa.generation.base import generated
from consensa.generation.default import read_generator

__all__ = ["BaseConsensus", "HiddenParameter"]


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
    result_: ConsensusResult
    _seen: SeenFeatures | None  # None where `fit` was given labels

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        function: Any = cls._function
        cls._declared = BaseConsensus._declared | function.declared
        cls.info = function.info

    def fit(self, X: Any, y: Any = None) -> BaseConsensus:
        """Make the base partitions if need be, and combine them.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of features, label matrix or Ensemble
            Features, of shape (n_samples, n_features); text columns of a frame become
            indicators. With ``generator="precomputed"``, labels of shape
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
        return self._fit(X, owner=type(self).__name__)

    def _fit(self, X: Any, owner: str) -> BaseConsensus:
        """Fit in the name of `owner`: that of the class, or of the function that was called."""
        params = self.get_params(deep=False)
        check_params(owner, BaseConsensus._declared, params)
        own = {k: v for k, v in self._declared.items() if k not in BaseConsensus._declared}
        check_params(type(self).__name__, own, params)
        rng = random_source(self.random_state)
        self._keep(self._combine(self._read_ensemble(X, rng, owner), rng))
        return self

    def _combine(self, ensemble: Ensemble, rng: np.random.RandomState) -> ConsensusResult:
        """What the method's function says with the parameters of the estimator."""
        function: Any = type(self)._function
        params = self.get_params(deep=False)
        options = {name: params[name] for name in function.declared}
        if "random_state" in options:
            options["random_state"] = rng
        result: ConsensusResult = function.unchecked(ensemble, self.n_clusters, **options)
        return result

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        r"""Consensus cluster of new samples: each base partition places them and votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or label matrix
            What `fit` was given, for other samples: features, or with
            ``generator="precomputed"`` the labels that the base partitions give them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Clusters, numbered as in ``labels_``; -1 for a sample that no partition can place.

        Raises
        ------
        InvalidInputError
            If the generator kept no models, so that its partitions cannot place new samples.

        See Also
        --------
        predict_labels : From labels of the base partitions, whatever `fit` was given.

        Notes
        -----
        Naive Bayes: a sample in the base clusters :math:`B_m` goes to the cluster :math:`c` with
        the largest :math:`\log \pi_c + \sum_m \log(1 + |B_m \cap c| / \pi_c)`, where
        :math:`\pi_c` is the share of :math:`c`. Rows of labels that the fit saw go where they
        went.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa import EAC
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> EAC(2, random_state=0).fit(X).predict([[0.15], [4.9]])
        array([0, 1])
        """
        check_is_fitted(self)
        models = self.ensemble_.models
        if models is None and self._seen is None:
            return self.predict_labels(X)
        points = read_new(X, self._seen)
        if models is None or all(model is None for model in models):
            message = (
                f"predict needs base partitions that can place new samples, and those of "
                f"{type(self.generator).__name__} keep no model that could. {DEFAULT_GENERATOR} "
                f"keeps one; the labels of new samples can be given to predict_labels."
            )
            raise InvalidInputError(message)
        return assign_by_vote(self.ensemble_, self.labels_, codes_of_features(models, points))

    def predict_labels(self, labels: Any) -> np.ndarray[Any, Any]:
        """Consensus cluster of new samples from their labels in the base partitions.

        Parameters
        ----------
        labels : array-like or frame of shape (n_samples, n_partitions)
            New rows of the label matrix: the same partitions, the same names of clusters.
            Missing labels do not vote; labels that `fit` did not see count as missing.

        Returns
        -------
        ndarray of shape (n_samples,)
            Clusters, numbered as in ``labels_``; -1 for a sample without any known label.

        See Also
        --------
        predict : From features.

        Examples
        --------
        >>> from consensa import EAC
        >>> seen = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
        >>> EAC(2, generator="precomputed").fit(seen).predict_labels([["b", None], ["a", "x"]])
        array([1, 0])
        """
        check_is_fitted(self)
        codes = codes_of_labels(self.ensemble_, labels)
        return assign_by_vote(self.ensemble_, self.labels_, codes)

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

    def _read_ensemble(self, X: Any, rng: np.random.RandomState, owner: str) -> Ensemble:
        """Partitions from features, or the label matrix that the user says X is."""
        if isinstance(X, Ensemble) or isinstance(self.generator, str):
            self._seen = None
            ensemble = Ensemble.from_labels(X)
            self.n_features_in_ = ensemble.n_partitions
            check_fits(owner, self.n_clusters, ensemble.n_samples)
            return ensemble
        features = read_features(X)
        self._remember_columns(features)
        check_fits(owner, self.n_clusters, features.n_samples)
        return generated(read_generator(self.generator), features, int(self.n_clusters), rng)

    def _remember_columns(self, features: Features) -> None:
        """Keep what `predict` must know of the columns, and scikit-learn's names for it."""
        self._seen = SeenFeatures.of(features, type(self).__name__)
        self.n_features_in_ = self._seen.count
        if self._seen.names is not None:
            self.feature_names_in_ = self._seen.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit

    def _keep(self, result: ConsensusResult) -> None:
        """Set the fitted attributes that this result has."""
        self.result_ = result
        self.labels_ = result.labels
        self.ensemble_ = result.ensemble
        self.confidence_ = result.confidence
        if result.affinity is not None:
            self.affinity_matrix_ = result.affinity
        if result.tree is not None:
            self.linkage_matrix_ = result.tree.merges
            if result.tree.leaf_of_sample is not None:
                self.leaf_of_sample_ = result.tree.leaf_of_sample
        if result.trace is not None:
            self.trace_ = result.trace
            self.n_iter_ = result.trace.n_iter
        for name, value in result.details.items():
            setattr(self, f"{name}_", value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.generator, str)
        tags.input_tags.sparse = not precomputed
        tags.input_tags.allow_nan = precomputed
        tags.input_tags.string = precomputed
        tags.input_tags.categorical = precomputed
        return tags
