"""The tables of the page *What helps rare labels today*, one or more for each question."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from text_table import Table

from rare_labels_today.comparisons import Difference, corrected, difference
from rare_labels_today.datasets import (
    CONFIRMATORY,
    DATASETS,
    EXPLORATORY,
    FIVE_FOLDS,
    SELECTED,
)
from rare_labels_today.evaluate import OWN, RULES
from rare_labels_today.leaderboard import (
    BAND_NAMES,
    DEFAULT_RULE,
    band_scores,
    by_dataset,
    paired,
    scores_of,
)
from rare_labels_today.local_imbalance import correlations
from rare_labels_today.methods import ENSEMBLE, METHODS, MODEL, SAMPLER, WEIGHTS
from rare_labels_today.store import PACKED, read_records

REFERENCE = "RareLabelClassifier"
# Rows of the short form: a method and its rule.
SHORT_FORM = {
    "logistic regression, threshold 0.5": ("logistic regression", OWN),
    "logistic regression, pooled thresholds": ("logistic regression", DEFAULT_RULE),
    "the same, normalized features, tuned": ("logistic regression, tuned", DEFAULT_RULE),
    "gradient boosting, pooled thresholds": ("gradient boosting", DEFAULT_RULE),
    "EMLSOL over C4.5, pooled thresholds": ("BR, C4.5 + EMLSOL", DEFAULT_RULE),
    "RareLabelClassifier": (REFERENCE, DEFAULT_RULE),
}
Records = list[dict[str, Any]]


@cache
def records() -> Records:
    """Return the packed records."""
    return read_records(PACKED)


def of_group(*groups: str) -> list[Any]:
    """Return the methods of some groups that have records."""
    known = {record["method"] for record in records() if record["status"] == "done"}
    return [method for method in METHODS if method.group in groups and method.name in known]


def progress() -> Table:
    """Return how much was computed."""
    rows = []
    for role in (EXPLORATORY, CONFIRMATORY, SELECTED, FIVE_FOLDS):
        names = {dataset.name for dataset in DATASETS if dataset.role == role}
        of_role = [record for record in records() if record["dataset"] in names]
        status = [record["status"] for record in of_role]
        seconds = sum(record.get("cpu_seconds", 0) for record in of_role)
        counts = [status.count(kind) for kind in ("done", "too large", "failed")]
        present = {record["dataset"] for record in of_role}
        rows.append(
            [role, f"{len(present)} of {len(names)}", *map(str, counts), f"{seconds / 3600:.1f}"]
        )
    header = ["data sets", "computed", "jobs done", "too large", "failed", "CPU-hours"]
    return Table("What was computed", header, rows)


def rules(role: str) -> Table:
    """Return F of each rule by the number of positives, means over models and data sets."""
    grouped = by_dataset(records(), role)
    caption = f"F by positives in the training half, {role} data sets"
    header = ["rule", *BAND_NAMES, "macro-F", "micro-F"]
    kept = [of for method in of_group(MODEL) for of in grouped[method.name].values()]
    if not kept:
        return Table(caption, header, [])
    numbers, rows = [], []
    for rule in (OWN, *RULES):
        bands = mean_of_defined([band_scores(of, rule) for of in kept])
        total = np.mean([scores_of(of, rule)["F"] for of in kept])
        micro = np.mean([micro_f1(of, rule) for of in kept])
        numbers.append([*bands, total, micro])
        rows.append([rule, *map(decimals, numbers[-1])])
    return Table(caption, header, rows, highest_of_columns(numbers))


def short_form() -> Table:
    """Return F by the number of positives, of methods that stand for the others."""
    grouped = by_dataset(records(), None)
    names = [
        dataset.name
        for dataset in DATASETS
        if dataset.role in (EXPLORATORY, CONFIRMATORY)
        and all(dataset.name in grouped[method] for method, _ in SHORT_FORM.values())
    ]
    caption = f"F by positives in the training half, the {len(names)} data sets that all have"
    header = ["", *BAND_NAMES]
    if not names:
        return Table(caption, header, [])
    numbers = [
        mean_of_defined([band_scores(grouped[method][name], rule) for name in names])
        for method, rule in SHORT_FORM.values()
    ]
    rows = [[name, *map(decimals, row)] for name, row in zip(SHORT_FORM, numbers, strict=True)]
    return Table(caption, header, rows, highest_of_columns(numbers))


def five_folds() -> Table:
    """Return F of each model in two halves and in five folds of the same data sets."""
    grouped = by_dataset(records())
    both = {dataset.folder: dataset.name for dataset in DATASETS if dataset.role == FIVE_FOLDS}
    rows = []
    for method in of_group(MODEL):
        of_method = grouped[method.name]
        names = [name for name, five in both.items() if name in of_method and five in of_method]
        if names:
            halves, fives = (
                np.mean([scores_of(of_method[name])["F"] for name in kind])
                for kind in (names, [both[name] for name in names])
            )
            rows.append([method.name, str(len(names)), *map(decimals, (halves, fives))])
    header = ["model", "data sets", "F, two halves", "F, five folds"]
    return Table("Two halves and five folds", header, rows)


def models(role: str) -> Table:
    """Return how models compare with the reference."""
    return against([(method.name, REFERENCE) for method in of_group(MODEL)], role)


def models_by_rarity(role: str) -> Table:
    """Return F of the reference by the number of positives, and what other models have less."""
    return by_rarity([(method.name, REFERENCE) for method in of_group(MODEL)], role)


def additions(role: str, *groups: str) -> Table:
    """Return what methods add to the model that they are based on."""
    return against([(method.name, method.base) for method in of_group(*groups)], role)


def additions_by_rarity(role: str) -> Table:
    """Return what methods add to F of the model they are based on, by the number of positives."""
    methods = of_group(WEIGHTS, SAMPLER, ENSEMBLE)
    return by_rarity([(method.name, method.base) for method in methods], role)


def by_rarity(compared: list[tuple[str, str]], role: str) -> Table:
    """Compare pairs of methods by F of the labels of each band."""
    grouped = by_dataset(records(), role)
    rows = []
    for method, other in compared:
        pairs = paired(grouped, method, other).values()
        if pairs and method != other:
            gains = [np.subtract(*map(band_scores, records)) for records in pairs]
            cells = [signed(gain) for gain in mean_of_defined(gains)]
            rows.append([method, other, str(len(gains)), *cells])
    caption = f"Differences in F by positives in the training half, {role} data sets"
    return Table(caption, ["method", "compared with", "data sets", *BAND_NAMES], rows)


def selection() -> Table:
    """Return what the paper's selection of words costs each model."""
    everything = by_dataset(records())
    rows = []
    for method in of_group(MODEL):
        of_method = everything[method.name]
        pairs = [
            (scores_of(of_method[name]), scores_of(of_method[name.removesuffix(", selected")]))
            for name in of_method
            if name.endswith(", selected") and name.removesuffix(", selected") in of_method
        ]
        if pairs:
            gains = [np.mean([b[key] - a[key] for a, b in pairs]) for key in ("F", "AUC", "AUCPR")]
            rows.append([method.name, str(len(pairs)), *map(signed, gains)])
    header = ["model", "data sets", "F", "AUC", "AUCPR"]
    return Table("What all words gain over the most frequent ones", header, rows)


