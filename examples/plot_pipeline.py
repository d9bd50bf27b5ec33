"""
Inside scikit-learn
===================

Every method is a scikit-learn estimator: it can be cloned, put into a pipeline, and searched
over. Here a grid search compares methods and generators by a score of its own.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.metrics import silhouette_score
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import consensa as cs

X, _ = load_iris(return_X_y=True)
model = make_pipeline(StandardScaler(), cs.LWEA(3, random_state=0))
grid = ParameterGrid(
    {"lwea__generator": [cs.RandomKMeans(20), cs.GraphCuts(10)], "lwea__n_clusters": [2, 3, 4]}
)
scores = np.array([silhouette_score(X, model.set_params(**p).fit_predict(X)) for p in grid])

figure, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
names = [f"{type(p['lwea__generator']).__name__}, k = {p['lwea__n_clusters']}" for p in grid]
ax.barh(names, scores)
ax.set(xlabel="silhouette of the clusters")
plt.show()
