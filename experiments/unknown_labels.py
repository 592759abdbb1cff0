"""Hide labels of the training data at random, and compare what can be done about it.

Of each training fold 10, 30, 50 and 70 % of the entries are hidden. Three ways are compared:
learning from the labels that are known, taking unknown labels for negative, and dropping samples
with unknown labels. The labels of the test folds are all known.

    python experiments/unknown_labels.py experiments/results/unknown_labels.csv
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from rarelabels.experiment import DatasetSpec
from rarelabels.learners import BinaryRelevance, KernelRidgeClassifier
from rarelabels.metrics import macro_auc_pr, macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold

DATASETS = (
    DatasetSpec("yeast", min_positive=2),
    DatasetSpec("enron", features=0.1, min_positive=2),
    DatasetSpec("rcv1subset1", features=0.01, min_positive=2),
)
SHARES = (0.1, 0.3, 0.5, 0.7)
COMPLETE, KNOWN, ZEROS, DROPPED = "all labels", "known labels", "unknown as 0", "complete samples"
RESULTS = Path(__file__).parent / "results" / "unknown_labels.csv"
TITLES = {"macro_f1": "macro-F", "macro_auc_pr": "macro AUCPR"}
SCORES = tuple(TITLES)
FIELDS = (
    "dataset", "model", "way", "hidden", "fold", "n_samples", "macro_f1", "macro_auc_pr", "seconds",
)  # fmt: skip


def models() -> dict[str, Any]:
    """Return the models, which accept unknown labels."""
    regression = LogisticRegression(max_iter=1000, solver="liblinear")
    scaled = make_pipeline(MaxAbsScaler(), regression)
    return {
        "BR": BinaryRelevance(scaled, allow_missing_labels=True, random_state=0),
        "KernelRidgeClassifier": KernelRidgeClassifier(allow_missing_labels=True, random_state=0),
    }


def ways(Y: Any, hidden: float, seed: list[int]) -> Iterator[tuple[str, Any, Any]]:
    """Yield each way with its samples and its labels."""
    everything = np.arange(len(Y))
    if not hidden:
        yield COMPLETE, everything, Y
        return
    is_hidden = np.random.default_rng(seed).random(Y.shape) < hidden
    yield KNOWN, everything, np.where(is_hidden, np.nan, Y)
    yield ZEROS, everything, np.where(is_hidden, 0, Y)
    complete = np.flatnonzero(~is_hidden.any(axis=1))
    yield DROPPED, complete, Y[complete]


def measured(model: Any, fold: tuple[Any, Any, Any, Any]) -> dict[str, Any]:
    """Fit a model and score its predictions; without samples there is nothing to score."""
    X, Y, X_test, Y_test = fold
    if len(Y) < 2:
        return {"n_samples": len(Y)}
    began = time.process_time()
    model.fit(X, Y)
    seconds = time.process_time() - began
    return {
        "n_samples": len(Y),
        "macro_f1": float(macro_f1(Y_test, model.predict(X_test))),
        "macro_auc_pr": float(macro_auc_pr(Y_test, model.predict_proba(X_test))),
        "seconds": round(seconds, 2),
    }


def rows(spec: DatasetSpec) -> Iterator[dict[str, Any]]:
    """Yield the results on one data set."""
    data = spec.load()
    Y = data.Y.toarray() if hasattr(data.Y, "toarray") else np.asarray(data.Y)
    splitter = IterativeStratifiedKFold(2, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(splitter.split(data.X, Y)):
        for hidden in (0.0, *SHARES):
            for way, chosen, labels in ways(Y[train], hidden, [fold, round(100 * hidden)]):
                for name, model in models().items():
                    parts = data.X[train][chosen], labels, data.X[test], Y[test]
                    identity = dict(zip(FIELDS, (spec.name, name, way, hidden, fold), strict=False))
                    yield {**identity, **measured(model, parts)}


def means(results: Path = RESULTS) -> dict[tuple[str, str, str, float], dict[str, float]]:
    """Return the mean scores over folds, by data set, model, way and share."""
    values: dict[Any, list[dict[str, str]]] = defaultdict(list)
    with results.open(newline="") as file:
        for row in csv.DictReader(file):
            key = row["dataset"], row["model"], row["way"], float(row["hidden"])
            values[key].append(row)
    return {
        key: {name: float(np.mean([float(one[name] or "nan") for one in found])) for name in SCORES}
        for key, found in values.items()
    }


def table_of(metric: str) -> tuple[str, list[str], list[list[str]]]:
    """Return the caption, header and rows of a table with the scores by one metric."""
    found = means()
    names = dict.fromkeys((dataset, model) for dataset, model, _, _ in found)
    header = ["data set", "model", "way", *(f"{share:.0%}" for share in (0.0, *SHARES))]
    rows = []
    for dataset, model in names:
        complete = found[dataset, model, COMPLETE, 0.0][metric]
        for way in (KNOWN, ZEROS, DROPPED):
            scores = [complete, *(found[dataset, model, way, share][metric] for share in SHARES)]
            cells = ["–" if score != score else f"{score:.3f}" for score in scores]
            rows.append([dataset, model, way, *cells])
    return f"{TITLES[metric]} by the share of training labels that are hidden", header, rows


def draw_curves(place: Path) -> None:
    """Draw macro AUCPR and macro-F by the share of hidden labels."""
    import matplotlib.pyplot as plt

    found = means()
    datasets = dict.fromkeys(dataset for dataset, _, _, _ in found)
    figure, axes = plt.subplots(2, len(datasets), figsize=(9, 5), layout="constrained", sharex=True)
    styles = {KNOWN: "-", ZEROS: "--", DROPPED: ":"}
    for column, dataset in enumerate(datasets):
        for ax, metric in zip(axes[:, column], SCORES, strict=True):
            for number, model in enumerate(models()):
                start = found[dataset, model, COMPLETE, 0.0][metric]
                for way, style in styles.items():
                    scores = [found[dataset, model, way, share][metric] for share in SHARES]
                    ax.plot(
                        [0, *(100 * share for share in SHARES)], [start, *scores], style,
                        color=f"C{number}", label=f"{model}, {way}",
                    )  # fmt: skip
            ax.set_ylim(0)
            ax.set_title(dataset if metric == SCORES[0] else "")
            ax.set_ylabel(TITLES[metric] if not column else "")
    for ax in axes[1]:
        ax.set_xlabel("% hidden")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    figure.savefig(place, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Write one row for each model, way, share and fold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    place = parser.parse_args().results
    warnings.simplefilter("ignore")
    with place.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for spec in DATASETS:
            for row in rows(spec):
                writer.writerow(row)
                file.flush()


if __name__ == "__main__":
    main()
