"""
What MLUL removes
=================

MLUL keeps rows in proportion to their importance: how hard a row's own neighbourhood is, plus
how far it helps or harms the minority rows it is a neighbour of.
"""

# %%
# Importance, row by row
# ----------------------
# `weights_` and `influence_` are the two parts; their sum, shifted so that the lowest is 0, is
# `importance_`.

import matplotlib.pyplot as plt
import numpy as np

from rarelabels.datasets import make_local_imbalance
from rarelabels.measures import limb
from rarelabels.sampling import MLRUS, MLUL

X, Y = make_local_imbalance(400, difficulty=0.6, random_state=2)
sampler = MLUL(sampling_ratio=0.25, random_state=0)
X_new, Y_new = sampler.fit_resample(X, Y)
removed = np.setdiff1d(np.arange(len(X)), sampler.sample_indices_)

n_labels = Y.sum(axis=1)
print("rows without labels:", f"{(n_labels == 0).mean():.0%} of all,", end=" ")
print(f"{(n_labels[removed] == 0).mean():.0%} of those removed")
harmful = sampler.influence_ < 0
print(f"rows that harm a neighbour: {harmful.mean():.0%} of all,", end=" ")
print(f"{harmful[removed].mean():.0%} of those removed")

# %%
# On the plane
# ------------
# Rows far from any minority row help nobody and harm nobody: they are pale.

figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained", sharey=True)
limit = np.abs(sampler.influence_).max()
dots = axes[0].scatter(*X.T, c=sampler.influence_, cmap="RdBu", vmin=-limit, vmax=limit, s=20)
figure.colorbar(dots, ax=axes[0], label="influence on the rows around it")
axes[0].set(title="Who helps (blue) and who harms (red)", xticks=[], yticks=[])
axes[1].scatter(*X_new.T, s=12, c=np.where(Y_new.any(axis=1), "#1d3557", "0.8"))
axes[1].scatter(*X[removed].T, s=22, marker="x", lw=1, color="#c1121f", label="removed")
axes[1].set(title="Kept (dark: with a label) and removed", xticks=[], yticks=[])
axes[1].legend(loc="lower right")
plt.show()

# %%
# Is the rest easier?
# -------------------
# LImb of what is left, over ten seeds, beside that of MLRUS, which removes as many rows of the
# frequent labels without looking where they lie.

print(f"as it came: {limb(X, Y):.3f}")
for make in (MLUL, MLRUS):
    left = [
        limb(*make(sampling_ratio=0.25, random_state=seed).fit_resample(X, Y)) for seed in range(10)
    ]
    print(f"{make.__name__:>10}: {np.mean(left):.3f} ± {np.std(left):.3f}")
