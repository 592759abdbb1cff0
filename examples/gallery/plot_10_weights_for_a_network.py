"""
Weights for a network
=====================

A network is seldom trained on resampled data. Its loss is weighted instead, or its mini-batches are
drawn with weights. Here a small PyTorch network is trained without weights and in four weighted
ways, on the same split and with the same seeds. Without PyTorch, this page shows recorded results.
`MLPClassifier` of scikit-learn cannot replace it: it has no weights for labels or single cells of
y, draws mini-batches itself, and supports sample weights only in newer versions.
"""

# %%
# Labels from frequent to rare
# ----------------------------

import matplotlib.pyplot as plt
import numpy as np

from rarelabels.datasets import make_multilabel
from rarelabels.learners import best_f_thresholds
from rarelabels.metrics import macro_auc_pr, macro_f1
from rarelabels.model_selection import iterative_train_test_split
from rarelabels.weights import (
    class_aware_probabilities,
    distribution_balanced_weights,
    local_weights,
    positive_weights,
)

try:
    import torch
except ImportError:
    torch = None

X, y = make_multilabel(1600, 20, 12, signal=0.2, tail=1.2, sparse_output=False, random_state=0)
X_train, X_test, y_train, y_test = iterative_train_test_split(X, y, random_state=0)
print("training samples of each label:", y_train.sum(axis=0))

# %%
# Four ways to weigh
# ------------------
# *pos_weight*: the positives of a label count as much as its negatives. *class-aware*: a label is
# drawn, then one of its samples. *distribution-balanced*: the same draws, and a loss that takes
# back what samples of several labels get too often. *local*: samples drawn by the importance that
# MLUL keeps them by.

chances = class_aware_probabilities(y_train)
SCHEMES = {
    "plain": {},
    "pos_weight": {"pos_weight": positive_weights(y_train)},
    "class-aware": {"chances": chances},
    "distribution-balanced": {
        "chances": chances,
        "cells": distribution_balanced_weights(y_train),
    },
    "local": {"chances": local_weights(X_train, y_train).probabilities},
}


def trained(seed, chances=None, pos_weight=None, cells=None, n_epochs=20):
    """Return the training and the test scores of a network with one hidden layer."""
    torch.manual_seed(seed)
    features, labels = (torch.tensor(part, dtype=torch.float32) for part in (X_train, y_train))
    weight = torch.ones_like(labels) if cells is None else torch.tensor(cells).float()
    if pos_weight is not None:
        pos_weight = torch.tensor(pos_weight, dtype=torch.float32)
    network = torch.nn.Sequential(
        torch.nn.Linear(X.shape[1], 64), torch.nn.ReLU(), torch.nn.Linear(64, y.shape[1])
    )
    loss = torch.nn.BCEWithLogitsLoss(reduction="none", pos_weight=pos_weight)
    draws = np.full(len(labels), 1 / len(labels)) if chances is None else chances
    sampler = torch.utils.data.WeightedRandomSampler(draws, num_samples=len(labels))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.005)
    for _ in range(n_epochs):
        for batch in torch.tensor(list(sampler)).split(64):
            optimizer.zero_grad()
            errors = loss(network(features[batch]), labels[batch]) * weight[batch]
            errors.mean().backward()
            optimizer.step()
    with torch.no_grad():
        unseen = torch.tensor(X_test, dtype=torch.float32)
        return [torch.sigmoid(network(part)).numpy() for part in (features, unseen)]


# %%
# Results
# -------
# Scores of three seeds each, macro-averaged over the labels: F at a threshold of 0.5, F at the
# thresholds that are best on the training samples, and the area under the precision-recall curve,
# which does not depend on a threshold.


def measured(settings):
    """Return both F and the AUC-PR of three networks."""
    rows = []
    for seed in range(3):
        seen, scores = trained(seed, **settings)
        thresholds = best_f_thresholds(y_train, seen)
        decisions = [(scores >= cut).astype(int) for cut in (0.5, thresholds)]
        rows.append([*(macro_f1(y_test, one) for one in decisions), macro_auc_pr(y_test, scores)])
    return rows


# Recorded with PyTorch 2.13.0 on one CPU.
RECORDED = {
    "plain": [[0.1994, 0.3058, 0.3053], [0.2056, 0.3348, 0.3287], [0.2, 0.3258, 0.3098]],
    "pos_weight": [[0.3192, 0.3472, 0.3212], [0.3344, 0.3517, 0.3357], [0.3225, 0.341, 0.3179]],
    "class-aware": [[0.2875, 0.3174, 0.3005], [0.3459, 0.3519, 0.3288], [0.2876, 0.3074, 0.2938]],
    "distribution-balanced": [
        [0.2958, 0.3265, 0.3129],
        [0.3196, 0.3435, 0.323],
        [0.3071, 0.3132, 0.2997],
    ],
    "local": [[0.2124, 0.3409, 0.3161], [0.2024, 0.3609, 0.3269], [0.2185, 0.323, 0.3136]],
}

if torch is None:
    print("PyTorch is not installed: recorded scores are shown.")
    results = {name: np.array(values) for name, values in RECORDED.items()}
else:
    torch.set_num_threads(1)
    results = {name: np.array(measured(settings)) for name, settings in SCHEMES.items()}

COLUMNS = ("F at 0.5", "F, thresholds", "AUC-PR")
print(f"{'':>22}" + "".join(f"{title:>16}" for title in COLUMNS))
for name, values in results.items():
    pairs = zip(values.mean(axis=0), values.std(axis=0, ddof=1), strict=True)
    print(f"{name:>22}" + "".join(f"{mean:8.3f} ± {std:.3f}" for mean, std in pairs))

figure, axes = plt.subplots(1, 3, figsize=(6.8, 4.4), layout="constrained", sharey=True)
for column, (ax, title) in enumerate(zip(axes, COLUMNS, strict=True)):
    for place, values in enumerate(results.values()):
        ax.plot(values[:, column], np.full(len(values), place), "o", alpha=0.6)
    ax.set(title=title, yticks=range(len(results)), yticklabels=list(results))
axes[0].invert_yaxis()
plt.show()

# %%
# Weights helped only in place of a threshold. At 0.5, the plain network hardly predicts a rare
# label, and *pos_weight*, *class-aware* and *distribution-balanced* raise F by half. With
# thresholds, the plain network gains as much, and the remaining differences are about as large as
# those between seeds. No weights improve the ranking of the samples, which AUC-PR measures, by more
# than that, except perhaps *pos_weight*. *Local* draws change neither here. So choose thresholds
# first (:class:`~rarelabels.learners.ThresholdedClassifier`), and then test whether weights help.
