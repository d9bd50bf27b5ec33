"""
Every figure of one consensus
=============================

All displays of one consensus, and of the choice of its number of clusters.
Run it with a file name to write the figure: ``python examples/plot_pictures.py pictures.png``.
"""

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import consensa as cs
from consensa import plotting

X, truth = load_digits(n_class=6, return_X_y=True)
X, truth = X[:600], truth[:600]
model = cs.TEA(6, generator=cs.RandomKMeans(12), random_state=0).fit(X)
selection = cs.select_n_clusters(X, range(2, 11), random_state=0)

figure, axes = plt.subplots(5, 2, figsize=(14, 24), layout="constrained")
axes = axes.ravel()
plotting.AffinityDisplay.from_estimator(model, ax=axes[0])
plotting.DendrogramDisplay.from_estimator(model, ax=axes[1])
plotting.ConfidenceDisplay.from_estimator(model, ax=axes[2])
plotting.TrackingDisplay.from_selection(selection, ax=axes[3])
plotting.PartitionAgreementDisplay.from_estimator(model, ax=axes[4])
plotting.BaseQualityDisplay.from_estimator(model, truth, ax=axes[5])
plotting.SelectionDisplay.from_selection(selection, ax=axes[6])
plotting.NullReferenceDisplay.from_selection(selection, ax=axes[7])
plotting.ConsensusCDFDisplay.from_selection(selection, ax=axes[8])
plotting.DeltaAreaDisplay.from_selection(selection, ax=axes[9])

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=60)
else:
    plt.show()
