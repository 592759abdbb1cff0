"""Compare decision rules on the same scores: six models on the thirteen data sets of the study.

``python experiments/decision_rules.py fit SCORES [--repetitions 5]`` fits each model to the halves
of the 5×2 folds of ``paper.toml`` and writes its scores to the folder SCORES, one file a fold: of
the training samples out of five folds, of the training samples by the model that learned from them,
and of the test samples. Files that exist are not made again, so it may be stopped at any time.
``--splits 5 --repetitions 1`` makes five folds instead; give it another folder. ``--skip 2`` leaves
out the first two repetitions.

``python experiments/decision_rules.py decide SCORES [TARGET]`` applies every rule to these scores
and writes F, counts and predicted shares to TARGET, by default
``experiments/results/decisions/rules.json.xz``. ``--onto PACKED`` adds the sums of an earlier run,
whose scores are no longer needed.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from rarelabels._validation import check_labels
from rarelabels.decisions import RULES
from rarelabels.decisions.out_of_fold import out_of_fold_thresholds
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.experiment import Job, load_plan
from rarelabels.experiment.evaluate._fold import Fold, fold_of
from rarelabels.experiment.evaluate._memo import Memo
from rarelabels.learners import BinaryRelevance, KernelRidgeClassifier, MLkNN
from rarelabels.learners.out_of_fold import Folds, out_of_fold_scores
from rarelabels.learners.scores import fit_multilabel, label_scores
from rarelabels.learners.thresholds import training_thresholds
from rarelabels.sampling import MLSOL
from rarelabels.trees import C45Classifier

FOLDER = Path(__file__).parent
PLAN = FOLDER / "paper.toml"
RESULTS = FOLDER / "results" / "decisions" / "rules.json.xz"
SEED, INNER_FOLDS = 1, 5
# Numbers of positives in the training half, from and up to.
BANDS = ((1, 2), (3, 4), (5, 9), (10, 29), (30, 99), (100, None))
# What is summed over the labels of a band and the folds of a data set.
NUMBERS = ("n_labels", "f1", "hits", "predicted", "positive", "entries")
# What the rules are compared with.
AT_HALF, TRAINING, EXACT = "0.5", "f1, training scores", "f1, exact"
ON_TRAINING, BY_RANK = ", training scores", ", by rank"
# Boosting takes no sparse features, and minutes a fold with more labels.
MOST_LABELS_OF_BOOSTING = 60

RIDGE = "kernel ridge"
MODELS: dict[str, Callable[[], Any]] = {
    "MLkNN": MLkNN,
    "trees": lambda: BinaryRelevance(C45Classifier(), random_state=SEED),
    "logistic regression": lambda: BinaryRelevance(LogisticRegression(max_iter=10000)),
    "EMLSOL": lambda: SamplingEnsemble(
        BinaryRelevance(C45Classifier()), MLSOL(), threshold=None, random_state=SEED
    ),
    "boosting": lambda: BinaryRelevance(
        HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5, random_state=SEED)
    ),
    RIDGE: KernelRidgeClassifier,
}


def jobs(n_repetitions: int, n_splits: int = 2, *, skip: int = 0) -> Iterator[Job]:
    """Return a job for each fold, one repetition of all data sets after the other.

    The first `skip` repetitions are left out.
    """
    of_datasets = {
        job.dataset.name: job
        for job in load_plan(PLAN).jobs()
        if job.learner.name == "BR" and job.method.name == "Default"
    }
    for repetition in range(skip, n_repetitions):
        for spec in load_plan(PLAN).datasets:
            for place in range(n_splits):
                fold = repetition * n_splits + place
                yield replace(of_datasets[spec.name], n_splits=n_splits, fold=fold)


def place_of(scores: Path, model: str, job: Job) -> Path:
    """Return the file of a model's scores on a fold."""
    return scores / f"{model.replace(' ', '-')}_{job.dataset.name}_{job.fold}.npz"


def fit(folder: Path, folds: Iterable[Job], models: list[str]) -> None:
    """Fit the models on all folds, and keep their scores."""
    folder.mkdir(parents=True, exist_ok=True)
    for job in folds:
        memo = Memo()
        for model in models:
            place = place_of(folder, model, job)
            fold = None if place.exists() else fold_of(job, memo)
            if fold is None or (
                model == "boosting" and len(fold.label_names) > MOST_LABELS_OF_BOOSTING
            ):
                continue
            if model == RIDGE:
                found = scored_by_leaving_out(MODELS[model](), fold)
            else:
                found = scored(MODELS[model](), fold, dense=model == "boosting")
            partial = place.with_suffix(".part")
            with partial.open("wb") as file:
                np.savez_compressed(file, **found)
            partial.replace(place)
            print(place.name, flush=True)


def scored(model: Any, fold: Fold, *, dense: bool) -> dict[str, Any]:
    """Return the scores of a fold's samples by a model, and by copies that did not see them."""
    X_train, X_test = fold.X_train, fold.X_test
    if dense and hasattr(X_train, "toarray"):
        X_train, X_test = X_train.toarray(), X_test.toarray()
    labels, n_labels = check_labels(fold.Y_train), len(fold.label_names)
    folds = Folds(INNER_FOLDS, SEED, SEED)
    unseen, learned = out_of_fold_scores(model, X_train, labels, folds)
    fitted = fit_multilabel(model, X_train, fold.Y_train)
    return {
        "Y_train": labels.matrix.toarray() == 1,
        "Y_test": check_labels(fold.Y_test).matrix.toarray() == 1,
        "learned": learned,
        "unseen": unseen.astype(np.float32),
        "seen": label_scores(fitted, X_train, n_labels).astype(np.float32),
        "test": label_scores(fitted, X_test, n_labels).astype(np.float32),
    }


