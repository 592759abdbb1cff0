"""The page of an answer to "does sampling help"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rarelabels._validation import check_features
from rarelabels.advisor import SamplingHelp
from rarelabels.datasets import MultiLabelDataset
from rarelabels.experiment.evaluate import without_column
from rarelabels.experiment.plan import preprocessing_of
from rarelabels.report._data_summary import data_summary
from rarelabels.report._page import render_page
from rarelabels.sampling import sampler_names

ASKED = "does_sampling_help(X, y, model)"


def comparison_page(answer: SamplingHelp, *, n_neighbors: int = 5) -> str:
    """Write the page of a comparison: the answer first, then a description of the data.

    Parameters
    ----------
    answer : SamplingHelp
        From :func:`rarelabels.advisor.does_sampling_help`.
    n_neighbors : int, default=5
        Neighbors of each sample, for the measures.

    Returns
    -------
    str
        An HTML document that loads nothing.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.advisor import does_sampling_help
    >>> from rarelabels.report import comparison_page
    >>> X, y = make_local_imbalance(80, random_state=0)
    >>> answer = does_sampling_help(X, y, samplers="mlros", cv="1x2", random_state=0, verbose=0)
    >>> comparison_page(answer).startswith("<!DOCTYPE html>")
    True
    """
    described = data_summary(
        in_numbers(answer.data, preprocessing_of(answer.plan.learners[0], answer.plan.seed)),
        n_neighbors=n_neighbors,
        samplers=drawn_samplers(answer),
    )
    # What the page answers is no longer to be found out.
    described["advice"] = [step for step in described["advice"] if step["code"] != ASKED]
    return render_page(described, answer.summary)


def drawn_samplers(answer: SamplingHelp) -> tuple[str, ...]:
    """Return the sampler that the map shows: the one of the method with the highest gain.

    The runs of a comparison keep no samples, so each sampler on the map runs once more.
    """
    gains = {row["name"]: row["gain"] for row in answer.summary["methods"]}
    known = [
        method
        for method in answer.plan.methods
        if method.name in gains and method.sampler in sampler_names()
    ]
    if not known:
        return ()
    return (str(max(known, key=lambda method: gains[method.name]).sampler),)


def in_numbers(dataset: MultiLabelDataset, preprocessing: Any = None) -> MultiLabelDataset:
    """Return a data set whose features are numbers; categories of a dataframe become codes.

    Texts become what the model's own transformers make of them.
    """
    if preprocessing is not None:
        X = preprocessing.fit_transform(without_column(dataset.X))
        return replace(dataset, X=X, feature_names=(), categorical_features=())
    if not hasattr(dataset.X, "columns"):
        return dataset
    given: Any = list(dataset.categorical_features) or "auto"
    features = check_features(dataset.X, given)
    categorical = tuple(np.flatnonzero(features.categorical).tolist())
    return replace(dataset, X=features.numbers, categorical_features=categorical)
