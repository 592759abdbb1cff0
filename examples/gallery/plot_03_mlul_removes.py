"""
What MLUL removes
=================

MLUL keeps samples in proportion to their importance: how hard the neighborhood of a sample is,
plus how much it helps or harms the minority samples of which it is a neighbor.
"""

# %%
# Importance, sample by sample
# ----------------------------
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
print("samples without labels:", f"{(n_labels == 0).mean():.0%} of all,", end=" ")
print(f"{(n_labels[removed] == 0).mean():.0%} of those removed")
harmful = sampler.influence_ < 0
print(f"samples that harm a neighbor: {harmful.mean():.0%} of all,", end=" ")
print(f"{harmful[removed].mean():.0%} of those removed")

# %%
# Importance in the plane
# -----------------------
# Samples that are far from all minority samples neither help nor harm: they are pale.

figure, axes = plt.subplots(1, 2, figsize=(6.4, 4.5), layout="constrained", sharey=True)
limit = np.abs(sampler.influence_).max()
dots = axes[0].scatter(*X.T, c=sampler.influence_, cmap="RdBu", vmin=-limit, vmax=limit, s=20)
figure.colorbar(dots, ax=axes[0], location="bottom", label="influence on the samples around it")
axes[0].set(title="helps (blue) and harms (red)", xticks=[], yticks=[])
axes[1].scatter(*X_new.T, s=12, c=np.where(Y_new.any(axis=1), "#1d3557", "0.8"))
axes[1].scatter(*X[removed].T, s=22, marker="x", lw=1, color="#c1121f", label="removed")
axes[1].set(title="kept (dark: with a label)", xticks=[], yticks=[])
axes[1].legend(loc="upper center", bbox_to_anchor=(0.5, 0))
plt.show()

# %%
# Is the remaining data easier?
# -----------------------------
# LImb after MLUL and after MLRUS, over ten seeds. MLRUS removes as many samples of the frequent
# labels, but does not consider their neighbors.

print(f"before: {limb(X, Y):.3f}")
for make in (MLUL, MLRUS):
    left = [
        limb(*make(sampling_ratio=0.25, random_state=seed).fit_resample(X, Y)) for seed in range(10)
    ]
    print(f"{make.__name__:>10}: {np.mean(left):.3f} ± {np.std(left):.3f}")