def scored_by_leaving_out(model: KernelRidgeClassifier, fold: Fold) -> dict[str, Any]:
    """Return the scores of a fold's samples by kernel ridge, which leaves out each exactly."""
    truth = check_labels(fold.Y_train).matrix.toarray() == 1
    fitted = model.fit(fold.X_train, fold.Y_train)
    return {
        "Y_train": truth,
        "Y_test": check_labels(fold.Y_test).matrix.toarray() == 1,
        # Without the sample a label with a single positive has none.
        "learned": ~(truth & (truth.sum(axis=0) == 1)),
        "unseen": fitted.leave_one_out_scores_.astype(np.float32),
        "seen": fitted.decision_function(fold.X_train).astype(np.float32),
        "test": fitted.decision_function(fold.X_test).astype(np.float32),
        "half": fitted.predict_proba(fold.X_test) >= 0.5,
    }


def decide(folder: Path, target: Path, folds: Iterable[Job], onto: Path | None = None) -> None:
    """Apply every rule to all scores, and write sums over the folds of each data set."""
    cells = {} if onto is None else packed_cells(onto)
    for job in folds:
        for model in MODELS:
            place = place_of(folder, model, job)
            if not place.exists():
                continue
            with np.load(place) as file:
                found = decided(dict(file))
            cell = cells.setdefault((model, job.dataset.name), {"n_folds": 0, "rules": {}})
            cell["n_folds"] += 1
            for rule, sums in found.items():
                cell["rules"][rule] = np.add(cell["rules"].get(rule, 0), sums)
    rows = [
        {
            "model": model,
            "dataset": dataset,
            "n_folds": cell["n_folds"],
            "rules": {
                rule: [[round(float(number), 6) for number in band] for band in sums]
                for rule, sums in cell["rules"].items()
            },
        }
        for (model, dataset), cell in cells.items()
    ]
    packed = {"bands": BANDS, "numbers": NUMBERS, "results": rows}
    target.write_bytes(lzma.compress(json.dumps(packed).encode()))


def packed_cells(place: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the sums of an earlier run, by model and data set."""
    rows = json.loads(lzma.decompress(place.read_bytes()))["results"]
    return {
        (row["model"], row["dataset"]): {"n_folds": row["n_folds"], "rules": row["rules"]}
        for row in rows
    }


def decided(scores: dict[str, Any]) -> dict[str, Any]:
    """Return for each rule the sums over the labels of each band."""
    Y, unseen, test = scores["Y_train"], scores["unseen"].astype(float), scores["test"]
    seen, learned = scores["seen"].astype(float), scores["learned"]
    cuts = {
        TRAINING: training_thresholds("f1", Y, seen),
        f"pooled_f1{ON_TRAINING}": training_thresholds("pooled_f1", Y, seen),
        EXACT: training_thresholds("f1", Y, unseen),
    }
    for rule in RULES:
        cuts[rule.name] = out_of_fold_thresholds(rule, Y, unseen, learned)
    # Scores were kept as 32-bit floats, and a threshold must not fall between a score and itself.
    decisions = {AT_HALF: scores.get("half", test >= 0.5)}
    decisions |= {name: test >= cut.astype(np.float32) for name, cut in cuts.items()}
    for name in ("pooled_f1", "f1"):
        shares = (unseen >= cuts[name]).mean(axis=0)
        decisions[f"{name}{BY_RANK}"] = by_rank(test, shares)
    bands = [
        (Y.sum(axis=0) >= low) & (Y.sum(axis=0) <= (np.inf if high is None else high))
        for low, high in BANDS
    ]
    return {name: sums_of(bands, scores["Y_test"], said) for name, said in decisions.items()}


def by_rank(scores: Any, shares: Any) -> Any:
    """Return decisions that predict given shares of the samples, the highest scores first."""
    order = np.argsort(np.argsort(-scores, axis=0, kind="stable"), axis=0)
    return order < np.rint(shares * len(scores))


def sums_of(bands: list[Any], Y: Any, said: Any) -> list[list[float]]:
    """Return `NUMBERS` for each band of labels."""
    hits, predicted, positive = (Y & said).sum(axis=0), said.sum(axis=0), Y.sum(axis=0)
    defined = predicted + positive > 0
    f1 = np.where(defined, 2 * hits / np.maximum(predicted + positive, 1), 0)
    return [
        [
            float(column[band].sum())
            for column in (defined, f1, hits, predicted, positive, np.full(band.size, len(Y)))
        ]
        for band in bands
    ]


def main() -> None:
    """Read the arguments and do what they ask."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["fit", "decide"])
    parser.add_argument("scores", type=Path)
    parser.add_argument("target", type=Path, nargs="?", default=RESULTS)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--onto", type=Path)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    options = parser.parse_args()
    folds = jobs(options.repetitions, options.splits, skip=options.skip)
    if options.what == "fit":
        fit(options.scores, folds, options.models)
    else:
        decide(options.scores, options.target, folds, options.onto)


if __name__ == "__main__":
    main()
