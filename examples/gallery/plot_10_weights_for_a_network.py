"""
Weights for a network
=====================

A network is seldom trained on resampled data. Its loss is weighted instead, or its mini-batches are
drawn with weights. Here a small PyTorch network is trained without weights and in four weighted
ways, on the same split and with the same seeds. Thresholds are chosen from its logits. Without
PyTorch, this page shows recorded results.
`MLPClassifier` of scikit-learn cannot replace it: it has no weights for labels or single cells of
y, draws mini-batches itself, and supports sample weights only in newer versions.
"""

# %%
# Labels from frequent to rare
# ----------------------------

import matplotlib.pyplot as plt
import numpy as np

from rarelabels.datasets import make_multilabel
from rarelabels.decisions import ThresholdDecider
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
    from torch.utils.data import BatchSampler, DataLoader, TensorDataset

    from rarelabels.torch import LabelSampler
except ImportError:
    torch = None

X, y = make_multilabel(1600, 20, 12, signal=0.2, tail=1.2, sparse_output=False, random_state=0)
X_train, X_test, y_train, y_test = iterative_train_test_split(X, y, random_state=0)
print("training samples of each label:", y_train.sum(axis=0))

# %%
# Four kinds of weights
# ---------------------
# *pos_weight*: the positives of a label have the same total weight as its negatives. *class-aware*:
# a label is drawn, then one of its samples. *distribution-balanced*: the same draws, and a loss
# that corrects for samples of several labels, which are drawn too often. *local*: samples are drawn
# in proportion to the importance that MLUL uses.

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
    """Return the logits of training and test samples by a network with one hidden layer."""
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
    # The data set is indexed by a batch at once, so that nothing is collated.
    batches = BatchSampler(LabelSampler(draws, seed=seed), batch_size=64, drop_last=False)
    loader = DataLoader(TensorDataset(features, labels, weight), sampler=batches, batch_size=None)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.005)
    for _ in range(n_epochs):
        for some, target, cell_weights in loader:
            optimizer.zero_grad()
            (loss(network(some), target) * cell_weights).mean().backward()
            optimizer.step()
    with torch.no_grad():
        return [network(part) for part in (features, torch.tensor(X_test).float())]


# %%
# Results
# -------
# The table shows means and standard deviations of three seeds, macro-averaged over the labels: F at
# a probability of 0.5, which is a logit of 0; F at the thresholds that
# :class:`~rarelabels.decisions.ThresholdDecider` chooses from the logits of the training samples;
# and the area under the precision-recall curve, which does not depend on a threshold.


def measured(settings):
    """Return both F and the AUC-PR of three networks."""
    rows = []
    for seed in range(3):
        seen, logits = trained(seed, **settings)
        decided = ThresholdDecider().fit(seen, y_train).predict(logits)
        decisions = [(logits >= 0).int(), decided]
        rows.append([*(macro_f1(y_test, one) for one in decisions), macro_auc_pr(y_test, logits)])
    return rows


# Recorded with PyTorch 2.13.0 on one CPU.
RECORDED = {
    "plain": [[0.2049, 0.3366, 0.3116], [0.2053, 0.3411, 0.3243], [0.2112, 0.3192, 0.3171]],
    "pos_weight": [[0.3165, 0.3576, 0.3177], [0.3326, 0.3312, 0.3252], [0.3257, 0.3412, 0.3193]],
    "class-aware": [[0.3126, 0.3256, 0.3117], [0.3146, 0.3345, 0.3104], [0.2972, 0.3195, 0.3023]],
    "distribution-balanced": [
        [0.2773, 0.3213, 0.302],
        [0.3207, 0.3523, 0.3082],
        [0.3047, 0.3403, 0.2976],
    ],
    "local": [[0.2279, 0.3245, 0.3285], [0.2406, 0.3357, 0.334], [0.235, 0.3288, 0.3227]],
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
# those between seeds. AUC-PR, which measures the ranking of the samples, changes by 0.015 at most
# (the highest with *local* draws, the lowest with *distribution-balanced*). So choose thresholds
# first (:class:`~rarelabels.learners.ThresholdedClassifier`), and then test whether weights help.
