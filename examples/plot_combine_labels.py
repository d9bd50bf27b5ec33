"""
Combine clusterings that you have
=================================

Labels of several programs or people, with other names for the same clusters and with gaps, are
columns of one table. `combine` needs nothing else.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_moons

import consensa as cs

X, _ = make_moons(240, noise=0.08, random_state=1)
left_or_right = np.where(X[:, 0] < 0.5, "left", "right").astype(object)
left_or_right[np.abs(X[:, 0] - 0.5) < 0.2] = None  # someone who was not sure in the middle
labels = {
    "k-means, 6": KMeans(6, n_init=3, random_state=0).fit_predict(X),
    "DBSCAN": DBSCAN(eps=0.17).fit_predict(X),  # -1 is noise: a missing label
    "single linkage, 4": AgglomerativeClustering(4, linkage="single").fit_predict(X),
    "k-means, 9": KMeans(9, n_init=3, random_state=0).fit_predict(X),
    "by eye": left_or_right,
}
table = np.column_stack([np.asarray(column, dtype=object) for column in labels.values()])
result = cs.combine(table, 2)
print(result)

# %%
# The five partitions, and their consensus.

figure, axes = plt.subplots(2, 3, figsize=(9, 5.5), layout="constrained")
codes = np.column_stack([result.ensemble.codes, result.labels])
for ax, name, column in zip(axes.ravel(), [*labels, "consensus"], codes.T, strict=True):
    known = column >= 0
    ax.scatter(*X[known].T, c=column[known], s=8, cmap="tab10")
    ax.scatter(*X[~known].T, c="0.8", s=8)
    ax.set(title=name, xticks=[], yticks=[])
plt.show()
