"""Check decision rules where the truth is known: noise, promised precision and recall, cost.

``python experiments/decision_checks.py noise violations cost`` computes the parts named and
writes them to ``experiments/results/decisions/checks.json``; parts that are not named stay.
"""

from __future__ import annotations

import argparse
import json
import time
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from rarelabels._validation import check_labels
from rarelabels.decisions import (
    RULES,
    AtLeastOne,
    AtMost,
    Budget,
    Costs,
    PrecisionTarget,
    RecallTarget,
    check_rule,
)
from rarelabels.decisions.cuts import exact_thresholds
from rarelabels.decisions.out_of_fold import out_of_fold_thresholds
from rarelabels.learners import BinaryRelevance
from rarelabels.learners.out_of_fold import Folds, out_of_fold_scores
from rarelabels.trees import C45Classifier

RESULTS = Path(__file__).parent / "results" / "decisions" / "checks.json"
COUNTS, N_SAMPLES, N_NEW, N_SEEDS = (1, 2, 3, 5, 10), 300, 1000, 40
MODELS = {
    "logistic regression": lambda: BinaryRelevance(LogisticRegression()),
    "nearest neighbors": lambda: BinaryRelevance(KNeighborsClassifier(10)),
    "trees": lambda: BinaryRelevance(C45Classifier()),
}
OBJECTS = {
    "precision 0.5": PrecisionTarget(0.5, unreachable="conservative"),
    "recall 0.5": RecallTarget(0.5, unreachable="conservative"),
    "costs 5": Costs(5),
    "at most 1": AtMost(1),
    "budget of 10": Budget(10),
    "at least one": AtLeastOne(),
}


def rules() -> dict[str, Any]:
    """Return all rules, those with parameters too."""
    return {rule.name: rule for rule in RULES} | OBJECTS


def noise() -> dict[str, Any]:
    """Return the share of new samples that each rule predicts where features say nothing."""
    shares: dict[str, dict[str, list[Any]]] = {model: {} for model in MODELS}
    for seed in range(N_SEEDS):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(N_SAMPLES, 5)), np.zeros((N_SAMPLES, len(COUNTS)), dtype=int)
        for label, count in enumerate(COUNTS):
            y[rng.choice(N_SAMPLES, count, replace=False), label] = 1
        X_new, truth, labels = rng.normal(size=(N_NEW, 5)), y == 1, check_labels(y)
        for name, model in MODELS.items():
            scores, learned = out_of_fold_scores(model(), X, labels, Folds(5, seed, seed))
            new = model().fit(X, y).predict_proba(X_new)
            exact = exact_thresholds("f1", truth, scores)
            found = {"f1, exact": (new >= exact).mean(axis=0)}
            for rule_name, rule in rules().items():
                cuts = out_of_fold_thresholds(rule, truth, scores, learned)
                found[rule_name] = rule.decide(new, cuts).mean(axis=0)
            for rule_name, share in found.items():
                shares[name].setdefault(rule_name, []).append(share)
    return {
        "counts": COUNTS,
        "n_samples": N_SAMPLES,
        "n_seeds": N_SEEDS,
        "shares": {
            model: {rule: np.mean(found, axis=0).round(4).tolist() for rule, found in of.items()}
            for model, of in shares.items()
        },
    }


def violations(n_splits: int = 1000) -> list[dict[str, Any]]:
    """Return how often a promise is broken, on scores whose precision and recall are known."""
    rows = []
    for confidence in (0.9, 0.95):
        for prevalence, n in ((0.05, 2000), (0.2, 1000)):
            for target in (0.5, 0.8, 0.9):
                for kind in (PrecisionTarget, RecallTarget):
                    rule = kind(target, confidence, "conservative")
                    rows.append(violated(rule, target, prevalence, n, n_splits))
    return rows


