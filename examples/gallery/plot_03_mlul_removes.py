"""
What MLUL removes
=================

MLUL keeps samples in proportion to their importance: how hard a sample's own neighborhood is, plus
how far it helps or harms the minority samples it is a neighbor of.
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
# On the plane
# ------------
# Samples far from any minority sample help nobody and harm nobody: they are pale.

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
# Is the rest easier?
# -------------------
# LImb of what is left, over ten seeds, beside that of MLRUS, which removes as many samples of the
# frequent labels without looking where they lie.

print(f"as it came: {limb(X, Y):.3f}")
for make in (MLUL, MLRUS):
    left = [
        limb(*make(sampling_ratio=0.25, random_state=seed).fit_resample(X, Y)) for seed in range(10)
    ]
    print(f"{make.__name__:>10}: {np.mean(left):.3f} ± {np.std(left):.3f}")
