"""
Several methods on one ensemble
===============================

All methods combine the same base partitions, so that only the method differs. Without known
classes, the agreement of the methods among themselves says how much depends on the choice.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import consensa as cs

X, digits = load_digits(return_X_y=True)
X, digits = X[:500], digits[:500]
ensemble = cs.RandomKMeans(10).generate(X, random_state=0)
compared = cs.compare_methods(
    ensemble, 10, methods=["tea", "lwea", "eac", "lwgp", "hbgf", "voting"], truth=digits
)
print("most typical:", compared.most_typical)

# %%
# Left: the agreement of the methods. Right: their scores against the known digits.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
shown = left.imshow(compared.agreement, vmin=0, vmax=1)
left.set_xticks(range(6), compared.names, rotation=45)
left.set_yticks(range(6), compared.names)
figure.colorbar(shown, ax=left, label="adjusted Rand index")
right.barh(compared.names, [scores["ari"] for scores in compared.scores])
right.set(xlabel="adjusted Rand index with the digits", xlim=(0, 1))
right.invert_yaxis()
plt.show()
