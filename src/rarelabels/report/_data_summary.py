"""Summarize a data set for the page, as a dict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._neighbors import find_neighbors
from rarelabels._plain import plain, records
from rarelabels.datasets import MultiLabelDataset
from rarelabels.measures import Advice, Description, describe
from rarelabels.report._cooccurrence import cooccurrence_summary
from rarelabels.report._features_summary import features_summary
from rarelabels.report._labelsets import examples_of, labelsets_summary, partners_of
from rarelabels.report._projection import map_summary
from rarelabels.report.words import MEASURES

FOR_SAMPLERS = 5
# The measures that the page shows first.
FIRST = ("n_labels", "mean_ir", "scumble", "limb")


def data_summary(
    dataset: MultiLabelDataset,
    *,
    n_neighbors: int = 5,
    metric: str = "euclidean",
    neighbors: Any = None,
    samplers: tuple[str, ...] = ("mlsol", "mlul"),
    random_state: int = 0,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Describe a data set for a page.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    n_neighbors : int, default=5
        Neighbors of each sample.
    metric : str, default="euclidean"
        The distance, as in :func:`rarelabels.find_neighbors`.
    neighbors : "approximate" or another search, optional
        As in :func:`rarelabels.find_neighbors`.
    samplers : tuple of str, default=("mlsol", "mlul")
        Samplers whose effect the map of the samples shows.
    random_state : int, default=0
        Chooses which samples of a large data set the map shows.
    n_jobs : int, default=None
        Number of threads for the neighbor search.

    Returns
    -------
    dict
        What :func:`measures_summary` gives, "features", "labelsets", "partners" and "examples" of
        each label, "cooccurrence" and "map". It can be written as JSON.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.report import data_summary
    >>> summary = data_summary(make_local_imbalance(60, random_state=0))
    >>> summary["labels"][0]["count"], summary["map"]["overlays"][0]["title"]
    (18, 'MLSOL')
    """
    # One search serves the measures, and samplers that need a few more neighbors.
    n_searched = max(n_neighbors, min(FOR_SAMPLERS, dataset.n_samples - 1))
    local_neighbors = find_neighbors(
        dataset.X,
        n_neighbors=n_searched,
        categorical_features=list(dataset.categorical_features) or None,
        metric=metric,
        neighbors=neighbors,
        n_jobs=n_jobs,
    )
    described = _described(dataset, n_neighbors, metric, local_neighbors)
    data = measures_of(described, dataset.label_names, dataset.name, n_neighbors)
    Y = sparse.csr_array(dataset.label_matrix.positives, dtype=np.int64)
    rng = np.random.default_rng(random_state)
    every = list(range(dataset.n_labels))
    return {
        **data,
        "features": features_summary(dataset),
        "labelsets": labelsets_summary(Y, list(dataset.label_names)),
        "partners": partners_of(Y, every),
        "examples": examples_of(described.local, every),
        "cooccurrence": cooccurrence_summary(
            Y, list(dataset.label_names), described.labels["irlbl"]
        ),
        "map": map_summary(dataset, described.local, local_neighbors, samplers, rng),
    }


def measures_summary(
    dataset: MultiLabelDataset,
    *,
    n_neighbors: int = 5,
    metric: str = "euclidean",
    neighbors: Any = None,
) -> dict[str, Any]:
    """Return the measures of a data set as plain values.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set.
    n_neighbors : int, default=5
        Neighbors of each sample.
    metric : str, default="euclidean"
        The distance, as in :func:`rarelabels.find_neighbors`.
    neighbors : Neighbors, "approximate" or another search, optional
        Found before, or how they are searched, as in :func:`rarelabels.find_neighbors`.

    Returns
    -------
    dict
        "name", "n_neighbors", "summary", "labels" and "advice" (those of
        :func:`rarelabels.measures.describe`, the labels as a list of dicts). Undefined values
        are None, so that it can be written as JSON.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.report import measures_summary
    >>> measures_summary(make_local_imbalance(60, random_state=0))["labels"][2]["count"]
    6
    """
    described = _described(dataset, n_neighbors, metric, neighbors)
    return measures_of(described, dataset.label_names, dataset.name, n_neighbors)


def _described(
    dataset: MultiLabelDataset, n_neighbors: int, metric: str, neighbors: Any
) -> Description:
    description = describe(
        dataset.X,
        dataset.Y,
        n_neighbors=n_neighbors,
        categorical_features=list(dataset.categorical_features) or None,
        metric=metric,
        neighbors=neighbors,
        allow_missing_labels=True,
    )
    return description.with_names(dataset.label_names)


def measures_of(
    described: Description,
    label_names: Sequence[str],
    name: str | None = None,
    n_neighbors: int | None = None,
) -> dict[str, Any]:
    """Return a description as plain values, as :func:`measures_summary` does for a data set.

    Parameters
    ----------
    described : Description
        What :func:`rarelabels.measures.describe` returned.
    label_names : list of str
        The names of the labels.
    name : str, optional
        The name of the data set.
    n_neighbors : int, optional
        The number of neighbors of each sample.

    Returns
    -------
    dict
        "name", "n_neighbors", "summary", "labels" and "advice".

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.measures import describe
    >>> from rarelabels.report import measures_of
    >>> described = describe(*make_local_imbalance(60, random_state=0))
    >>> measures_of(described, ["a", "b", "c"])["labels"][2]["count"]
    6
    """
    return {
        "name": name,
        "n_neighbors": n_neighbors,
        "summary": plain(described.summary),
        "labels": _labels(described.labels, label_names, described.summary["n_samples"]),
        "advice": [_step(step) for step in described.advice],
    }


def _step(step: Advice) -> dict[str, Any]:
    return {**asdict(step), "labels": list(step.labels)}


def _labels(table: Any, names: Sequence[str], n_samples: int) -> list[dict[str, Any]]:
    rows = zip(records(table), names, strict=True)
    return [{**row, "label": name, **_minority(row, n_samples)} for row, name in rows]


def _minority(row: dict[str, Any], n_samples: int) -> dict[str, int]:
    count, n_known = row["count"], n_samples - row.get("unknown", 0)
    return {"minority_samples": count if row["minority_class"] == 1 else n_known - count}


def measures(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the measures of a data set with their titles and meanings, in the order to show."""
    return [
        {
            "name": name,
            "value": summary[name],
            "title": words.title,
            "meaning": words.meaning,
            "is_first": name in FIRST,
        }
        for name, words in MEASURES.items()
    ]
