"""What the paper draws: how p and k matter, and LImb's correlation for several k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rarelabels.comparison import pearson_correlation
from rarelabels.experiment import Job, Store

from .formats import Table
from .measures import NUMBERS_OF_NEIGHBORS
from .tables import learners_of

PARAMETERS = {"sampling_ratio": "p", "n_neighbors": "k"}
USUAL = {
    "mlsol": {"sampling_ratio": 0.3, "n_neighbors": 5},
    "mlul": {"sampling_ratio": 0.1, "n_neighbors": 5},
}


def parameter_table(store: Store, plan: str, metric: str = "macro_auc_pr") -> Table:
    """Give the scores of MLSOL and MLUL as one parameter changes and the other keeps its value."""
    rows = []
    jobs = store.jobs(plan)
    learners = learners_of(store, plan)
    for learner in learners:
        scores = store.scores(metric, learner=learner, plan=plan)
        columns = scores.columns()
        for sampler, parameter, value, method in swept(jobs):
            for dataset, score in zip(scores.datasets, columns[method], strict=True):
                name = (dataset, learner, sampler.upper(), PARAMETERS[parameter])
                rows.append((*name, f"{value:g}", "" if np.isnan(score) else f"{score:.4f}"))
    order = sorted(rows, key=lambda row: (*row[:4], float(row[4])))
    header = ("Data set", "Base", "Sampler", "Parameter", "Value", "Score")
    return Table("parameters", "AUCPR as p or k changes.", header, tuple(order))


def swept(jobs: list[Job]) -> Iterator[tuple[str, str, float, str]]:
    """Find the methods that differ from the usual settings in one parameter at most.

    Yields
    ------
    sampler, parameter, value, method
        The usual setting comes for each parameter.
    """
    for method in dict.fromkeys(job.method for job in jobs):
        sampler = (method.sampler or "").lower()
        if sampler not in USUAL or method.is_ensemble:
            continue
        params = {**USUAL[sampler], **dict(method.params)}
        changed = [name for name, usual in USUAL[sampler].items() if params[name] != usual]
        for parameter in PARAMETERS:
            if set(changed) <= {parameter}:
                yield sampler, parameter, params[parameter], method.name


def rho_table(
    store: Store,
    plan: str,
    measures: Mapping[str, Mapping[str, float]],
    metric: str = "macro_auc_pr",
) -> Table:
    """Give the correlation of LImb with performance for several k, and its spread."""
    rows = []
    for learner in learners_of(store, plan):
        scores = store.scores(metric, learner=learner, plan=plan).select(("Default",)).complete()
        limbs = {
            str(k): [measures[dataset][f"limb_{k}"] for dataset in scores.datasets]
            for k in NUMBERS_OF_NEIGHBORS
        }
        found = pearson_correlation(limbs, {learner: scores.values[:, 0]})
        values = list(found.correlation[learner].values())
        rows.append((learner, *(f"{rho:.4f}" for rho in values), f"{np.std(values, ddof=1):.4f}"))
    header = ("Base", *(f"k={k}" for k in NUMBERS_OF_NEIGHBORS), "Standard deviation")
    caption = "Correlation of LImb with AUCPR for several k (the paper: all below -0.9)."
    return Table("rho", caption, header, tuple(rows))
