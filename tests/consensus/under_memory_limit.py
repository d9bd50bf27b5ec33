"""Run all methods on large inputs under a limit of the address space; print what they say."""

from __future__ import annotations

import json
import resource
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import psutil

import consensa as cs
from consensa.consensus.base import BaseConsensus
from consensa.consensus.catalogue import find_methods
from consensa.metrics import partition_similarity
from consensa.similarity import cluster_certainty

QUICK = {"n_init": 1, "n_references": 1}  # fewer starts: memory is tested, not quality


def labels(n: int, m: int, k: int) -> cs.Ensemble:
    """Partitions that agree on two halves, each split into k / 2 clusters at random."""
    rng = np.random.default_rng(0)
    halves = np.arange(n) % 2
    return cs.Ensemble.from_labels(2 * rng.integers(0, k // 2, (n, m)) + halves[:, None])


def fit(estimator: type[BaseConsensus], ensemble: cs.Ensemble, n_clusters: int) -> int:
    """Number of clusters that the method finds."""
    options = {key: value for key, value in QUICK.items() if key in estimator._declared}
    model = estimator(n_clusters, generator="precomputed", random_state=0, **options)
    return len(np.unique(model.fit(ensemble).labels_))


def said(run: Callable[..., Any], *arguments: Any, room: int | None = None) -> tuple[str, Any]:
    """The answer or the error, with `room` bytes beyond those that are reserved now."""
    if room is not None:
        used = psutil.Process().memory_info().vms
        resource.setrlimit(resource.RLIMIT_AS, (used + room, resource.RLIM_INFINITY))
    try:
        return "answer", run(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)


def main(room: int) -> None:
    """Everything once on a small input, to load the libraries; then under the limit."""
    warnings.simplefilter("ignore")
    methods = find_methods()
    for estimator in methods.values():
        said(fit, estimator, labels(12, 4, 4), 2)
    many, fine = labels(12, 2400, 6), labels(3000, 6, 2000)
    cluster_certainty(many)  # loads the compiled loops
    inputs = {
        "samples": (labels(25_000, 4, 6), 2),
        "partitions": (many, 2),
        "clusters": (fine, 3),
        "classes": (fine, 1000),
    }
    answers: dict[str, Any] = {
        name: {large: said(fit, estimator, *given, room=room) for large, given in inputs.items()}
        for name, estimator in methods.items()
    }
    wide = np.random.default_rng(0).normal(size=(20, 1_000_000))
    words = pd.DataFrame({"word": [f"w{i // 2}" for i in range(20_000)]})
    answers["others"] = {
        "features": said(cs.cluster, wide, 2, room=room),
        "text": said(cs.cluster, words, 2, room=room),
        "select_n_clusters": said(cs.select_n_clusters, wide, [2, 3], room=room),
        "partition_similarity": said(partition_similarity, labels(40, 300, 40), room=room),
    }
    json.dump(answers, sys.stdout, default=str)


if __name__ == "__main__":
    main(int(sys.argv[1]))
