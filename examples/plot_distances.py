"""
Distances instead of features
=============================

Words, sequences or graphs have no columns, but distances. ``metric="precomputed"`` takes their
square matrix.
"""

import matplotlib.pyplot as plt
import numpy as np

import consensa as cs

WORDS = [
    *("nation", "nations", "national", "nationally", "international"),
    *("connect", "connected", "connection", "connecting", "connections"),
    *("compute", "computer", "computing", "computers", "computation"),
    *("cluster", "clusters", "clustering", "clustered", "reclustering"),
]


def edits(one, other):
    """Levenshtein distance."""
    row = np.arange(len(other) + 1)
    for letter in one:
        above, row = row, np.r_[row[0] + 1, row[1:]]
        for j, wanted in enumerate(other):
            row[j + 1] = min(above[j + 1] + 1, row[j] + 1, above[j] + (letter != wanted))
    return row[-1]


distances = np.array([[edits(a, b) for b in WORDS] for a in WORDS], dtype=float)
result = cs.cluster(distances, 4, metric="precomputed", random_state=0)
for cluster in range(4):
    print(", ".join(w for w, c in zip(WORDS, result.labels, strict=True) if c == cluster))

# %%
# The distances, ordered by cluster.

order = np.argsort(result.labels, kind="stable")
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.imshow(distances[np.ix_(order, order)], cmap="viridis_r")
ax.set_yticks(range(len(WORDS)), [WORDS[i] for i in order], fontsize=8)
ax.set_xticks([])
plt.show()
