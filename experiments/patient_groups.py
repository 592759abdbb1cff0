"""Compare plain folds with folds that keep patients together, on 112,120 chest x-rays.

The table is that of NIH ChestX-ray14, without the images: age, sex, view, follow-up number, and
width, height and pixel spacings of the image. The labels are 14 findings, and the groups are
30,805 patients. It is the file ``Data_Entry_2017_v2020.csv.gz``, which the Python package
torchxrayvision contains.

    python experiments/patient_groups.py Data_Entry_2017_v2020.csv.gz \
        experiments/results/patient_groups.json
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from rarelabels import does_sampling_help, find_neighbors
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import (
    BinaryRelevance,
    CalibratedClassifier,
    RareLabelClassifier,
    ThresholdedClassifier,
)
from rarelabels.measures import limb
from rarelabels.metrics import macro_auc_pr, macro_auc_roc, macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold
from rarelabels.sampling import MLROS, MLSOL

RESULTS = Path(__file__).parent / "results" / "patient_groups.json"
PLAIN, GROUPED = "plain folds", "patients kept together"
ALONE, ALL_NEIGHBORS, OTHERS = "model alone", "MLSOL", "MLSOL, other patients"
TITLES = {"macro_auc_roc": "macro AUC", "macro_auc_pr": "macro AUCPR", "macro_f1": "macro-F"}
# Patients of the comparisons that take long, drawn at random.
SOME_PATIENTS = 3000
# Patients of the check that no two folds share one.
CHECKED_PATIENTS = 200
NUMBERS = {
    "Patient Age": "age",
    "Follow-up #": "follow-up",
    "OriginalImage[Width": "width",
    "Height]": "height",
    "OriginalImagePixelSpacing[x": "spacing x",
    "y]": "spacing y",
}


def read(path: Path) -> tuple[Any, Any, Any]:
    """Return eight features, 14 labels and the patient of each image."""
    import pandas as pd

    table = pd.read_csv(path)
    X = table[[*NUMBERS]].rename(columns=NUMBERS).astype(float)
    X["is female"] = (table["Patient Gender"] == "F").astype(float)
    X["is view AP"] = (table["View Position"] == "AP").astype(float)
    findings = table["Finding Labels"].str.get_dummies("|").drop(columns="No Finding")
    return X.to_numpy(), findings.to_numpy(), table["Patient ID"].to_numpy()


def some_patients(data: tuple[Any, Any, Any], n_patients: int) -> tuple[Any, Any, Any]:
    """Return all images of patients drawn at random."""
    X, Y, patients = data
    drawn = np.random.default_rng(0).choice(np.unique(patients), n_patients, replace=False)
    kept = np.isin(patients, drawn)
    return X[kept], Y[kept], patients[kept]


def boosting() -> Any:
    """Return gradient boosting for each label; it would stop early on samples without groups."""
    return BinaryRelevance(HistGradientBoostingClassifier(early_stopping=False, random_state=0))


def scores_of(model: Any, X: Any, Y: Any) -> dict[str, float]:
    """Score the predictions of a fitted model."""
    probabilities = np.asarray(model.predict_proba(X))
    return {
        "macro_auc_roc": float(macro_auc_roc(Y, probabilities)),
        "macro_auc_pr": float(macro_auc_pr(Y, probabilities)),
        "macro_f1": float(macro_f1(Y, model.predict(X))),
    }


def folds(X: Any, Y: Any, groups: Any, n_splits: int) -> Iterator[tuple[Any, Any]]:
    """Yield the training and test samples of each fold."""
    splitter = IterativeStratifiedKFold(n_splits, shuffle=True, random_state=0)
    return splitter.split(X, Y, groups)


def shared_patients(patients: Any, train: Any, test: Any) -> int:
    """Return the number of patients that are in both parts."""
    return int(np.intersect1d(patients[train], patients[test]).size)


def fold_rows(
    name: str, make: Callable[[], Any], data: tuple[Any, Any, Any], n_splits: int
) -> Iterator[dict[str, Any]]:
    """Yield the scores of a model on plain folds, and on folds that keep patients together."""
    X, Y, patients = data
    for way, groups in ways_to_group(patients):
        for fold, (train, test) in enumerate(folds(X, Y, groups, n_splits)):
            model = make().fit(X[train], Y[train])
            yield {
                "model": name,
                "n_images": len(X),
                "folds": way,
                "fold": fold,
                "shared_patients": shared_patients(patients, train, test),
                **scores_of(model, X[test], Y[test]),
            }


def sampling_rows(data: tuple[Any, Any, Any], n_splits: int) -> Iterator[dict[str, Any]]:
    """Yield scores without sampling, with MLSOL, and with neighbors of other patients."""
    X, Y, patients = data
    for fold, (train, test) in enumerate(folds(X, Y, patients, n_splits)):
        X_train, Y_train, groups = X[train], Y[train], patients[train]
        for method, given in ((ALONE, None), (ALL_NEIGHBORS, None), (OTHERS, groups)):
            X_new, Y_new = X_train, Y_train
            if method != ALONE:
                sampler = MLSOL(random_state=fold)
                X_new, Y_new = sampler.fit_resample(X_train, Y_train, groups=given)
            model = boosting().fit(X_new, Y_new)
            yield {"method": method, "fold": fold, **scores_of(model, X[test], Y[test])}


def neighborhoods(data: tuple[Any, Any, Any]) -> dict[str, Any]:
    """Measure the local imbalance among all images, and among those of other patients."""
    X, Y, patients = data
    measured: dict[str, Any] = {"n_images": len(X)}
    for name, groups in (("all", None), ("others", patients)):
        began = time.process_time()
        neighbors = find_neighbors(X, groups=groups)
        measured[f"seconds_{name}"] = round(time.process_time() - began, 1)
        measured[f"limb_{name}"] = float(limb(X, Y, neighbors=neighbors))
        is_same = patients[neighbors.indices] == patients[:, None]
        measured[f"same_patient_{name}"] = float(is_same.mean())
    return measured


class Remembering(BinaryRelevance):
    """A model that remembers the samples, by their last feature, that its copies are fitted to."""

    fits: list[set[int]] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Remember the samples, and fit."""
        Remembering.fits.append({int(number) for number in np.asarray(X)[:, -1]})
        return super().fit(X, y)


