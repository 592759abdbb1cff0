"""
A model for rare labels
=======================

`RareLabelClassifier` scores its training samples as if they were new. This example shows these
scores for a rare label, the threshold that is chosen on them, and how uncertain it is.
"""

# %%
# Fit the model
# -------------
# The rarest of six labels has few positives.

import matplotlib.pyplot as plt
import numpy as np

from rarelabels.datasets import make_local_imbalance
from rarelabels.decisions import threshold_report
from rarelabels.learners import RareLabelClassifier
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import iterative_train_test_split

X, y = make_local_imbalance(600, n_labels=6, difficulty=0.3, random_state=0)
X_train, X_test, y_train, y_test = iterative_train_test_split(X, y, random_state=0)
model = RareLabelClassifier(random_state=0).fit(X_train, y_train)
rarest = int(y_train.sum(axis=0).argmin())
print(f"label {rarest} has {y_train[:, rarest].sum()} positives of {len(y_train)} samples")
print(f"macro F on new samples: {macro_f1(y_test, model.predict(X_test)):.3f}")

# %%
# Scores and the threshold
# ------------------------
# The scores of the training samples come from models that have not seen them. The threshold is
# chosen on these scores, together with labels of similar frequency.

scores, has_label = model.out_of_sample_scores_[:, rarest], y_train[:, rarest] == 1
bins = np.linspace(scores.min(), scores.max(), 40)
figure, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.hist(scores[~has_label], bins, color="0.8", label="without the label")
ax.hist(scores[has_label], bins, color="C3", label="with the label")
ax.axvline(model.thresholds_[rarest], color="black", label="threshold")
ax.set(yscale="log", xlabel="out-of-sample score", ylabel="training samples")
ax.legend()
plt.show()

# %%
# Uncertainty of the threshold
# ----------------------------
# With few positives, the threshold is uncertain, and so are its precision and recall.

print(threshold_report(y_train, model.out_of_sample_scores_))

# %%
# Where a score comes from
# ------------------------
# For the new sample with the highest score, the output shows how much the kernel, the linear part
# and the forest add to the score, and the training samples with the label that contribute most.

best = int(model.decision_function(X_test)[:, rarest].argmax())
facts = model.explain(X_test[best : best + 1], label=rarest)[0]
for name in ("score", "kernel", "linear", "forest", "probability"):
    print(f"{name:>12} {facts[name]:6.2f}")
print("most similar training samples with the label:", facts["similar"].tolist())
