"""How many clusters: several criteria, what they find in noise, and one recommendation."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from consensa._array import to_numpy
from consensa._ensemble import Ensemble
from consensa._frames import has_words
from consensa._labels import MISSING
from consensa._optional import require
from consensa._params import (
    Declaration,
    HasMethod,
    Integer,
    NoneType,
    OneOf,
    RandomState,
    check_params,
)
from consensa._progress import track
from consensa._random import random_source
from consensa._validation import read_matrix
from consensa.consensus._base import BaseConsensus
from consensa.consensus._catalogue import read_method
from consensa.exceptions import (
    ConsensaWarning,
    FewerClustersWarning,
    InvalidInputError,
    InvalidParameterError,
)
from consensa.generation import RandomKMeans
from consensa.generation._base import suited
from consensa.generation._scaling import SCALINGS
from consensa.selection._consensus_cdf import delta_area
from consensa.selection._evidence import Curves, measure
from consensa.selection._explained_dispersion import explained_dispersion
from consensa.selection._references import REFERENCES, permuted_partitions
from consensa.selection._resampling import consensus_at

__all__ = ["SelectionResult", "select_n_clusters"]

_Array = np.ndarray[Any, Any]
_LEVEL = 0.05  # above this p-value the answer is one cluster
_LEAST_PARTITIONS = 3
_TEST_SAMPLES = 300  # the comparison with references works on so many samples
_TEST_DRAWS = 6
_LEAST_REFERENCES = 19  # with fewer, no p-value could be as small as the level
_DECLARED: Declaration = {
    "generator": (OneOf(("precomputed",)), HasMethod("generate"), NoneType()),
    "n_draws": (Integer(2),),
    "n_references": (Integer(0),),
    "reference": (OneOf(REFERENCES),),
    "max_samples": (Integer(10),),
    "random_state": (RandomState(),),
}


@dataclass(frozen=True, eq=False)
class SelectionResult:
    """How many clusters, and why.

    Attributes
    ----------
    n_clusters : int
        The recommended number; 1 if the data show no more than noise does.
    ranking : tuple of int
        All candidates, the best first.
    scores : structured ndarray of shape (n_candidates,)
        A row for each candidate, with the fields ``n_clusters``, ``evidence``, ``stability``,
        ``agreement``, ``eigengap``, ``pac``, ``area`` and ``delta_area``;
        ``pandas.DataFrame(scores)`` makes a frame of it.
    clarity : float
        How clear the evidence is, in [0, 1]: the share of the draws that recommend the same
        number by themselves; for one cluster, the p-value.
    p_value : float or None
        Share of the references without clusters, the data among them, that stand out as much;
        None if there are no references.
    finding : str
        The recommendation in a sentence.
    favourites : mapping of str to int
        The candidate that each criterion alone would take.
    labels : ndarray of shape (n_used, n_candidates)
        The consensus for each candidate, in the order of `scores`.
    samples : ndarray of shape (n_used,)
        Rows of the input that were used: all, or `max_samples` drawn from them.
    grid : ndarray of shape (101,)
        Values at which `cdf` is given.
    cdf : ndarray of shape (n_candidates, 101)
        Cumulative distribution of the consensus matrix of the draws, for each candidate.
    observed : ndarray of shape (n_candidates,) or None
        What was compared with the references, of at most 300 samples: `explained_dispersion`
        of the consensus, or the evidence where there are no features.
    references : ndarray of shape (n_references, n_candidates)
        The same of each reference.
    ensemble : Ensemble
        Base partitions of the samples that were used.
    """

    n_clusters: int
    ranking: tuple[int, ...]
    scores: _Array
    clarity: float
    p_value: float | None
    finding: str
    favourites: Mapping[str, int]
    labels: _Array = field(repr=False)
    samples: _Array = field(repr=False)
    grid: _Array = field(repr=False)
    cdf: _Array = field(repr=False)
    observed: _Array | None = field(repr=False)
    references: _Array = field(repr=False)
    ensemble: Ensemble = field(repr=False)

    def to_frame(self) -> Any:
        """Scores as a pandas DataFrame, a row for each number of clusters.

        Returns
        -------
        pandas.DataFrame
            The scores, with the numbers of clusters as index.

        See Also
        --------
        select_n_clusters : What the columns mean.

        Examples
        --------
        >>> from consensa import select_n_clusters
        >>> labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
        >>> found = select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
        >>> list(found.to_frame().index)
        [2, 3]
        """
        pandas = require("pandas", extra="cli", purpose="to_frame")
        return pandas.DataFrame(self.scores).set_index("n_clusters")


def select_n_clusters(
    X: Any,
    n_clusters: Iterable[int],
    *,
    generator: Any = None,
    method: Any = None,
    n_draws: int = 20,
    n_references: int = 19,
    reference: str = "uniform",
    max_samples: int = 1000,
    random_state: Any = None,
) -> SelectionResult:
    r"""Recommend a number of clusters, with the evidence for each candidate.

    For each candidate :math:`k`, the consensus of all partitions and that of random halves of
    them are cut into :math:`k` clusters. The evidence is

    .. math:: e_k = \tfrac14 \left( s_k + a_k + g_k + 1 - p_k \right),

    with :math:`s_k` the mean ARI between the answers of two halves (stability under dropped
    partitions), :math:`a_k` the mean ARI between the consensus and the base partitions,
    :math:`g_k` the eigengap of the co-association matrix, and :math:`p_k` the proportion of
    ambiguous pairs (PAC) among the answers of the halves. The area below their consensus
    distribution and its growth are reported too and do not vote.

    Every such criterion finds clusters in noise. The consensus is therefore compared with that
    of references without clusters, made into partitions and combined in the same way: by the
    dispersion that it explains, as the gap statistic does, or by the evidence where there are
    no features. If more than 5 % of all stand out as much from the others as the data do, at
    whatever number of clusters, the answer is one cluster.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), label matrix or Ensemble
        Features; with ``generator="precomputed"``, labels of shape (n_samples, n_partitions).
    n_clusters : iterable of int
        Candidates, such as ``range(2, 11)``.
    generator : object with ``generate(X, *, random_state)``, "precomputed" or None, default=None
        Makes the base partitions; None is ``RandomKMeans(30)`` on features divided by their
        range, as `LandmarkSpectral` divides them, so that units do not matter.
    method : name, estimator or None, default=None
        Consensus method; None is EAC, whose tree is cut for all candidates. A method that
        builds no tree is run for each of them.
    n_draws : int, default=20
        Number of random halves of the partitions.
    n_references : int, default=19
        Number of references, 19 or more; 0 leaves the comparison out, and the answer is never 1.
    reference : {"uniform", "permuted"}, default="uniform"
        What a reference is, for features: uniform in the box that the samples fill along their
        principal axes, or the samples with each feature shuffled by itself. For partitions it
        is always the partitions, each shuffled by itself.
    max_samples : int, default=1000
        Of more samples, so many are drawn and the rest is not looked at.
    random_state : int, RandomState instance or None, default=None
        Seed of everything that is drawn.

    Returns
    -------
    SelectionResult
        The number, the ranking, the scores of each candidate, how clear they are.

    See Also
    --------
    compare_methods : Several methods for one number of clusters.

    Notes
    -----
    Shuffled partitions only say that partitions agree more than by chance: partitions of one
    elongated cloud do too. Where there are features, give the features.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import select_n_clusters
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0) + rng.normal(size=(90, 2))
    >>> found = select_n_clusters(X, range(2, 8), random_state=0)
    >>> found.n_clusters, found.p_value
    (3, 0.05)
    """
    values = {name: value for name, value in locals().items() if name in _DECLARED}
    check_params("select_n_clusters", _DECLARED, values)
    _check_references(n_references)
    candidates = _read_candidates(n_clusters)
    chosen = "EAC" if method is None else method
    model = read_method(chosen, owner="select_n_clusters").set_params(generator=None)
    rng = random_source(random_state)
    source = _Source(X, generator, reference, max_samples, rng)
    ensemble = source.ensemble(rng)
    usable = _usable(candidates, ensemble)
    with track("numbers of clusters", n_references + 1 + bool(n_references)) as advance:
        curves = measure(model, ensemble, usable, n_draws=n_draws, rng=rng)
        advance()
        observed, references = None, np.empty((0, len(usable)))
        if n_references:
            small = source.smaller(rng)
            observed = small.statistic(model, usable, rng)
            advance()
            drawn = []
            for _ in range(n_references):
                drawn.append(small.reference(rng).statistic(model, usable, rng))
                advance()
            references = np.array(drawn)
    return _conclude(usable, curves, observed, references, source, ensemble)


class _Source:
    """Where ensembles come from: features and a generator, or partitions that are there."""

    def __init__(
        self,
        X: Any,
        generator: Any,
        reference: str,
        max_samples: int,
        rng: np.random.RandomState,
    ) -> None:
        self.partitions: Ensemble | None = None
        self.points: _Array | None = None
        self.generator = RandomKMeans(30) if generator is None else generator
        self.kind = reference
        if isinstance(X, Ensemble) or generator == "precomputed":
            self.partitions = Ensemble.from_labels(X)
            n_samples = self.partitions.n_samples
        else:
            points = to_numpy(read_matrix(X))
            # A generator of the caller's own is given the features as they are, and words are
            # scaled as they are read.
            self.generator = suited(self.generator, X)
            plain = generator is None and not has_words(X)
            scaling = SCALINGS["range" if plain else "none"](points)
            self.points = scaling.apply(points)
            n_samples = len(points)
        self.samples = np.arange(n_samples)
        self._draw(max_samples, rng)

    def _draw(self, most: int, rng: np.random.RandomState) -> None:
        if len(self.samples) <= most:
            return
        rows = np.sort(rng.choice(len(self.samples), most, replace=False))
        self.samples = self.samples[rows]
        if self.points is not None:
            self.points = self.points[rows]
        if self.partitions is not None:
            self.partitions = _of_rows(self.partitions, rows)

    def smaller(self, rng: np.random.RandomState) -> _Source:
        """The same with so few samples that it can be repeated many times."""
        other = copy(self)
        other._draw(_TEST_SAMPLES, rng)
        return other

    def reference(self, rng: np.random.RandomState) -> _Source:
        """A source of the same kind without clusters."""
        other = copy(self)
        if self.partitions is not None:
            other.partitions = permuted_partitions(self.partitions, rng)
        if self.points is not None:
            other.points = REFERENCES[self.kind](self.points, rng)
        return other

    def ensemble(self, rng: np.random.RandomState) -> Ensemble:
        if self.partitions is not None:
            return self.partitions
        made: Ensemble = self.generator.generate(self.points, random_state=rng)
        return made

    def statistic(
        self, model: BaseConsensus, candidates: list[int], rng: np.random.RandomState
    ) -> _Array:
        """What is compared with references, for each candidate.

        The dispersion that the consensus explains where there are features, else the evidence;
        0 for candidates that the partitions do not tell apart.
        """
        ensemble = self.ensemble(rng)
        possible = np.array([_is_usable(k, ensemble) for k in candidates])
        usable = [k for k, can in zip(candidates, possible, strict=True) if can]
        answer = np.zeros(len(candidates))
        if not usable:
            return answer
        if self.points is None:
            answer[possible] = measure(
                model, ensemble, usable, n_draws=_TEST_DRAWS, rng=rng
            ).evidence
            return answer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConsensaWarning)
            labels = consensus_at(model, ensemble, usable, int(rng.randint(2**31 - 1)))
        answer[possible] = [explained_dispersion(self.points, column) for column in labels.T]
        return answer


def _is_usable(n_clusters: int, ensemble: Ensemble) -> bool:
    return n_clusters < ensemble.n_samples and ensemble.separates(n_clusters)


def _of_rows(ensemble: Ensemble, rows: _Array) -> Ensemble:
    """The partitions of some samples, without those that label none of them."""
    codes = ensemble.codes[rows]
    kept = (codes != MISSING).any(axis=0)
    return Ensemble.from_labels(codes[:, kept])


def _check_references(n_references: int) -> None:
    if 0 < n_references < _LEAST_REFERENCES:
        message = (
            f"The 'n_references' parameter of select_n_clusters must be at least "
            f"{_LEAST_REFERENCES}, or 0 for no comparison: the p-value is counted in steps of "
            f"1 / (n_references + 1). Got {n_references}."
        )
        raise InvalidParameterError(message)


def _read_candidates(n_clusters: Any) -> list[int]:
    try:
        given = list(n_clusters)
    except TypeError:
        given = [n_clusters]
    if not given or not all(Integer(1).accepts(k) for k in given) or max(given) < 2:
        message = (
            f"The 'n_clusters' parameter of select_n_clusters must be candidates, integers of "
            f"which one is at least 2, such as range(2, 11). Got {n_clusters!r}."
        )
        raise InvalidParameterError(message)
    return sorted({int(k) for k in given} - {1})  # one cluster is what the references are for


def _usable(candidates: list[int], ensemble: Ensemble) -> list[int]:
    """Candidates that the partitions can tell apart; a warning names the others."""
    if ensemble.n_partitions < _LEAST_PARTITIONS:
        message = (
            f"Choosing the number of clusters needs at least {_LEAST_PARTITIONS} partitions, so "
            f"that some can be dropped. Got {ensemble.n_partitions}."
        )
        raise InvalidInputError(message)
    usable = [k for k in candidates if _is_usable(k, ensemble)]
    groups = len(ensemble.microclusters().sizes)
    if not usable:
        message = (
            f"The partitions tell {groups} groups of the {ensemble.n_samples} samples apart, too "
            f"few for any candidate: {candidates[0]} to {candidates[-1]}."
        )
        raise InvalidInputError(message)
    if len(usable) < len(candidates):
        message = (
            f"The partitions tell {groups} groups of the {ensemble.n_samples} samples apart; "
            f"candidates above {usable[-1]} are left out."
        )
        warnings.warn(message, FewerClustersWarning, stacklevel=3)
    return usable


def _p_value(observed: _Array, references: _Array) -> float:
    r"""Share of all, the data at hand among them, that stand out as much as the data do.

    How far one stands out is :math:`\max_k (t_k - \bar t_k) / \sigma_k`, with the mean and the
    deviation of all. Without clusters all are alike, and each is as likely as another to stand
    out most.
    """
    every = np.vstack([observed, references])
    deviation = np.maximum(every.std(axis=0), 1e-6)
    outstanding = ((every - every.mean(axis=0)) / deviation).max(axis=1)
    return float(np.mean(outstanding >= outstanding[0]))


def _conclude(
    candidates: list[int],
    curves: Curves,
    observed: _Array | None,
    references: _Array,
    source: _Source,
    ensemble: Ensemble,
) -> SelectionResult:
    order = np.argsort(-curves.evidence, kind="stable")
    ranking = [candidates[place] for place in order]
    p_value = None if observed is None else _p_value(observed, references)
    by_draw = curves.evidence_by_draw(ensemble).argmax(axis=1)
    clarity = float(np.mean(by_draw == order[0]))
    if p_value is not None and p_value > _LEVEL:
        ranking.insert(0, 1)
        clarity = p_value
    votes = {
        "stability": curves.stability,
        "agreement": curves.agreement,
        "eigengap": curves.eigengap,
        "pac": -curves.pac,
    }
    return SelectionResult(
        n_clusters=ranking[0],
        ranking=tuple(ranking),
        scores=_scores(candidates, curves),
        clarity=clarity,
        p_value=p_value,
        finding=_finding(ranking, curves.evidence[order], clarity, p_value),
        favourites={name: candidates[int(np.argmax(curve))] for name, curve in votes.items()},
        labels=curves.labels,
        samples=source.samples,
        grid=np.linspace(0, 1, curves.cdf.shape[1]),
        cdf=curves.cdf,
        observed=observed,
        references=references,
        ensemble=ensemble,
    )


def _scores(candidates: list[int], curves: Curves) -> _Array:
    columns = {
        "evidence": curves.evidence,
        "stability": curves.stability,
        "agreement": curves.agreement,
        "eigengap": curves.eigengap,
        "pac": curves.pac,
        "area": curves.area,
        "delta_area": delta_area(curves.area),
    }
    kinds = [("n_clusters", np.int64), *((name, np.float64) for name in columns)]
    table = np.empty(len(candidates), dtype=kinds)
    table["n_clusters"] = candidates
    for name, column in columns.items():
        table[name] = column
    return table


def _finding(ranking: list[int], evidence: _Array, clarity: float, p_value: float | None) -> str:
    """The recommendation in a sentence; `evidence` is that of the candidates, the best first."""
    compared = "" if p_value is None else f" (p = {p_value:.2f} against data without clusters)"
    if ranking[0] == 1:
        return (
            f"No clusters beyond what noise shows{compared}; if there are some, "
            f"{ranking[1]} of them is the best guess."
        )
    words = "clear" if clarity >= 0.8 else "fair" if clarity >= 0.5 else "weak"
    next_best = f", then {ranking[1]} with {evidence[1]:.2f}" if len(ranking) > 1 else ""
    return (
        f"{ranking[0]} clusters: evidence {evidence[0]:.2f}{next_best}; the evidence is {words}: "
        f"{clarity:.0%} of the draws agree{compared}."
    )
