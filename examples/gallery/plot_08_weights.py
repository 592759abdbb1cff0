"""
Weights instead of samples
==========================

The weights by which MLSOL and MLUL draw samples can also be used directly: for learners with
`sample_weight`, and for loaders that draw mini-batches. No sample is added or removed.
"""

# %%
# Three numbers for each sample
# -----------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from rarelabels.datasets import make_local_imbalance
from rarelabels.metrics import label_auc_pr, label_f1
from rarelabels.model_selection import iterative_train_test_split
from rarelabels.weights import local_weights

X, Y = make_local_imbalance(800, difficulty=0.4, random_state=0)
X_train, X_test, Y_train, Y_test = iterative_train_test_split(X, Y, random_state=0)
found = local_weights(X_train, Y_train)
for name in ("weights", "influence", "importance"):
    values = getattr(found, name)
    print(f"{name:>10}: from {values.min():.4f} to {values.max():.4f}")

# %%
# As sample weights
# -----------------
# `w` is 0 for every sample without a minority class, so it is added to 1. On average a sample then
# counts twice, and hard samples count more.

weight = 1 + len(X_train) * found.weights / found.weights.sum()


def fitted(sample_weight=None):
    """One logistic regression on polynomials for each label."""
    scores = np.empty(Y_test.shape)
    for j in range(Y_train.shape[1]):
        learner = make_pipeline(
            StandardScaler(), PolynomialFeatures(4), StandardScaler(), LogisticRegression(C=10)
        )
        learner.fit(X_train, Y_train[:, j], logisticregression__sample_weight=sample_weight)
        scores[:, j] = learner.predict_proba(X_test)[:, 1]
    return scores


results = {"plain": fitted(), "weighted": fitted(weight)}
for name, scores in results.items():
    print(name, label_f1(Y_test, (scores > 0.5).astype(int)).values.round(3), end=" ")
    print(label_auc_pr(Y_test, scores).values.round(3))

# %%
# Recall of the rare labels rises and precision falls. Whether F gains depends on the label.

figure, ax = plt.subplots(figsize=(5.6, 3.8), layout="constrained")
for place, (name, scores) in enumerate(results.items()):
    hit = (scores > 0.5) & (Y_test == 1)
    recall = hit.sum(axis=0) / Y_test.sum(axis=0)
    ax.bar(np.arange(3) + 0.35 * place, recall, 0.35, label=name)
ax.set(ylabel="recall", ylim=(0, 1.1), xticks=np.arange(3) + 0.17)
ax.set_xticklabels([f"label {j}\n{n} training samples" for j, n in enumerate(Y_train.sum(axis=0))])
ax.legend(ncols=2, loc="upper center")
plt.show()

# %%
# As probabilities of a loader
# ----------------------------
# A loader that draws samples by their importance leaves out those that MLUL would remove
# first. With PyTorch it is `WeightedRandomSampler(found.importance, num_samples=len(X_train))`;
# here NumPy draws one epoch.

rng = np.random.default_rng(0)
chances = found.importance / found.importance.sum()
epoch = rng.choice(len(X_train), size=len(X_train), p=chances)
print("share of samples with each label, before: ", Y_train.mean(axis=0).round(3))
print("share of samples with each label, in the epoch:", Y_train[epoch].mean(axis=0).round(3))
