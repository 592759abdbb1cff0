"""
Comparing samplers with statistical tests
=========================================

Several data sets, several samplers, one learner: a table of scores, then ranks, a test of whether
any differ, and tests of which pairs do.
"""

# %%
# A table of scores
# -----------------
# Rows are data sets of growing difficulty, columns are samplers, higher is better. Each score is
# the mean over two folds.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rarelabels.comparison import (
    average_ranks,
    critical_difference_plot,
    friedman_test,
    wilcoxon_bergmann_hommel,
)
from rarelabels.datasets import make_local_imbalance
from rarelabels.ensemble import ResampledClassifier
from rarelabels.learners import BinaryRelevance
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold
from rarelabels.sampling import MLROS, MLRUS, MLSMOTE, MLSOL, MLUL

samplers = {
    "none": None,
    "MLROS": MLROS(),
    "MLRUS": MLRUS(),
    "MLSMOTE": MLSMOTE(),
    "MLSOL": MLSOL(),
    "MLUL": MLUL(),
}


def score(sampler, X, Y):
    """Mean macro F over two folds."""
    found = []
    for train, test in IterativeStratifiedKFold(2).split(X, Y):
        model = BinaryRelevance(random_state=0)
        if sampler is not None:
            model = ResampledClassifier(model, sampler, random_state=0)
        found.append(macro_f1(Y[test], model.fit(X[train], Y[train]).predict(X[test])))
    return np.mean(found)


rows = {}
for number, difficulty in enumerate(np.linspace(0.1, 0.9, 15)):
    data = make_local_imbalance(300, 4, n_features=5, difficulty=difficulty, random_state=number)
    rows[f"{difficulty:.2f}"] = {name: score(one, *data) for name, one in samplers.items()}
scores = pd.DataFrame(rows).T
print(scores.round(3).to_string())

# %%
# Ranks, and whether they differ at all
# -------------------------------------

print(average_ranks(scores).sort_values().round(2).to_string())
print(friedman_test(scores))

# %%
# Which pairs
# -----------
# Wilcoxon's signed-rank test for every pair, corrected for their number by Bergmann and Hommel.

result = wilcoxon_bergmann_hommel(scores, alpha=0.05)
print(result.adjusted_p_values.round(3).to_string())
print()
print(pd.DataFrame({"wins": result.wins, "losses": result.losses}).to_string())

# %%
# In one picture
# --------------
# The best rank is on the left; a bar joins methods that do not differ significantly.

figure, ax = plt.subplots(figsize=(5.6, 3), layout="constrained")
critical_difference_plot(scores, ax=ax)
plt.show()
