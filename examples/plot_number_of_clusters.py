"""
How many clusters?
==================

``n_clusters="auto"`` chooses the number. `select_n_clusters` shows the evidence for each
number, and whether the data have clusters at all, compared with reference data that have none.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

import consensa as cs
from consensa.plotting import NullReferenceDisplay, SelectionDisplay

X, _ = make_blobs(150, centers=4, cluster_std=1.0, random_state=3)
found = cs.select_n_clusters(X, range(2, 7), random_state=0)
print(found.finding)

# %%
# Left: the criteria. Right: the evidence beside that of the references.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
SelectionDisplay.from_selection(found, ax=left)
NullReferenceDisplay.from_selection(found, ax=right)
plt.show()
