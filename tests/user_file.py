"""What a user writes, checked by mypy and pyright against the installed wheel; never run."""

from typing import assert_type

import numpy as np

import consensa as cs
from consensa.metrics import clustering_scores


def use() -> None:
    X = np.zeros((4, 2))
    result = cs.cluster(X, 2, random_state=0)
    assert_type(result, cs.ConsensusResult)
    assert_type(cs.cluster(X, "auto"), cs.ConsensusResult)
    assert_type(cs.cluster(X, range(2, 5), method="lwea"), cs.ConsensusResult)
    assert_type(cs.combine([["a", 1], ["b", None]], 2), cs.ConsensusResult)

    model = cs.TEA(2, generator=cs.RandomKMeans(n_partitions=5), random_state=0).fit(X)
    assert_type(model, cs.TEA)
    assert model.predict(X).shape == (4,)

    ensemble = cs.Ensemble.from_labels([[0, 1], [0, None]])
    assert_type(ensemble, cs.Ensemble)
    assert_type(cs.eac(ensemble, 2, linkage="average"), cs.ConsensusResult)
    assert_type(cs.select_n_clusters(X), cs.SelectionResult)
    assert_type(clustering_scores([0, 1], result.labels), dict[str, float])
    assert_type(cs.__version__, str)

    cs.cluster(X, 2.5)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    cs.cluster(X)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    cs.no_such_name  # type: ignore[attr-defined] # pyright: ignore # noqa: B018
