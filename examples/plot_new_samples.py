"""
Label new samples later
=======================

A result can be saved, and label new rows by the votes of the base partitions. The file holds
arrays and text, no code.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import consensa as cs

X, _ = make_blobs(300, centers=[[0, 0], [4, 0], [2, 3.5]], random_state=0)
result = cs.cluster(X[:200], 3, random_state=0)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.npz"
    cs.save_model(result, path)
    model = cs.load_model(path)
    grid = np.stack(np.meshgrid(np.linspace(-3, 7, 60), np.linspace(-3, 6.5, 60)), axis=-1)
    regions = model.predict(grid.reshape(-1, 2)).reshape(60, 60)
    new = model.predict(X[200:])

figure, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
ax.contourf(*np.moveaxis(grid, -1, 0), regions, levels=[-0.5, 0.5, 1.5, 2.5], alpha=0.25)
ax.scatter(*X[:200].T, c=result.labels, s=8)
ax.scatter(*X[200:].T, c=new, s=30, marker="*", edgecolor="black", linewidth=0.4, label="new")
ax.legend()
plt.show()