def violated(rule: Any, target: float, prevalence: float, n: int, n_splits: int) -> dict[str, Any]:
    """Return the share of splits in which the promise is broken, and in which nothing is promised.

    Scores are normal, 2.5 deviations higher for positives.
    """
    is_precision, broken, refused, other = isinstance(rule, PrecisionTarget), 0, 0, []
    for seed in range(n_splits):
        rng = np.random.default_rng(seed)
        Y = rng.random((n, 1)) < prevalence
        cut = rule.thresholds(Y, rng.normal(size=(n, 1)) + 2.5 * Y)[0]
        if np.isinf(cut):
            refused += 1
            continue
        recall, false_alarms = norm.sf(cut - 2.5), norm.sf(cut)
        hits = prevalence * recall
        precision = hits / (hits + (1 - prevalence) * false_alarms)
        broken += (precision if is_precision else recall) < target
        other.append(recall if is_precision else precision)
    return {
        "target": "precision" if is_precision else "recall",
        "value": target,
        "confidence": rule.confidence,
        "prevalence": prevalence,
        "n_samples": n,
        "violated": broken / n_splits,
        "refused": refused / n_splits,
        "other": None if not other else round(float(np.mean(other)), 4),
    }


def real_violations(folder: Path, n_splits: int = 1000) -> list[dict[str, Any]]:
    """Return how often a promise is broken where the samples of real data sets are the population.

    For each split a label is drawn, and a thousand of its scored samples with replacement. What a
    threshold gives on all of them is known.
    """
    tables = []
    for place in sorted(folder.glob("logistic-regression_*_0.npz")):
        with np.load(place) as file:
            Y, scores = file["Y_test"], file["test"].astype(float)
        tables += [(Y[:, j], scores[:, j]) for j in np.flatnonzero(Y.sum(axis=0) >= 100)]
    rows = []
    for target in (0.5, 0.8):
        for kind in (PrecisionTarget, RecallTarget):
            rule, broken, refused = kind(target, 0.9, "conservative"), 0, 0
            for seed in range(n_splits):
                rng = np.random.default_rng(seed)
                truth, scores = tables[rng.integers(len(tables))]
                drawn = rng.integers(truth.size, size=1000)
                cut = rule.thresholds(truth[drawn, None], scores[drawn, None])[0]
                said = scores >= cut
                refused += bool(np.isinf(cut))
                below = said if kind is PrecisionTarget else truth
                broken += bool(np.isfinite(cut) and truth[said].sum() < target * below.sum())
            rows.append(
                {
                    "target": "precision" if kind is PrecisionTarget else "recall",
                    "value": target,
                    "confidence": rule.confidence,
                    "n_labels": len(tables),
                    "violated": broken / n_splits,
                    "refused": refused / n_splits,
                }
            )
    return rows


def cost(n: int = 100_000, q: int = 1000) -> dict[str, Any]:
    """Return the seconds of process time and the memory of each rule on large tables."""
    rng = np.random.default_rng(0)
    share = np.geomspace(1e-4, 0.1, q)
    Y = rng.random((n, q), dtype=np.float32) < share
    scores = rng.normal(size=(n, q)) + 2 * Y
    found: dict[str, Any] = {}
    for name, rule in rules().items():
        found[name] = measured(partial(rule.thresholds, Y, scores))
    keep = np.argpartition(-scores, 20, axis=1)[:, :20]
    rows = np.repeat(np.arange(n), 20)
    top = sparse.csc_array((scores[rows, keep.ravel()], (rows, keep.ravel())), shape=(n, q))
    del scores
    pooled = check_rule("pooled_f1")
    found["pooled_f1, sparse scores"] = measured(partial(pooled.thresholds, Y, top))
    return {"n_samples": n, "n_labels": q, "rules": found}


def measured(call: Any) -> dict[str, float]:
    """Return the process time of a call, and the memory that it holds at its peak."""
    began = time.process_time()
    call()
    seconds = time.process_time() - began
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"seconds": round(seconds, 1), "megabytes": round(peak / 2**20)}


def main() -> None:
    """Compute the parts that are named, and keep the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = {"noise": noise, "violations": violations, "cost": cost}
    parser.add_argument("parts", nargs="+", choices=list(parts))
    parser.add_argument(
        "--scores", type=Path, help="the folder of decision_rules.py, for violations on real data"
    )
    options = parser.parse_args()
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    for part in options.parts:
        kept[part] = parts[part]()
        if part == "violations" and options.scores:
            kept["real violations"] = real_violations(options.scores)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
