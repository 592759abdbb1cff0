"""Does sampling in an ensemble pay? Random halves of yeast, scene and medical, trees.

For each learner: macro AUC-ROC and AUCPR of the single learner and of SamplingEnsemble(learner,
MLSOL()), as means over the halves, and in how many of them the ensemble is ahead.

    python -m benchmarks.ensemble_pays [--data FOLDER] [--seeds 5]

What five halves gave; the ensemble was ahead in all five of them, everywhere:

    data     learner   AUC single  ensemble   AUCPR single  ensemble
    yeast    BR             .5707     .6346          .3441     .4156
    yeast    MLkNN          .6704     .6859          .4566     .4911
    yeast    RAkEL          .6257     .6831          .4058     .4882
    yeast    CLR            .6464     .6834          .4246     .4784
    scene    BR             .7669     .8988          .4752     .7176
    scene    MLkNN          .9282     .9355          .7787     .8096
    scene    RAkEL          .8938     .9414          .7027     .8245
    scene    CLR            .8939     .9312          .6628     .7956
    medical  BR             .7340     .7623          .3726     .4081
    medical  MLkNN          .7557     .7746          .3012     .3575
    medical  RAkEL          .7342     .7665          .3853     .4277
    medical  CLR            .8851     .8966          .4461     .4748
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._measure import DATA
from rarelabels.datasets import drop_rare_labels, load_mulan, select_frequent_features
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, CalibratedLabelRanking, MLkNN, RAkEL
from rarelabels.metrics import macro_auc_pr, macro_auc_roc
from rarelabels.sampling import MLSOL

LEARNERS: dict[str, Any] = {
    "BR": BinaryRelevance,
    "MLkNN": MLkNN,
    "RAkEL": RAkEL,
    "CLR": CalibratedLabelRanking,
}


def load(folder: Path, name: str) -> tuple[Any, Any]:
    """Read a data set, with the paper's preprocessing."""
    data = load_mulan(folder / name / f"{name}.arff")
    if name in ("bibtex", "enron", "medical"):
        data, _ = select_frequent_features(data, 0.1)
    data, _ = drop_rare_labels(data)
    return data.X, data.Y


def halves(n_samples: int, seed: int) -> tuple[Any, Any]:
    order = np.random.default_rng(seed).permutation(n_samples)
    return order[: n_samples // 2], order[n_samples // 2 :]


def scores_of(model: Any, X: Any, Y: Any, train: Any, test: Any) -> tuple[float, float]:
    scores = model.fit(X[train], Y[train]).predict_proba(X[test])
    return float(macro_auc_roc(Y[test], scores)), float(macro_auc_pr(Y[test], scores))


def seeded(make: Any, seed: int) -> Any:
    model = make()
    return model.set_params(random_state=seed) if "random_state" in model.get_params() else model


def compare(X: Any, Y: Any, make: Any, seeds: int) -> Any:
    """Return an array of (seed, single or ensemble, measure)."""
    rows = []
    for seed in range(seeds):
        train, test = halves(Y.shape[0], seed)
        single = seeded(make, seed)
        ensemble = SamplingEnsemble(make(), MLSOL(), random_state=seed)
        rows.append([scores_of(model, X, Y, train, test) for model in (single, ensemble)])
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--names", nargs="*", default=["yeast", "scene", "medical"])
    arguments = parser.parse_args()
    # Rare labels of a half may have one class, which is said once for each fit.
    warnings.simplefilter("ignore")
    print("data     learner   AUC single  ensemble (ahead)   AUCPR single  ensemble (ahead)")
    for name in arguments.names:
        X, Y = load(arguments.data, name)
        for learner, make in LEARNERS.items():
            found = compare(X, Y, make, arguments.seeds)
            mean, ahead = found.mean(axis=0), (found[:, 1] > found[:, 0]).sum(axis=0)
            print(
                f"{name:8} {learner:8} {mean[0, 0]:11.4f} {mean[1, 0]:9.4f} "
                f"({ahead[0]}/{arguments.seeds}) {mean[0, 1]:15.4f} {mean[1, 1]:9.4f} "
                f"({ahead[1]}/{arguments.seeds})",
                flush=True,
            )


if __name__ == "__main__":
    main()
