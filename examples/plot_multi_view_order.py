"""
Multi-view clustering along the samples
=======================================

A Fourier transform along the samples, and what the order of the rows does to it.

Tensor methods for multi-view clustering, such as t-SVD-MSC [1] and ETLMSC [2], stack one n × n
matrix for each view and rotate the tensor to n × views × n before they take its t-SVD, so that the
Fourier transform runs along the samples, as in LTA and GTLEC. This example has a model of that
kind, written from its formula (transition matrices of the views, the tensor nuclear norm and an
error of whole samples), on synthetic views. It says nothing about published results, which were
computed by other programs on other data: it shows the test, which takes one line.

Run it with a file name to write the figure: ``python plot_multi_view_order.py order.png``.

- [1] Y. Xie, D. Tao, W. Zhang, Y. Liu, L. Zhang and Y. Qu, "On unifying multi-view
  self-representations for clustering by tensor multi-rank minimization", IJCV 2018.
- [2] J. Wu, Z. Lin and H. Zha, "Essential tensor learning for multi-view spectral clustering",
  IEEE TIP 2019.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from consensa.metrics import audit_order, normalized_mutual_information
from consensa.partition import cut_by_spectrum
from consensa.plotting import OrderAgreementDisplay
from consensa.tensor import prox_tensor_nuclear_norm

N_VIEWS, N_COLUMNS, N_CLASSES = 3, 4, 4


def transitions(rows):
    """A transition matrix for each view: (n, views, n)."""
    matrices = []
    for view in np.split(rows, N_VIEWS, axis=1):
        weights = rbf_kernel(view, gamma=1 / (2 * view.shape[1]))
        np.fill_diagonal(weights, 0)
        matrices.append(weights / weights.sum(axis=1, keepdims=True))
    return np.stack(matrices, axis=1)


def spectral(tensor, n_clusters):
    """Labels by spectral clustering of the sum over the views."""
    affinity = np.abs(tensor).sum(axis=1)
    np.fill_diagonal(affinity, 0)
    return cut_by_spectrum((affinity + affinity.T) / 2, n_clusters, random_state=0)


def along_samples(rows, n_clusters, penalty=0.01, n_iter=40):
    """Minimize ‖Z‖ + penalty Σ ‖E of a sample‖ with Z + E = P, by an augmented Lagrangian."""
    given = transitions(rows)
    error, multiplier = np.zeros_like(given), np.zeros_like(given)
    step = len(rows) / 20
    for _ in range(n_iter):
        low_rank = prox_tensor_nuclear_norm(given - error + multiplier / step, 1 / step)
        error = given - low_rank + multiplier / step
        sizes = np.sqrt((error**2).sum(axis=(0, 1), keepdims=True))
        error *= np.maximum(1 - penalty / step / np.maximum(sizes, 1e-12), 0)
        multiplier += step * (given - low_rank - error)
        step *= 1.3
    return spectral(low_rank, n_clusters)


rng = np.random.RandomState(0)
truth = np.repeat(np.arange(N_CLASSES), 30)  # the file is sorted by class
centers = 0.6 * rng.normal(size=(N_CLASSES, N_VIEWS * N_COLUMNS))
X = centers[truth] + rng.normal(size=(len(truth), N_VIEWS * N_COLUMNS))

audit = audit_order(along_samples, X, n_clusters=N_CLASSES, n_shuffles=3, n_seeds=0)
plain = normalized_mutual_information(truth, spectral(transitions(X), N_CLASSES))
stored = normalized_mutual_information(truth, audit.labels)
shuffled = [normalized_mutual_information(truth, labels) for labels in audit.shuffled_labels]
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
OrderAgreementDisplay.from_audit(audit, ax=axes[0])
names = ["no tensor", "as stored", "shuffled", "shuffled", "shuffled"]
axes[1].bar(range(len(names)), [plain, stored, *shuffled], tick_label=names)
axes[1].set_ylabel("NMI")
figure.suptitle(audit.verdict, fontsize="small", wrap=True)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=60)
else:
    plt.show()
