"""
A table with categories
=======================

Samplers accept pandas dataframes with numbers and categories, and return dataframes with the same
columns. Categories are never averaged.
"""

# %%
# Synthetic patients
# ------------------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rarelabels.measures import describe
from rarelabels.sampling import MLSOL

rng = np.random.default_rng(0)
n = 500
X = pd.DataFrame(
    {
        "age": rng.integers(20, 90, n),
        "pressure": rng.normal(125, 18, n).round(),
        "smoker": pd.Categorical(rng.choice(["never", "former", "daily"], n, p=[0.6, 0.25, 0.15])),
        "ward": rng.choice(["north", "south"], n),
    }
)
risk = (X["age"] - 50) / 15 + (X["pressure"] - 125) / 18 + 1.5 * (X["smoker"] == "daily")
y = pd.DataFrame(
    {
        "hypertension": (X["pressure"] + rng.normal(0, 8, n) > 140).astype(int),
        "stroke": (risk + rng.normal(0, 1, n) > 4.2).astype(int),
        "copd": ((X["smoker"] == "daily") & (rng.random(n) < 0.35)).astype(int),
    }
)

# %%
# How hard is each diagnosis?
# ---------------------------
# `categorical_features="auto"` uses the dtypes: `smoker` and `ward` add 1 to the squared distance
# if they differ, and numbers are rescaled to [0, 1].

print(describe(X, y, categorical_features="auto"))

# %%
# New patients
# ------------
# Numbers lie between those of two neighbors. A category is that of one or the other. All columns
# keep their dtypes, so `age` still holds whole numbers.

sampler = MLSOL(sampling_ratio=0.3, categorical_features="auto", random_state=0)
X_new, y_new = sampler.fit_resample(X, y)
print(X_new[sampler.is_synthetic_].head().to_string())
print()
print(y_new[sampler.is_synthetic_].head().to_string())
print()
print(pd.DataFrame({"before": X.dtypes, "after": X_new.dtypes}).to_string())
print("known categories only:", set(X_new["ward"]) <= set(X["ward"]))

# %%
# Origin of new samples
# ---------------------
# `sample_indices_` holds the index of the patient from which each new sample was made, so you can
# copy names, weights or notes. The figure shows how many patients have each diagnosis.

counts = pd.DataFrame({"before": y.sum(), "after": y_new.sum()})
ax = counts.plot.barh(figsize=(5.6, 3.8), color=["0.75", "#1d3557"], xlabel="patients")
ax.figure.set_layout_engine("constrained")
plt.show()
