"""
A score that comes from the sorting
===================================

LTA, a published method, takes a Fourier transform along the samples. If the file is sorted by
class, it gains from the sorting; the same samples in another order score lower. `audit_order`
notices this without knowing the classes. LWGP, like the default, does not depend on the order.
"""

import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np

import consensa as cs
from consensa.metrics import adjusted_rand_index, audit_order
from consensa.plotting import OrderAgreementDisplay

warnings.simplefilter("ignore", cs.exceptions.OrderSensitivityWarning)
rng = np.random.RandomState(0)
truth = np.repeat([0, 1, 2], 40)  # sorted by class
labels = np.empty((120, 6), dtype=int)
for partition in labels.T:
    noisy = rng.uniform(size=120) < 0.5
    partition[:] = np.where(noisy, rng.randint(3, size=120), truth)

models = {
    "LTA": cs.LTA(3, penalty=0.03, generator="precomputed", random_state=0),
    "LWGP": cs.LWGP(3, generator="precomputed", random_state=0),
}
figure, axes = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
shuffled = rng.permutation(120)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    sorted_score = adjusted_rand_index(truth, model.fit_predict(labels))
    other_score = adjusted_rand_index(truth[shuffled], model.fit_predict(labels[shuffled]))
    print(f"{name}: ARI {sorted_score:.2f} sorted by class, {other_score:.2f} shuffled")
    OrderAgreementDisplay.from_audit(audit_order(model, labels, n_shuffles=4), ax=ax)
    ax.set_title(f"{name}: {sorted_score:.2f} sorted, {other_score:.2f} shuffled")
if len(sys.argv) > 1:  # the figure of the paper
    figure.savefig(sys.argv[1], dpi=150)
plt.show()
