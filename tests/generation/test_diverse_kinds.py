"""The default generator: kinds of partitions, in one space and in two."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from consensa import DiverseKinds
from consensa.ensemble.details import SPACE
from consensa.metrics import adjusted_rand_index

RNG = np.random.RandomState(0)
TRUTH = np.repeat([0, 1, 2], 20)


def kinds(ensemble):
    return sorted({name.rsplit(" ", 1)[0] for name in ensemble.partition_names})


def directions():
    """Three directions in six dimensions; the lengths of the rows are noise."""
    centers = np.zeros((3, 6))
    centers[0, :2] = centers[1, 2:4] = centers[2, 4:] = 1
    X = centers[TRUTH] + RNG.uniform(0, 0.3, size=(60, 6))
    return X * RNG.lognormal(sigma=1.0, size=(60, 1))


def test_half_of_the_partitions_are_by_angles():
    made = DiverseKinds(14).generate(directions(), n_clusters=3, random_state=0)
    by_angles = [name for name in made.partition_names if "by angles" in name]
    assert len(by_angles) == 7
    assert made.partition_names[7:] == tuple(by_angles)
    assert not any("mixture" in name for name in by_angles)
    assert made.details[SPACE].endswith("; cosine distance for half of the partitions")


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_metric_that_is_given_is_the_only_one(metric):
    made = DiverseKinds(8, metric=metric).generate(directions(), n_clusters=3, random_state=0)
    assert kinds(made) == ["embedding", "graph cut", "mixture", "tree"]


def test_coordinates_and_text_have_no_angles():
    X = directions()
    for features in (
        X[:, :3],
        pd.DataFrame(X, columns=list("uvwxyz")).assign(text=np.array(list("abc"))[TRUTH]),
    ):
        made = DiverseKinds(8).generate(features, n_clusters=3, random_state=0)
        assert kinds(made) == ["embedding", "graph cut", "mixture", "tree"]


def test_one_partition_has_no_second_half():
    made = DiverseKinds(1).generate(directions(), n_clusters=3, random_state=0)
    assert made.partition_names == ("graph cut 1",)


def test_angles_find_directions():
    made = DiverseKinds(14).generate(directions(), n_clusters=3, random_state=0)
    first = made.partition_names.index("embedding, by angles 1")
    assert adjusted_rand_index(TRUTH, made.labels[:, first]) == 1
    assert adjusted_rand_index(TRUTH, made.labels[:, 0]) < 1


def test_models_of_both_spaces_know_the_samples():
    X = directions()
    made = DiverseKinds(14).generate(X, n_clusters=3, random_state=0)
    for model, column in zip(made.models, made.codes.T, strict=True):
        assert_array_equal(model.predict(X), column)
