"""
Thresholds, sampling, or an ensemble of samples
===============================================

Three ways to help a rare label: move its threshold, change its training data, or average several
learners that were fitted to different samples. They can be used alone and together.
"""

# %%
# Data and a plain learner
# ------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from rarelabels.datasets import make_multilabel
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import BinaryRelevance, ThresholdedClassifier
from rarelabels.metrics import macro_auc_pr, macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold
from rarelabels.sampling import MLSOL

X, Y = make_multilabel(500, 20, 6, signal=0.35, sparse_output=False, random_state=0)
tree = BinaryRelevance(DecisionTreeClassifier(min_samples_leaf=5), random_state=0)
models = {
    "plain": tree,
    "thresholds": ThresholdedClassifier(tree, cv=3, random_state=0),
    "one sample": ResampledClassifier(tree, MLSOL(), random_state=0),
    "five samples": SamplingEnsemble(tree, MLSOL(), threshold=None, random_state=0),
    "five samples\n+ thresholds": SamplingEnsemble(tree, MLSOL(), random_state=0),
}

# %%
# Scores on three folds
# ---------------------

folds = list(IterativeStratifiedKFold(3, shuffle=True, random_state=0).split(X, Y))
found = {}
for name, model in models.items():
    f, area = [], []
    for train, test in folds:
        model.fit(X[train], Y[train])
        f.append(macro_f1(Y[test], model.predict(X[test])))
        area.append(macro_auc_pr(Y[test], model.predict_proba(X[test])))
    found[name] = f, area
    print(f"{name!r:>28}: macro F {np.mean(f):.3f}, macro AUCPR {np.mean(area):.3f}")

# %%
# Thresholds change F but not the area under the precision-recall curve. The ensemble changes both.

figure, axes = plt.subplots(1, 2, figsize=(6.4, 4.4), layout="constrained", sharey=True)
for ax, place, title in zip(axes, (0, 1), ("macro F", "macro AUCPR"), strict=True):
    for row, values in enumerate(found.values()):
        ax.plot(values[place], [row] * len(values[place]), "o", color="0.7", ms=4)
        ax.plot(np.mean(values[place]), row, "D", color="#1d3557")
    ax.set(title=f"{title} and its mean", yticks=range(len(found)), yticklabels=list(found))
axes[0].invert_yaxis()
plt.show()

# %%
# Do the members differ?
# ----------------------
# An ensemble of equal members would gain nothing.

ensemble = models["five samples"].fit(X, Y)
print(f"predictions on which two members differ: {ensemble.disagreement(X):.1%}")
