"""Docstring entries that are shared by many classes and functions.

In a docstring, a line ``%(name)s`` is replaced by the entry of that name when the class or the
function is defined, so that `help`, numpydoc and Sphinx see the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import cleandoc
from textwrap import indent
from types import FunctionType
from typing import Any, TypeVar

from consensa._defaults import DEFAULT_GENERATOR

__all__ = ["DISPLAY", "ESTIMATOR", "FUNCTION", "GENERATOR", "SCORE", "documented", "filled"]

Documented = TypeVar("Documented", bound="type | Callable[..., Any]")
Entries = Mapping[str, str]

_MARKER = re.compile(r"^( *)%\((\w+)\)s$", flags=re.MULTILINE)


def _entries(text: str) -> dict[str, str]:
    """Entries by their names, from a docstring's section."""
    parts = re.split(r"\n(?=\S)", cleandoc(text))
    return {part.partition(" :")[0]: part for part in parts}


ESTIMATOR = _entries(f"""
    n_clusters : int, "auto" or list of int, default=2
        Number of clusters. "auto" chooses it as `consensa.select_n_clusters` does, and a list or
        range has the numbers to choose from.
    generator : object with ``generate(X, *, random_state)``, "precomputed" or None, default=None
        Generates the base partitions. With ``"precomputed"``, the `X` of `fit` is the label
        matrix; None is ``{DEFAULT_GENERATOR}()``.
    n_jobs : int or None, default=None
        Number of threads that generate the base partitions, as in joblib; -1 uses all cores. None
        is the number of the generator. The labels do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the generator. The consensus itself uses no random numbers.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, numbered in order of first appearance.
    n_clusters_ : int
        Number of clusters of ``labels_``.
    selection_ : SelectionResult
        How the number of clusters was chosen, if it was.
    linkage_matrix_ : ndarray of shape (n_samples - 1, 4)
        The tree, in SciPy's format.
    n_iter_ : int
        Number of iterations of the solver.
    confidence_ : ndarray of shape (n_samples,)
        Confidence of each sample, in [0, 1]; see `metrics.sample_confidence`.
    ensemble_ : Ensemble
        Base partitions that were combined.
    n_features_in_ : int
        Number of columns of `X`.
    result_ : ConsensusResult
        The result; the other attributes are read from it.
""")
ESTIMATOR["generator"] = "\n".join(ESTIMATOR[name] for name in ("generator", "n_jobs"))
ESTIMATOR["fitted"] = "\n".join(
    ESTIMATOR[name]
    for name in (
        "n_clusters_",
        "selection_",
        "confidence_",
        "ensemble_",
        "n_features_in_",
        "result_",
    )
)

FUNCTION = _entries("""
    ensemble : Ensemble
        Base partitions.
    n_clusters : int
        Number of clusters.
""")

GENERATOR = _entries("""
    n_partitions : int, default=20
        Number of partitions.
    n_clusters : int, (int, int) or None, default=None
        Number of clusters of every partition, or the range (low, high) to draw it from,
        inclusive. None: numbers from k to 2 k, where k is the `n_clusters` of `generate`; or
        from 2 to the square root of the number of samples if that is None.
    scaling : {"auto", "counts", "log", "range", "standard", "none"}, default="auto"
        Scaling of the columns. ``"range"`` divides each column by its range, after outliers
        beyond 4 standard deviations are clipped; ``"standard"``, by its standard deviation;
        ``"log"`` takes log(1 + abs(x)) with the sign of x first, then divides by the range;
        ``"counts"`` takes log(1 + x) of counts relative to the total of their row. ``"auto"``
        chooses from the values: see the user guide.
    metric : {"euclidean", "cosine", "precomputed"}, default="euclidean"
        Distance of the scaled features; ``"cosine"`` divides each row by its length. With
        ``"precomputed"``, X is the square matrix of the distances of the samples.
    pca_components : int or None, default=None
        Number of principal components that more columns are reduced to; None is 50.
    max_samples : int, default=10000
        Maximum number of distinct samples to cluster, drawn by a hash of their values if there
        are more; others have the label of the nearest one.
    device : {"cpu", "cuda"} or None, default=None
        Where neighbors, mixtures and embeddings are computed: by NumPy, or by torch on a CUDA
        device (needs the extra ``gpu``). None is the device of X. Trees are computed on the
        processor in any case.
    n_jobs : int or None, default=None
        Number of threads, as in joblib; -1 uses all cores. The partitions do not depend
        on it.
""")
GENERATOR["neighborhood"] = "\n".join(
    GENERATOR[name]
    for name in (
        "n_clusters",
        "scaling",
        "metric",
        "pca_components",
        "max_samples",
        "device",
        "n_jobs",
    )
)

DISPLAY = _entries("""
    ax : matplotlib Axes or None, default=None
        Axes to plot on; None creates new ones.
    selection : SelectionResult
        Result of `consensa.select_n_clusters`.
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes.
""")

SCORE = _entries("""
    y_true : array-like of shape (n_samples,)
        Known classes, of any type.
    y_pred : array-like of shape (n_samples,)
        Clusters, of any type.
""")


def filled(text: str | None, entries: Entries) -> str | None:
    """A docstring with its entries inserted; None stays None, as with ``python -OO``."""
    if text is None:
        return None
    return _MARKER.sub(
        lambda found: indent(entries[found[2]], found[1]) if found[2] in entries else found[0],
        text,
    )


def documented(entries: Entries) -> Callable[[Documented], Documented]:
    """Decorate a function, or a class with its methods: insert the entries into the docstrings."""

    def decorate(target: Documented) -> Documented:
        members = vars(target).values() if isinstance(target, type) else ()
        functions = [m for m in members if isinstance(m, (FunctionType, classmethod))]
        for item in [target, *functions, *(getattr(m, "__func__", m) for m in functions)]:
            item.__doc__ = filled(item.__doc__, entries)  # a class method has its own copy
        return target

    return decorate
