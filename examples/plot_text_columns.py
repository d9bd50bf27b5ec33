"""
Numbers and text together
=========================

A frame with text columns is taken as it is. Each text column has the weight of one numeric
column, and none if it is independent of all others, so that a column of noise does no harm.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import consensa as cs

rng = np.random.default_rng(0)
kind = rng.permutation(np.repeat(["city", "estate", "van"], 50))
table = pd.DataFrame(
    {
        "length": rng.normal(pd.Series(kind).map({"city": 3.6, "estate": 4.7, "van": 4.9}), 0.15),
        "height": rng.normal(pd.Series(kind).map({"city": 1.5, "estate": 1.5, "van": 1.9}), 0.06),
        "doors": pd.Series(kind).map({"city": "three", "estate": "five", "van": "sliding"}),
        "color": rng.choice(["red", "blue", "gray"], size=150),  # says nothing
    }
)
swapped = rng.uniform(size=150) < 0.1
table.loc[swapped, "doors"] = "five"
result = cs.cluster(table, 3, random_state=0)
print(result.details["space"])

# %%
# Lengths of the three clusters; the colors of the cars do not matter.

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
counts = pd.crosstab(pd.Series(kind, name="kind"), pd.Series(result.labels, name="cluster"))
print(counts)
ax.hist([table["length"][result.labels == c] for c in range(3)], bins=25, stacked=True)
ax.set(xlabel="length, m", ylabel="cars", title="Clusters from length, height and doors")
plt.show()
