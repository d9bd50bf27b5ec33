"""
Resampling, as in gene expression studies
=========================================

Draw 80 % of the samples, cluster them, repeat; count how often two samples are together when
both were drawn. This is the consensus clustering of Monti et al. `Bootstrap` draws, every
method that accepts missing labels combines.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering

import consensa as cs
from consensa.plotting import AffinityDisplay

rng = np.random.default_rng(0)
subtype = np.repeat([0, 1, 2], 20)
X = rng.normal(size=(60, 100))
for number in range(3):
    X[subtype == number, 20 * number : 20 * number + 20] += 1.3
X[:4, 20:40] += 1.3  # four patients between two subtypes

linkage = AgglomerativeClustering(linkage="average")
generator = cs.Bootstrap(60, clusterer=linkage, n_clusters=3, share=0.8, replace=False)
result = cs.EAC(3, generator=generator, random_state=0).fit(X).result_
print("least confident:", np.argsort(result.confidence)[:4])
AffinityDisplay.from_result(result)
plt.show()
