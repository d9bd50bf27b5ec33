r"""Predict the consensus clusters of new samples: each base partition votes.

A sample whose cluster in partition :math:`m` is :math:`B_m` goes to the consensus cluster with
the largest

.. math:: \log \pi_c + \sum_m \log \frac{|B_m \cap c| + \pi_c}{(|B_m| + 1)\, \pi_c},

where :math:`\pi_c` is the proportion of cluster :math:`c` in the samples of the fit: naive Bayes
with counts smoothed by one additional sample. Partitions in which the label is missing do not
vote. A sample whose row of labels occurred in the fit gets the cluster of that row.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.ensemble.equal_rows import places_among
from consensa.ensemble.labels import LabelMatrix, read_label_matrix, translate_codes
from consensa.ensemble.missing import MISSING, is_labeled
from consensa.ensemble.rows import cluster_ids, membership
from consensa.exceptions import InvalidInputError, UnknownLabelsWarning

__all__ = ["assign_by_vote", "codes_of_features", "codes_of_labels"]

_BLOCK_BYTES = 2**25


def assign_by_vote(
    ensemble: Ensemble, labels: Array, codes: Array, met: Array | None = None
) -> Array:
    """Consensus cluster of each row of `codes`; -1 if all labels of the sample are missing.

    If the ensemble has distinct rows only, `met` are the numbers of samples in each base and
    consensus cluster, as in `Rows.meetings`.
    """
    if met is None:
        n_clusters = int(labels.max()) + 1
        sizes, overlaps = np.bincount(labels), _overlaps(ensemble, labels, n_clusters)
    else:
        n_clusters, sizes, overlaps = met.shape[1], met[-1], sparse.csr_array(met[:-1])
    prior = sizes / sizes.sum()
    table = _log_votes(overlaps, prior)
    answer = np.full(len(codes), MISSING, np.int64)
    block = max(1, _BLOCK_BYTES // (8 * n_clusters))
    for start in range(0, len(codes), block):
        rows = slice(start, start + block)
        voters = membership(cluster_ids(codes[rows], ensemble.cluster_counts), table.shape[0])
        answer[rows] = ((voters @ table).toarray() + np.log(prior)).argmax(axis=1)
    answer[~is_labeled(codes).any(axis=1)] = MISSING
    return _where_seen(ensemble, labels, codes, answer)


def _overlaps(ensemble: Ensemble, labels: Array, n_clusters: int) -> sparse.csr_array:
    """Number of samples in each base cluster and consensus cluster."""
    rows, ones = np.arange(len(labels)), np.ones(len(labels))
    consensus = sparse.csr_array((ones, (rows, labels)), shape=(len(labels), n_clusters))
    return (ensemble.membership().T @ consensus).tocsr()


def _log_votes(overlaps: sparse.csr_array, prior: Array) -> sparse.csr_array:
    r"""Vote of each base cluster for each consensus cluster, relative to one without overlap.

    The smoothed log-ratio of a pair without overlap is :math:`-\log(|B| + 1)` for every
    consensus cluster. It does not change the result and is subtracted, so that the table is
    sparse.
    """
    votes = overlaps.astype(float)
    votes.data = np.log1p(votes.data / prior[votes.indices])
    return votes


def _where_seen(ensemble: Ensemble, labels: Array, codes: Array, answer: Array) -> Array:
    """Replace the predictions for rows that occurred in the fit by the labels of the fit."""
    seen = ensemble.microclusters()
    of_group = np.empty(len(seen.sizes), np.int64)
    of_group[seen.labels[::-1]] = labels[::-1]  # the first sample of the microcluster
    group = places_among(seen.rows, codes.astype(seen.rows.dtype))
    return np.where(is_labeled(group), of_group[group], answer)


def codes_of_features(models: Sequence[Any], X: Any) -> Array:
    """Cluster of each sample in each partition; -1 in partitions without a model."""
    nowhere = np.full(X.shape[0], MISSING)
    columns = [nowhere if model is None else np.asarray(model.predict(X)) for model in models]
    return np.stack(columns, axis=1)


def codes_of_labels(ensemble: Ensemble, labels: Any) -> Array:
    """Convert new rows of a label matrix to the numbers of the ensemble."""
    if isinstance(labels, Ensemble) or ensemble.label_names is None:
        message = (
            "predict_labels compares the original labels, which an Ensemble does not keep. Fit "
            "on the label matrix, and pass new rows of it."
        )
        raise InvalidInputError(message)
    read = read_label_matrix(labels, known=ensemble.label_names)
    _check_columns(ensemble, read)
    codes, unknown = translate_codes(read, ensemble.label_names)
    if unknown:
        message = (
            f"{unknown} of the {codes.size} labels did not occur in the fit. They are "
            f"treated as missing."
        )
        warnings.warn(message, UnknownLabelsWarning, stacklevel=3)
    return codes


def _check_columns(ensemble: Ensemble, read: LabelMatrix) -> None:
    """Raise an error if the columns are not those of the fit, by number or by name."""
    count, names = read.codes.shape[1], ensemble.partition_names
    if count != ensemble.n_partitions:
        message = (
            f"labels must have the {ensemble.n_partitions} partitions of the fit as columns. "
            f"Got {count}."
        )
        raise InvalidInputError(message)
    if names and read.partition_names and names != read.partition_names:
        message = (
            f"labels must have the columns of the fit, in their order: {list(names)}. "
            f"Got {list(read.partition_names)}."
        )
        raise InvalidInputError(message)
