"""
Which labels can be trusted
===========================

Every sample has a confidence: how far the base partitions support its cluster. On the
handwritten digits, labels of high confidence are nearly always right, and the doubtful images
are those that people would ask about too.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_digits
from sklearn.metrics import confusion_matrix

import consensa as cs

X, digits = load_digits(return_X_y=True)
X, digits = X[:900], digits[:900]
result = cs.cluster(X, 10, random_state=0)

# %%
# Give each cluster the digit that fits best, and count what is right.

table = confusion_matrix(digits, result.labels)
digit_of = np.argsort(linear_sum_assignment(-table)[1])
right = digit_of[result.labels] == digits
order = np.argsort(-result.confidence)
print(f"right: {right.mean():.0%} of all, {right[order[:450]].mean():.0%} of the surer half")

# %%
# Left: the proportion of right labels among the most confident samples. Right: the least
# confident images, with the digit of their cluster.

figure = plt.figure(figsize=(9, 3.6), layout="constrained")
left, right_side = figure.subfigures(1, 2)
ax = left.subplots()
ax.plot(np.arange(1, 901) / 9, np.cumsum(right[order]) / np.arange(1, 901))
ax.set(xlabel="most confident samples, %", ylabel="right labels", ylim=(0.5, 1.02))
for ax, sample in zip(right_side.subplots(2, 4).ravel(), order[::-1], strict=False):
    ax.imshow(X[sample].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{digit_of[result.labels[sample]]}?", fontsize=10)
    ax.axis("off")
plt.show()
