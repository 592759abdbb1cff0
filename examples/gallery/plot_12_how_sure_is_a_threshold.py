"""
Uncertainty of a threshold
==========================

Thresholds are chosen on the validation scores of a model. This example shows what precision and
recall to expect from each threshold, and how much this depends on a few positive samples.
"""

# %%
# Scores of a model
# -----------------
#
# Any model can be used. Here logistic regression replaces a network; its scores are logits.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from rarelabels.datasets import make_multilabel
from rarelabels.decisions import ThresholdDecider, threshold_report
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import iterative_train_test_split

X, y = make_multilabel(2000, 20, 8, signal=0.3, sparse_output=False, random_state=0)
X_train, X_rest, y_train, y_rest = iterative_train_test_split(X, y, test_size=0.6, random_state=0)
X_val, X_new, y_val, y_new = iterative_train_test_split(X_rest, y_rest, random_state=0)
network = MultiOutputClassifier(LogisticRegression()).fit(X_train, y_train)


def logits(samples):
    """Return one column of logits for each label."""
    return np.column_stack([model.decision_function(samples) for model in network.estimators_])


# %%
# Thresholds
# ----------

decider = ThresholdDecider().fit(logits(X_val), y_val)
print(f"macro F at logit 0: {macro_f1(y_new, (logits(X_new) >= 0).astype(int)):.3f}")
print(f"macro F with thresholds: {macro_f1(y_new, decider.predict(logits(X_new))):.3f}")

# %%
# Uncertainty
# -----------

report = threshold_report(y_val, logits(X_val), random_state=0)
print(report)

# %%
# The curves of the most and of the least frequent label. The shaded range holds 95 % of the
# thresholds that are chosen again on resampled data. Bars are the precision and recall to expect.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharey=True)
counts = y_val.sum(axis=0)
for ax, label in zip(axes, (counts.argmax(), counts.argmin()), strict=True):
    report.plot(int(label), ax)
    ax.set_title(f"{counts[label]} positives")
plt.show()
