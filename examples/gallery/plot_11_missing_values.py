"""
A table with missing values
===========================

Measures and samplers support missing values, and so do some estimators, such as histogram gradient
boosting. Is this better than imputing the mean first?
"""

# %%
# A table with more and more missing values
# -----------------------------------------
# Two features, a category and three labels, the last two rare.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from rarelabels.datasets import make_local_imbalance
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance
from rarelabels.measures import limb
from rarelabels.metrics import macro_auc_pr
from rarelabels.model_selection import iterative_train_test_split
from rarelabels.sampling import MLSOL

numbers, Y = make_local_imbalance(800, difficulty=0.3, random_state=0)
y = pd.DataFrame(Y, columns=["frequent", "rare", "very rare"])
rng = np.random.default_rng(0)
whole = pd.DataFrame(
    {
        "length": numbers[:, 0],
        "width": numbers[:, 1],
        "place": pd.Categorical(np.where(rng.random(800) < 0.7, numbers[:, 0] > 0, True)),
    }
)
shares = [0.0, 0.1, 0.2, 0.4]


def with_gaps(share):
    """Remove a share of the cells at random."""
    return whole.mask(rng.random(whole.shape) < share)


def with_means(table):
    """Impute the mean, or the most frequent category."""
    filled = table.fillna(table[["length", "width"]].mean())
    return filled.fillna({"place": table["place"].mode()[0]})


print(with_gaps(0.2).head(4))

# %%
# Measures, samplers, trees
# -------------------------
# MLSOL searches for neighbors with missing values: a value that is missing in one of two samples
# counts like a category that differs. A synthetic sample may have missing values too.


def score(table):
    """Fit an ensemble to half of the samples, and score it on the others."""
    X_train, X_test, y_train, y_test = iterative_train_test_split(
        table, y, test_size=0.5, random_state=0
    )
    boosting = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=20)
    model = SamplingEnsemble(BinaryRelevance(boosting), MLSOL(), n_estimators=3, random_state=0)
    return macro_auc_pr(y_test, model.fit(X_train, y_train).predict_proba(X_test))


rows = []
for share in shares:
    table = with_gaps(share)
    filled = with_means(table)
    rows.append((limb(table, y), limb(filled, y), score(table), score(filled)))
found = np.array(rows)
for share, row in zip(shares, found, strict=True):
    print(f"{share:4.0%} missing: LImb {row[0]:.3f}, filled {row[1]:.3f}", end="; ")
    print(f"AUCPR {row[2]:.3f}, filled {row[3]:.3f}")

# %%
# Effect on local imbalance and scores
# ------------------------------------

figure, axes = plt.subplots(1, 2, figsize=(6.4, 4.4), layout="constrained")
for ax, columns, title in zip(axes, ((0, 1), (2, 3)), ("LImb", "macro AUCPR"), strict=True):
    for column, name in zip(columns, ("missing values", "means imputed"), strict=True):
        ax.plot(shares, found[:, column], marker="o", label=name)
    ax.set(xlabel="share of missing values", title=title)
axes[0].legend()
plt.show()
