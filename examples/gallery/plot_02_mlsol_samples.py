"""
Where MLSOL puts its samples
============================

MLSOL draws a seed, one of its neighbors, and a point between them. Which label the point gets
depends on the type of the sample that holds the minority class: safe, borderline, rare or outlier.
"""

# %%
# One label, four types
# ---------------------
# The label has a dense group, samples around it, a pair far away, and a single sample among others.

import matplotlib.pyplot as plt
import numpy as np

from rarelabels.measures import LabelType, label_types
from rarelabels.sampling import MLSOL

rng = np.random.default_rng(3)
group = rng.normal([0.25, 0.6], 0.06, size=(22, 2))
fringe = rng.uniform([0.3, 0.35], [0.5, 0.75], size=(10, 2))
pair = np.array([[0.80, 0.30], [0.83, 0.27]])
alone = np.array([[0.75, 0.85]])
others = rng.uniform(0, 1, size=(170, 2))
others = others[np.hypot(*(others - [0.25, 0.6]).T) > 0.12]
X = np.vstack([group, fringe, pair, alone, others])
y = np.zeros((len(X), 1), dtype=int)
y[: len(X) - len(others)] = 1

types = label_types(X, y).ravel()
print({kind.name.lower(): int((types == kind).sum()) for kind in LabelType})

# %%
# New samples
# -----------
# Circles are samples of the data, and crosses are new samples. Between a sample with the label and
# one without, a new sample always gets the label if the former is *rare*. It gets the label within
# three quarters of the way if it is *borderline*, and within half of the way if it is *safe*.
# Outliers are never seeds, and as neighbors of a seed they do not pass on their label.

sampler = MLSOL(sampling_ratio=0.6, random_state=0)
X_new, y_new = sampler.fit_resample(X, y)
made = sampler.is_synthetic_

figure, axes = plt.subplots(1, 2, figsize=(6.4, 4.6), layout="constrained", sharey=True)
for ax in axes:
    ax.scatter(*X[types == LabelType.MAJORITY].T, s=12, color="0.8", label="without the label")
    for kind in sorted(LabelType)[:4]:
        chosen = types == kind
        ax.scatter(*X[chosen].T, s=36, color=kind.color, label=kind.name.lower(), edgecolor="white")
    ax.set(xticks=[], yticks=[])
with_label = y_new[:, 0] == 1
axes[0].set_title("The data")
axes[1].set_title("… and MLSOL's samples")
axes[1].scatter(
    *X_new[made & with_label].T, marker="x", s=26, lw=1, color="#1d3557", label="new, with"
)
axes[1].scatter(
    *X_new[made & ~with_label].T, marker="x", s=20, lw=1, color="0.55", label="new, without"
)
figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=4)
plt.show()

# %%
# Seeds
# -----
# The probability of a seed is proportional to its weight. It is 0 for outliers and for samples
# whose neighbors are all of the same class, and highest if most but not all neighbors differ.

seeds = sampler.sample_indices_[made]
for kind in ("SAFE", "BORDERLINE", "RARE", "OUTLIER"):
    samples = types == LabelType[kind]
    share = sampler.weights_[samples].sum() / sampler.weights_.sum()
    drawn = np.isin(seeds, np.flatnonzero(samples)).mean()
    print(
        f"{kind.lower():>10}: {samples.sum():3d} samples, weight {share:4.0%}, "
        f"seeds drawn {drawn:4.0%}"
    )