def shared_by_path(data: tuple[Any, Any, Any]) -> dict[str, dict[str, int]]:
    """Count the patients that a fit shares with the samples that it is tested on, on every path.

    What a fit is tested on is what the smallest larger fit has in addition.
    """
    X, Y, patients = data
    common = Y.sum(axis=0) >= 10
    Y, numbered = Y[:, common], np.column_stack([X, np.arange(len(X))])
    model = Remembering()
    ensemble = SamplingEnsemble(model, MLROS(), n_estimators=2, threshold=None)

    def compared(groups: Any) -> Any:
        options = {"samplers": ["mlros"], "n_estimators": 2, "cv": "1x2", "verbose": 0}
        return does_sampling_help(numbered, Y, model, groups=groups, random_state=0, **options)

    def card(groups: Any) -> Any:
        answer = compared(groups)
        Remembering.fits.clear()
        return answer.card(answer.fit_best("thresholds alone"), "thresholds alone")

    paths: dict[str, Callable[[Any], Any]] = {
        "does_sampling_help": compared,
        "fit_best and card": card,
        "ThresholdedClassifier": lambda groups: ThresholdedClassifier(model, random_state=0).fit(
            numbered, Y, groups=groups
        ),
        "CalibratedClassifier": lambda groups: CalibratedClassifier(model, random_state=0).fit(
            numbered, Y, groups=groups
        ),
        "thresholds of SamplingEnsemble": lambda groups: ThresholdedClassifier(
            ensemble, random_state=0
        ).fit(numbered, Y, groups=groups),
    }
    return {
        name: {way: _shared(run, groups, patients) for way, groups in ways_to_group(patients)}
        for name, run in paths.items()
    }


def ways_to_group(patients: Any) -> list[tuple[str, Any]]:
    """Return both kinds of folds with their groups."""
    return [(PLAIN, None), (GROUPED, patients)]


def _shared(run: Callable[[Any], Any], groups: Any, patients: Any) -> int:
    Remembering.fits.clear()
    run(groups)
    fits, everything = list(Remembering.fits), set(range(len(patients)))
    n_shared = 0
    for part in fits:
        larger = [whole for whole in [*fits, everything] if part < whole]
        tested = min(larger, key=len) - part if larger else set()
        n_shared += np.intersect1d(patients[sorted(part)], patients[sorted(tested)]).size
    return n_shared


def mean_scores(rows: list[dict[str, Any]], *keys: str) -> dict[tuple[Any, ...], dict[str, float]]:
    """Return the mean scores over folds, by the values of some columns."""
    by_key: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        by_key.setdefault(tuple(row[key] for key in keys), []).append(row)
    return {
        key: {name: float(np.mean([row[name] for row in found])) for name in TITLES}
        for key, found in by_key.items()
    }


def read_results(place: Path = RESULTS) -> dict[str, Any]:
    """Return the committed results."""
    results: dict[str, Any] = json.loads(place.read_text())
    return results


def table_of(name: str) -> tuple[str, list[str], list[list[str]]]:
    """Return the caption, header and rows of the table of ``"folds"`` or of ``"sampling"``."""
    results = read_results()
    keys = ("model", "n_images", "folds") if name == "folds" else ("method",)
    caption = "Chest x-rays, five folds"
    if name == "sampling":
        caption = f"Gradient boosting on {results['n_images_sampling']:,} chest x-rays, {GROUPED}"
    rows = [
        [*(f"{part:,}" if isinstance(part, int) else part for part in key)]
        + [f"{scores[metric]:.3f}" for metric in TITLES]
        for key, scores in mean_scores(results[name], *keys).items()
    ]
    header = [key.replace("n_images", "images") for key in keys]
    return caption, [*header, *TITLES.values()], rows


def main() -> None:
    """Measure everything and write it to one file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--splits", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    data = read(given.table)
    some = some_patients(data, SOME_PATIENTS)

    def rare_label() -> Any:
        return RareLabelClassifier(random_state=0)

    results: dict[str, Any] = {
        "n_patients": int(np.unique(data[2]).size),
        "n_images_sampling": len(some[0]),
        "neighborhoods": neighborhoods(data),
        "shared_by_path": shared_by_path(some_patients(data, CHECKED_PATIENTS)),
    }
    results["folds"] = [*fold_rows("RareLabelClassifier", rare_label, some, given.splits)]
    results["sampling"] = [*sampling_rows(some, given.splits)]
    results["folds"] = [
        *fold_rows("gradient boosting", boosting, data, given.splits), *results["folds"],
    ]  # fmt: skip
    given.results.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
