"""
When labels are missing
=======================

Partitions need not label every sample: a clusterer calls some of them noise, an expert saw only
a part. Methods differ in how much of this they bear.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import consensa as cs
from consensa.metrics import adjusted_rand_index

rng = np.random.RandomState(0)
truth = np.repeat(np.arange(5), 60)
labels = np.column_stack([truth] * 20)
wrong = rng.uniform(size=labels.shape) < 0.35
labels[wrong] = rng.randint(5, size=wrong.sum())

shares = [0.0, 0.3, 0.5, 0.7, 0.8]
figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for method in ("tea", "lwgp", "hbgf", "eac"):
    scores = []
    for share in shares:
        kept = labels.copy()
        kept[rng.uniform(size=labels.shape) < share] = -1
        kept[(kept == -1).all(axis=1), 0] = 0  # every sample needs one label
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cs.exceptions.ThinEvidenceWarning)
            found = cs.combine(kept, 5, method=method, random_state=0)
        scores.append(adjusted_rand_index(truth, found.labels))
    ax.plot(100 * np.array(shares), scores, marker="o", label=method.upper())
ax.set(xlabel="missing labels, %", ylabel="adjusted Rand index", ylim=(-0.05, 1.05))
ax.legend()
plt.show()
