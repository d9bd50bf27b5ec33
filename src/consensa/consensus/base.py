"""The base class of every method's estimator: fitting, predicting, scikit-learn's manners.

A subclass names its function, which is under `consensus_method`, and its parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from consensa._array import to_numpy
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
from consensa.features.matrix import read_matrix
from consensa.generation import RandomKMeans
from consensa.generation.base import generated, suited

__all__ = ["BaseConsensus"]


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
        check_fits(type(self).__name__, self.n_clusters, ensemble.n_samples)
        self._keep(self._combine(ensemble, rng))
        return self

    def _combine(self, ensemble: Ensemble, rng: np.random.RandomState) -> ConsensusResult:
        """What the method's function says with the parameters of the estimator."""
        function: Any = type(self)._function
        params = self.get_params(deep=False)
        options = {name: params[name] for name in function.declared}
        if "random_state" in options:
            options["random_state"] = rng
        result: ConsensusResult = function(ensemble, self.n_clusters, **options)
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
        if models is None and not self._was_given_features:
            return self.predict_labels(X)
        fitted = self if self._was_given_features else None
        features = read_matrix(X, estimator=fitted, new=True, accept_sparse=True)
        points = features if sparse.issparse(features) else to_numpy(features)
        if models is None or all(model is None for model in models):
            message = (
                f"predict needs base partitions that can place new samples, and those of "
                f"{type(self.generator).__name__} keep no model that could. RandomKMeans keeps "
                f"one; the labels of new samples can be given to predict_labels."
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

    def _read_ensemble(self, X: Any, rng: np.random.RandomState) -> Ensemble:
        """Partitions from features, or the label matrix that the user says X is."""
        self._was_given_features = not isinstance(X, Ensemble) and self.generator != "precomputed"
        if not self._was_given_features:
            ensemble = Ensemble.from_labels(X)
            self.n_features_in_ = ensemble.n_partitions
            return ensemble
        generator = RandomKMeans() if self.generator is None else self.generator
        features = read_matrix(X, estimator=self, accept_sparse=True)
        return generated(suited(generator, X), features, self.n_clusters, rng)

    def _keep(self, result: ConsensusResult) -> None:
        """Set the fitted attributes that this result has."""
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
