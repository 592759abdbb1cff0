"""
Equally rare, not equally hard
==============================

In two data sets, the same samples have the same labels, so all global measures of imbalance are
equal. Only the positions of the samples differ, and with them the difficulty of the labels.
"""

# %%
# Generate the data
# -----------------
# With the same seed, data sets of different difficulty differ only in `X`.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from rarelabels.datasets import make_local_imbalance
from rarelabels.measures import LabelType, describe, label_types
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold

easy = make_local_imbalance(400, difficulty=0.0, random_state=1)
hard = make_local_imbalance(400, difficulty=0.8, random_state=1)
print("same labels:", np.array_equal(easy.Y, hard.Y))

# %%
# Measures
# --------
# All measures except the last are equal, because they do not use `X`.

found = {"easy": describe(*easy), "hard": describe(*hard)}
for name in ("mean_ir", "cvir", "mean_imr", "scumble", "limb"):
    print(f"{name:>8}", *(f"{found[kind].summary[name]:8.3f}" for kind in found))

# %%
# Types of samples
# ----------------
# The color shows the type of the samples of the rarest label: how many of the five nearest
# neighbors belong to the other class.

figure, axes = plt.subplots(1, 2, figsize=(6.4, 4.5), layout="constrained")
for ax, (ease, data) in zip(axes, {"easy": easy, "hard": hard}.items(), strict=True):
    types = label_types(*data)[:, -1]
    ax.scatter(*data.X[types == LabelType.MAJORITY].T, s=8, color="0.8", label="without the label")
    for kind in sorted(LabelType)[:4]:
        ax.scatter(*data.X[types == kind].T, s=22, color=kind.color, label=kind.name.lower())
    ax.set(title=f"{ease}: LImb = {found[ease].summary['limb']:.2f}", xticks=[], yticks=[])
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %%
# Does it matter to a learner?
# ----------------------------
# The F-measure of each label with the same classifier, over five folds.

for kind, (X, Y) in {"easy": easy, "hard": hard}.items():
    scores = []
    for train, test in IterativeStratifiedKFold(5).split(X, Y):
        learner = KNeighborsClassifier().fit(X[train], Y[train])
        scores.append(macro_f1(Y[test], learner.predict(X[test])))
    print(f"{kind}: macro F = {np.mean(scores):.2f}")
