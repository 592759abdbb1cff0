"""The columns that a model learned from, and new samples in the same columns.

A model that was fitted to a file learned from an array. The names of the columns and the categories
that the codes represent are kept with the model in `columns_`, as plain lists and dicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._wording import listed
from rarelabels.datasets import MultiLabelDataset
from rarelabels.learners.scores import scores_and_decisions

MOST_NAMED = 5
# What the names of columns with scores end in.
SCORE = " score"


class ColumnError(ValueError):
    """New samples that do not have the columns of a model."""


def columns_learned_from(dataset: MultiLabelDataset) -> dict[str, Any]:
    """Return the columns of a data set as plain values: features, labels and categories.

    >>> from rarelabels.datasets import make_local_imbalance
    >>> columns_learned_from(make_local_imbalance(60, random_state=0))["labels"]
    ['label_0', 'label_1', 'label_2']
    """
    names = list(dataset.feature_names)
    return {
        "features": names,
        "labels": list(dataset.label_names),
        "categories": {names[j]: list(values) for j, values in dataset.categories.items()},
    }


def known_columns(model: Any) -> dict[str, Any]:
    """Return the columns of a fitted model, by whatever it knows of them."""
    kept = getattr(model, "columns_", None)
    if kept is not None:
        return dict(kept)
    features = [str(name) for name in getattr(model, "feature_names_in_", ())]
    n_labels = int(getattr(model, "n_labels_in_", 0))
    labels = [str(name) for name in getattr(model, "label_names_in_", range(n_labels))]
    return {"features": features, "labels": labels, "categories": {}}


def features_for(columns: Mapping[str, Any], new: MultiLabelDataset) -> tuple[Any, list[str]]:
    """Return the features of new samples in the columns of a model, and notes on them.

    Parameters
    ----------
    columns : mapping
        As `columns_learned_from` returns it; without names of features, columns are taken by
        their order.
    new : MultiLabelDataset
        The samples; columns of the model's labels are ignored.

    Raises
    ------
    ColumnError
        If columns are missing or unknown, or hold texts where the model learned from numbers.
    """
    wanted = list(columns["features"])
    names = list(new.feature_names)
    notes: list[str] = []
    if not wanted:
        return new.X, notes
    labels = [name for name in names if name in set(columns["labels"]) - set(wanted)]
    if labels:
        notes.append(f"the columns of labels are ignored: {_some(labels)}.")
    _check_names(wanted, [name for name in names if name not in labels])
    places = [names.index(name) for name in wanted]
    X = new.X[:, places].astype(float)
    for j, name in enumerate(wanted):
        if name in columns["categories"] or places[j] in new.categories:
            X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
            X[:, j], unknown = _codes(
                name, X[:, j], columns["categories"].get(name), new.categories.get(places[j])
            )
            if unknown:
                notes.append(f"{name!r} has values that the model does not know: {_some(unknown)}.")
    return X, notes


def predicted_frame(
    model: Any, columns: Mapping[str, Any], new: MultiLabelDataset
) -> tuple[Any, list[str]]:
    """Return decisions and scores of new samples as a dataframe, and notes on their columns."""
    import pandas as pd

    X, notes = features_for(columns, new)
    names = columns["labels"]
    scores, decisions = scores_and_decisions(model, X, len(names))
    table = {name: decisions[:, j].astype("int8") for j, name in enumerate(names)}
    table |= {f"{name}{SCORE}": scores[:, j] for j, name in enumerate(names)}
    return pd.DataFrame(table), notes


def _check_names(wanted: Sequence[str], names: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in set(names)]
    if missing:
        raise ColumnError(f"columns that the model needs are missing: {_some(missing)}.")
    unknown = [name for name in names if name not in set(wanted)]
    if unknown:
        raise ColumnError(
            f"the model does not know the columns {_some(unknown)}; leave them out with --drop."
        )


def _codes(
    name: str, column: Array, categories: Sequence[str] | None, texts: Sequence[str] | None
) -> tuple[Array, list[str]]:
    """Return the model's codes of a column; values that it does not know get another code.

    `categories` are those of the model, and `texts` those of the column, None for numbers.
    """
    if categories is None or texts is None:
        kinds = ("numbers", "categories") if categories is None else ("categories", "numbers")
        raise ColumnError(f"column {name!r} holds {kinds[0]} in the model's data, here {kinds[1]}.")
    known = {text: code for code, text in enumerate(categories)}
    code_of = np.array([*(known.get(text, len(known)) for text in texts), np.nan])
    codes: Array = code_of[np.where(np.isnan(column), -1, column).astype(int)]
    return codes, [text for text in texts if text not in known]


def _some(names: Sequence[str]) -> str:
    shown = [repr(name) for name in names[:MOST_NAMED]]
    more = len(names) - len(shown)
    return listed([*shown, f"{more} more"] if more else shown)
