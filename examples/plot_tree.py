"""
One tree, every number of clusters
==================================

Methods with a tree are cut again at any number of clusters without another fit. The second
figure follows the samples from two clusters to seven.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import consensa as cs
from consensa.plotting import DendrogramDisplay, TrackingDisplay

X, _ = load_iris(return_X_y=True)
ensemble = cs.RandomKMeans(30).generate(X, random_state=0)
result = cs.eac(ensemble, 3)
print([len(set(result.cut(k))) for k in (2, 3, 5)])

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
DendrogramDisplay.from_result(result, ax=left)
TrackingDisplay.from_result(result, range(2, 8), ax=right)
plt.show()