def hypothesis(role: str) -> Table:
    """Return the correlations of local imbalance and the gains of sampling, label by label."""
    grouped = by_dataset(records(), role)
    rows = []
    for method in of_group(SAMPLER, ENSEMBLE):
        cells = []
        for key in ("label_f1", "label_auc_pr"):
            defined = correlations(grouped, method.name, method.base, key)
            cells.append(shown(Difference.of(defined)) if defined else "–")
        rows.append([method.name, *cells])
    caption = f"Correlation of local imbalance and gain over labels, {role} data sets"
    return Table(caption, ["method", "F", "AUCPR"], rows)


def against(pairs: list[tuple[str, str]], role: str) -> Table:
    """Compare pairs of methods by F, AUC and AUCPR."""
    grouped = by_dataset(records(), role)
    by_score = {
        key: {
            pair: found
            for pair in pairs
            if pair[0] != pair[1]
            and (found := difference(grouped, *pair, partial(score, key))) is not None
        }
        for key in ("F", "AUC", "AUCPR")
    }
    tested = {
        key: dict(zip(of_key, corrected(list(of_key.values())), strict=True))
        for key, of_key in by_score.items()
    }
    rows = [
        [method, other, str(tested["F"][method, other].n_datasets)]
        + [shown(tested[key][method, other]) for key in tested]
        + [f"{cost_ratio(grouped, method, other):.2g}"]
        for method, other in tested["F"]
    ]
    header = ["method", "compared with", "data sets", *tested, "CPU time ×"]
    return Table(f"Mean differences on the {role} data sets", header, rows)


