"""
Clusters of any shape
=====================

k-means cuts space into convex cells. The default of Consensa combines partitions of several
kinds (graph cuts, trees, mixtures, embeddings and k-means), and needs no setting for the shape.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons

import consensa as cs

stretched, _ = make_blobs(300, centers=3, random_state=170)
data = {
    "moons": (make_moons(300, noise=0.07, random_state=0)[0], 2),
    "circles": (make_circles(300, factor=0.5, noise=0.05, random_state=0)[0], 2),
    "stretched": (stretched @ np.array([[0.6, -0.64], [-0.41, 0.85]]), 3),
}

# %%
# One row a method, one column a data set; the number of clusters is given to both.

figure, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
for column, (name, (X, k)) in zip(axes.T, data.items(), strict=True):
    answers = {
        "k-means": KMeans(k, n_init=10, random_state=0).fit_predict(X),
        "consensa.cluster": cs.cluster(X, k, random_state=0).labels,
    }
    for ax, (method, labels) in zip(column, answers.items(), strict=True):
        ax.scatter(*X.T, c=labels, s=8, cmap="viridis")
        ax.set(title=f"{name}: {method}", xticks=[], yticks=[])
plt.show()
