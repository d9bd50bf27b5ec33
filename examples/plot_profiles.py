"""
What the clusters are
=====================

Profiles name the features that set each cluster apart from all other samples.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import consensa as cs
from consensa.plotting import ClusterProfileDisplay

X = load_wine(as_frame=True).data
result = cs.cluster(X, 3, random_state=0)
ClusterProfileDisplay.from_result(X, result)

# %%
# The same in numbers: the three features with the largest effects of each cluster.

print(cs.cluster_profiles(X, result, n_top=3).round(2).to_string())
plt.show()
