"""Consensus functions of other papers that are methods of ours with one parameter set."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa import Ensemble
from consensa.partition.membership_embedding import membership_embedding
from consensa.similarity import cluster_certainty, locally_weighted_coassociation


def test_mdec_hc_and_sc_cut_the_matrix_of_lwea_and_lwsc_with_theta_1(
    reference_small, reference_links
):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    matrix = locally_weighted_coassociation(ensemble, theta=1)
    assert_allclose(matrix, reference_links["mdec_lwca"], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("theta", "name"),
    [(1, "mdec_bg_embedding"), (1e6, "usenc_embedding")],
    ids=["MDEC-BG", "U-SENC"],
)
def test_mdec_bg_and_u_senc_cluster_the_points_of_lwgp(
    reference_small, reference_links, theta, name
):
    ensemble = Ensemble.from_labels(reference_small["labels"])
    weights = cluster_certainty(ensemble, theta=theta)
    rng = np.random.RandomState(0)
    embedding = membership_embedding(ensemble, 4, rng, cluster_weights=weights)
    points, theirs = embedding.points(ensemble.cluster_ids), reference_links[name]
    assert_allclose(points @ points.T, theirs @ theirs.T, rtol=0, atol=1e-6)
