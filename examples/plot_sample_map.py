"""
A map of the samples
====================

Two dimensions in which to look at the result: the clusters, the confidence, and the samples
that fit no cluster. The map is for the eye; the clusters were not computed from it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

import consensa as cs
from consensa.plotting import SampleMapDisplay

X = load_wine(as_frame=True).data
X.iloc[7] = X.iloc[7] * 3.0  # a row with a mistake of units
result = cs.cluster(X, 3, random_state=0)
SampleMapDisplay.from_result(X, result)

# %%
# The table behind it: one row a sample, with its confidence, its rival and its outlier mark.

table = cs.sample_table(result, X)
print(table.sort_values("confidence").head(3).round(2).to_string())
print("outliers:", np.flatnonzero(table["outlier"]))
plt.show()
