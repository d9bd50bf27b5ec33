"""The tutorial on gene expression, fed with noise: no subtypes."""

from __future__ import annotations

import numpy as np
import pandas as pd

import consensa as cs


def test_genes_without_subtypes_are_one_cluster():
    rng = np.random.default_rng(1)
    expression = pd.DataFrame(6 + rng.normal(size=(60, 500)))
    varying = expression.var().nlargest(150).index
    X = expression[varying] - expression[varying].mean()
    found = cs.select_n_clusters(
        X, [2, 3, 4], generator=cs.DiverseKinds(6, n_jobs=1), random_state=0
    )
    assert found.answer == "one"
    assert found.n_clusters == 1
