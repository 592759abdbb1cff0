"""What the paper draws: how p and k matter, and LImb's correlation for several k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rarelabels.comparison import pearson_correlation
from rarelabels.experiment import Job

from .formats import Table
from .measures import NUMBERS_OF_NEIGHBORS
from .results import Results

PARAMETERS = {"sampling_ratio": "p", "n_neighbors": "k"}
USUAL = {
    "mlsol": {"sampling_ratio": 0.3, "n_neighbors": 5},
    "mlul": {"sampling_ratio": 0.1, "n_neighbors": 5},
}


def parameter_table(results: Results, metric: str = "macro_auc_pr") -> Table:
    """Return the scores of MLSOL and MLUL as one parameter changes and the other keeps its value.

    The paper draws these (its Figure 4) and prints no figures.
    """
    rows = []
    for learner in results.learners:
        for sampler, parameter, value, method in swept(results.jobs):
            scores = results.table(metric, learner, (method,))
            for dataset, score in zip(scores.datasets, scores.values[:, 0], strict=True):
                name = (dataset, learner, sampler.upper(), PARAMETERS[parameter])
                rows.append((*name, f"{value:g}", f"{score:.4f}"))
    order = sorted(rows, key=lambda row: (*row[:4], float(row[4])))
    header = ("Data set", "Base", "Sampler", "Parameter", "Value", "Score")
    caption = "Figure 4. AUCPR by p and k; the paper has a drawing without numbers."
    return Table("figure4-parameters", caption, header, tuple(order))


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
    results: Results, measures: Mapping[str, Mapping[str, float]], metric: str = "macro_auc_pr"
) -> Table:
    """Return the correlation of LImb with performance for several k, and its spread (Figure 3)."""
    rows = []
    for learner in results.learners:
        scores = results.table(metric, learner, ("Default",))
        if len(scores.datasets) < 3:
            continue
        limbs = {
            str(k): [measures[dataset][f"limb_{k}"] for dataset in scores.datasets]
            for k in NUMBERS_OF_NEIGHBORS
        }
        found = pearson_correlation(limbs, {learner: scores.values[:, 0]})
        values = list(found.correlation[learner].values())
        cells = (*(f"{rho:.4f}" for rho in values), f"{np.std(values, ddof=1):.4f}")
        rows.append((learner, str(len(scores.datasets)), *cells))
    header = ("Base", "Sets", *(f"k={k}" for k in NUMBERS_OF_NEIGHBORS), "Standard deviation")
    caption = (
        "Figure 3. Correlation of LImb with AUCPR for several k. According to the paper, all are "
        "below -0.9, with standard deviations below 0.005."
    )
    return Table("figure3-rho", caption, header, tuple(rows))
