"""
Good and bad base partitions
============================

A consensus is as good as what it combines, and often better than each part. The first figure
compares the partitions with each other, the second with the known classes.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import consensa as cs
from consensa.plotting import BaseQualityDisplay, PartitionAgreementDisplay

X, digits = load_digits(n_class=6, return_X_y=True)
X, digits = X[:400], digits[:400]
model = cs.TEA(6, generator=cs.RandomKMeans(20), random_state=0).fit(X)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
PartitionAgreementDisplay.from_estimator(model, ax=left)
BaseQualityDisplay.from_estimator(model, digits, ax=right)
plt.show()
