"""How often the early end of methods changes a verdict, and what it saves.

Data sets are drawn as in ``benchmarks/gain_verdicts.py``: three labels, each of which moves the
means of two features. A baseline and several rivals of one kind look at features of their own and
are scored by macro-F1 on the 25 folds of 5×5. In the first cases all of them are equally good by
construction, and *helps* and *hurts* are errors; the error of a data set is one such verdict or
more. In the others the features of the first rival tell the labels further apart.

    python experiments/early_stopping.py [--part 0.1]

adds what is missing to ``experiments/results/early_stopping.json`` and prints the table. For each
case: how often a verdict of the rivals is *helps* or *hurts* by all folds and by the rule, the
share of verdicts that agree, how often the recommendation agrees, and the share of fits that are
run.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from benchmarks.gain_verdicts import (  # noqa: E402
    CLASSIFIERS,
    FEATURES_OF_LABEL,
    N_LABELS,
    N_SAMPLES,
    macro_f1_on_folds,
    stratified_folds,
)

from rarelabels.comparison import StoppingRule, comparison_summary  # noqa: E402

RESULTS = FOLDER / "results" / "early_stopping.json"
N_SPLITS, N_REPEATS, BASELINE = 5, 5, "baseline"
CLEAR = ("helps", "hurts")
# Data sets that are drawn and kept together.
CHUNK = 20


@dataclass(frozen=True)
class Case:
    """What is drawn: the classifiers, how many rivals, how far labels move features.

    For the first rival, labels move the features `extra` further. `share` of the samples have a
    label.
    """

    kind: str
    n_rivals: int
    extra: float = 0.0
    share: float = 0.3
    apart: float = 1.5

    @property
    def key(self) -> str:
        """Its name in the file of results."""
        return " ".join(f"{name}={value}" for name, value in asdict(self).items())


EQUAL = [
    Case(kind, n_rivals, share=share)
    for kind in ("ridge", "kNN")
    for n_rivals in (1, 8)
    for share in (0.3, 0.1)
]
BETTER = [
    Case(kind, n_rivals, extra)
    for kind in ("ridge", "kNN")
    for n_rivals in (1, 8)
    for extra in (0.2, 0.4, 0.6)
]
GROUPS = ((EQUAL, 600), (BETTER, 200))
COUNTS = ("n", "errors_all", "errors_early", "first_all", "first_early", "agree", "recommended",
          "folds")  # fmt: skip


def scores_of(case: Case, rng: np.random.Generator) -> dict[str, dict[int, float]]:
    """Draw a data set and score the baseline and its rivals on all folds."""
    Y = (rng.random((N_SAMPLES, N_LABELS)) < case.share).astype(float)
    signal = np.repeat(Y, FEATURES_OF_LABEL, axis=1)
    tests = [test for _ in range(N_REPEATS) for test in stratified_folds(Y, N_SPLITS, rng)]
    scores = {}
    for number in range(case.n_rivals + 1):
        apart = case.apart + (case.extra if number == 1 else 0.0)
        X = rng.normal(size=signal.shape) + apart * signal
        found = macro_f1_on_folds(CLASSIFIERS[case.kind](X, Y, tests), Y, tests)
        scores[f"rival {number}" if number else BASELINE] = dict(enumerate(found.tolist()))
    return scores


def summary_of(scores: dict[str, dict[int, float]], n_folds: dict[str, int]) -> dict:
    """Judge the methods by their first folds."""
    results = [
        {"method": name, "fold": fold, "score": score, "seconds": 0.0}
        for name, column in scores.items()
        for fold, score in column.items()
        if fold < n_folds[name]
    ]
    return comparison_summary(
        results, metric="macro_f1", baseline=BASELINE, n_splits=N_SPLITS,
        simplest_first=list(scores),
    )  # fmt: skip


def counts_of(case: Case, chunk: int) -> dict[str, float]:
    """Compare the verdicts of all folds with those of the rule, on some data sets."""
    rng = np.random.default_rng([chunk, case.n_rivals])
    total = dict.fromkeys(COUNTS, 0.0)
    for _ in range(CHUNK):
        scores = scores_of(case, rng)
        rule = StoppingRule(BASELINE, N_SPLITS, N_REPEATS, list(scores))
        needed = rule.folds_needed(scores)
        whole = summary_of(scores, dict.fromkeys(scores, N_SPLITS * N_REPEATS))
        early = summary_of(scores, needed)
        for name, value in _compared(whole, early, needed).items():
            total[name] += value
    return total


def _compared(whole: dict, early: dict, needed: dict[str, int]) -> dict[str, float]:
    verdicts = [
        {row["name"]: row["verdict"] for row in one["methods"] if row["name"] != BASELINE}
        for one in (whole, early)
    ]
    return {
        "n": 1,
        "errors_all": any(verdict in CLEAR for verdict in verdicts[0].values()),
        "errors_early": any(verdict in CLEAR for verdict in verdicts[1].values()),
        "first_all": verdicts[0]["rival 1"] == "helps",
        "first_early": verdicts[1]["rival 1"] == "helps",
        "agree": float(np.mean([verdicts[0][name] == verdicts[1][name] for name in verdicts[0]])),
        "recommended": whole["recommended"] == early["recommended"],
        "folds": sum(needed.values()) / (len(needed) * N_SPLITS * N_REPEATS),
    }


def simulate(case: Case, n_datasets: int, kept: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return shares over data sets, from what is kept and what is run now."""
    total = dict.fromkeys(COUNTS, 0.0)
    for chunk in range(max(1, round(n_datasets / CHUNK))):
        key = f"{case.key} #{chunk}"
        if key not in kept:
            kept[key] = counts_of(case, chunk)
        total = {name: total[name] + kept[key][name] for name in COUNTS}
    return {name: value / total["n"] if name != "n" else value for name, value in total.items()}


HEADS = "kind   rivals  extra  share    n   all folds   rule   agree  same advice  fits"


def line(case: Case, shares: dict[str, float]) -> str:
    """Return a line of the table; for a better rival, how often it is found to help."""
    what = "first" if case.extra else "errors"
    return (
        f"{case.kind:5s}  {case.n_rivals:6d}  {case.extra:5.1f}  {case.share:5.1f}  "
        f"{shares['n']:4.0f}  {shares[what + '_all']:9.3f}  {shares[what + '_early']:6.3f}  "
        f"{shares['agree']:5.3f}  {shares['recommended']:11.3f}  {shares['folds']:.2f}"
    )


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--part", type=float, default=1.0, help="of the data sets, for a look")
    options = parser.parse_args()
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    print(HEADS)
    for cases, n_datasets in GROUPS:
        for case in cases:
            shares = simulate(case, options.part * n_datasets, kept)
            RESULTS.write_text(json.dumps(kept, indent=0) + "\n")
            print(line(case, shares), flush=True)


if __name__ == "__main__":
    main()