def score(key: str, of_dataset: Records) -> float:
    """Return a mean score of a method's records on a data set."""
    return scores_of(of_dataset)[key]


def shown(found: Difference) -> str:
    """Return a difference with its interval, wins and a star if it is significant."""
    star = "*" if found.p_value < 0.05 else ""
    return (
        f"{found.mean:+.3f}{star} ({found.low:+.3f} to {found.high:+.3f}), "
        f"{found.n_better} of {found.n_datasets}"
    )


def cost_ratio(grouped: dict[str, Any], method: str, other: str) -> float:
    """Return the geometric mean of the ratios of CPU times."""
    logs = [
        np.log(scores_of(ours)["CPU-s"] / scores_of(theirs)["CPU-s"])
        for ours, theirs in paired(grouped, method, other).values()
    ]
    return float(np.exp(np.mean(logs)))


def micro_f1(of_dataset: Records, rule: str) -> float:
    """Return the micro-F of a method's records on a data set."""
    hits, predicted, positive = np.sum([record["entries"][rule] for record in of_dataset], axis=0)
    return float(2 * hits / max(predicted + positive, 1))


def mean_of_defined(values: list[list[float]]) -> list[float]:
    """Return the mean of each column over the rows that have a value there."""
    table = np.array(values, dtype=float)
    counts = (~np.isnan(table)).sum(axis=0)
    means = np.nan_to_num(table).sum(axis=0) / np.maximum(counts, 1)
    return np.where(counts > 0, means, np.nan).tolist()


def highest_of_columns(numbers: list[list[float]]) -> set[tuple[int, int]]:
    """Return the places of the highest numbers, counted with a first column of names."""
    return {
        (int(np.nanargmax(column)), j + 1)
        for j, column in enumerate(np.array(numbers, dtype=float).T)
        if not np.isnan(column).all()
    }


def signed(number: float) -> str:
    """Return a difference with three decimals, a dash if it is undefined."""
    return "–" if np.isnan(number) else f"{number:+.3f}"


def decimals(number: float) -> str:
    """Return a number with three decimals, a dash if it is undefined."""
    return "–" if np.isnan(number) else f"{number:.3f}"


TABLES: dict[str, Callable[[], Table]] = {
    "progress": progress,
    "selection": selection,
    "short": short_form,
    "five-folds": five_folds,
    **{
        f"{name}-{role}": partial(make, role)
        for role in (EXPLORATORY, CONFIRMATORY)
        for name, make in {
            "rules": rules,
            "hypothesis": hypothesis,
            "models": models,
            "rarity": models_by_rarity,
            "samplers": lambda role: additions(role, SAMPLER, ENSEMBLE),
            "added-rarity": additions_by_rarity,
            "weights": lambda role: additions(role, WEIGHTS),
        }.items()
    },
}
