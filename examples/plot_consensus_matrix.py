"""
Who is with whom
================

The consensus matrix shows, for each pair of samples, in how many base partitions they share a
cluster. Bright blocks are clusters; light between two blocks means that the partitions
disagree.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import consensa as cs
from consensa.plotting import AffinityDisplay, ConfidenceDisplay

X, _ = load_wine(return_X_y=True)
result = cs.cluster(X, 3, random_state=0)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
AffinityDisplay.from_result(result, ax=left)
ConfidenceDisplay.from_result(result, ax=right)
plt.show()
