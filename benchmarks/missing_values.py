"""What missing values cost: LImb and the ensemble's gain on yeast, whole and with gaps.

From yeast 10 % of the cells are removed at random. For the whole table, the one with gaps and the
one whose gaps are filled with the mean: LImb, and macro F1 and AUCPR of binary relevance with
histogram gradient boosting, alone and in a SamplingEnsemble with MLSOL, both with thresholds for
F1; means over random halves, and in how many of them the ensemble is ahead by AUCPR.

    python -m benchmarks.missing_values [--data FOLDER] [--seeds 3]

What three halves gave:

    table             LImb       F1  ensemble    AUCPR  ensemble  ahead
    whole           0.6405   0.4488    0.4641   0.4780    0.4923   3
    with gaps       0.7568   0.4246    0.4371   0.4592    0.4656   3
    means instead   0.6482   0.4405    0.4495   0.4690    0.4775   3
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from threadpoolctl import threadpool_limits

from benchmarks._measure import DATA, SMOKE
from rarelabels.datasets import load_mulan
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, ThresholdedClassifier
from rarelabels.measures import limb
from rarelabels.metrics import macro_auc_pr, macro_f1
from rarelabels.sampling import MLSOL


def tables(X: Any, share: float, seed: int) -> dict[str, Any]:
    """Return the table whole, with a share of its cells missing, and with their means instead."""
    gaps = np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)
    return {"whole": X, "with gaps": gaps, "means instead": SimpleImputer().fit_transform(gaps)}


def models(seed: int) -> tuple[Any, Any]:
    """Return the learner alone and in an ensemble of five."""
    inside = HistGradientBoostingClassifier(
        max_iter=2 if SMOKE else 20, max_leaf_nodes=8, early_stopping=False
    )
    learner = BinaryRelevance(inside)
    return (
        ThresholdedClassifier(learner, rule="f1", cv=None, random_state=seed),
        SamplingEnsemble(learner, MLSOL(), random_state=seed),
    )


def scores(model: Any, X: Any, Y: Any, train: Any, test: Any) -> tuple[float, float]:
    """Fit on one half and score on the other."""
    model.fit(X[train], Y[train])
    found = model.predict_proba(X[test])
    return macro_f1(Y[test], model.predict(X[test])), macro_auc_pr(Y[test], found)


def halves(n_samples: int, seed: int) -> tuple[Any, Any]:
    order = np.random.default_rng(seed).permutation(n_samples)
    return order[: n_samples // 2], order[n_samples // 2 :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    dataset = load_mulan(given.data / "yeast" / "yeast.arff")
    Y = np.asarray(dataset.Y)
    print(f"{'table':<14}{'LImb':>8}{'F1':>9}{'ensemble':>10}{'AUCPR':>9}{'ensemble':>10}  ahead")
    for name, X in tables(np.asarray(dataset.X, dtype=float), 0.1, seed=0).items():
        found = []
        with threadpool_limits(1):
            for seed in range(given.seeds):
                parts = halves(len(X), seed)
                found.append([scores(model, X, Y, *parts) for model in models(seed)])
        means, values = np.mean(found, axis=0), np.array(found)
        ahead = int((values[:, 1, 1] > values[:, 0, 1]).sum())
        cells = (means[0, 0], means[1, 0], means[0, 1], means[1, 1])
        print(f"{name:<14}{limb(X, Y):8.4f}", *(f"{cell:9.4f}" for cell in cells), f"  {ahead}")


if __name__ == "__main__":
    main()
