"""Compute all measures of a data set at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._local import (
    LabelType,
    LocalImbalance,
    known_counts,
    label_counts,
    minority_class,
)
from rarelabels._neighbors import Neighbors, local_neighbors
from rarelabels._parameter_docs import shared_parameters
from rarelabels._registry import Deferred
from rarelabels._tables import html_table, text_table
from rarelabels._validation import check_pair
from rarelabels.measures._advice import Advice, Measured, advise
from rarelabels.measures.concurrence import scumble_of_samples
from rarelabels.measures.conflicts import comparable_rows, conflicting_samples
from rarelabels.measures.counts import (
    density_of,
    finite_mean,
    finite_variation,
    imr_of_counts,
    irlbl_of_counts,
)
from rarelabels.measures.embeddings import are_embeddings
from rarelabels.measures.neighborhoods import mean_over_labels, warned_local_of

SHOWN_LABELS = 20
# Notebook view with charts, which the report package draws.
FRAME = Deferred("rarelabels.report.notebook:description_frame")


@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """The measures of a data set.

    Attributes
    ----------
    summary : dict
        Sizes and measures of the whole data set. It includes ``neighbor_recall`` if the neighbor
        search was approximate.
    labels : structured ndarray of shape (n_labels,)
        One row per label: ``label``, ``count``, ``minority_class``, ``irlbl``, ``imr``,
        ``local_imbalance`` (mean over its minority samples) and the fractions of those that are
        ``safe``, ``borderline``, ``rare`` and ``outlier``. It can be passed to
        ``pandas.DataFrame`` or ``polars.DataFrame``.
    local : LocalImbalance
        The local imbalance and type of each minority entry of the labels, from which the means and
        fractions are computed.
    n_conflicting : int
        Number of samples that equal others in every feature but have different labels.

    Examples
    --------
    >>> from rarelabels.measures import describe
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> description = describe(X, [[1], [1], [0], [0], [0]], n_neighbors=2)
    >>> description.labels["count"]
    array([2])
    """

    summary: dict[str, Any]
    labels: Array
    local: LocalImbalance
    n_conflicting: int = 0
    are_embeddings: bool = False

    @property
    def advice(self) -> tuple[Advice, ...]:
        """Recommended steps, starting with problems that affect every method."""
        measured = Measured(self.labels, self.summary, self.n_conflicting, self.are_embeddings)
        return advise(measured)

    def with_names(self, names: Sequence[str]) -> Description:
        """Return the same measures with other label names.

        Parameters
        ----------
        names : sequence of str
            A name for each label.

        Returns
        -------
        Description
            A copy with these names in `labels` and `advice`.
        """
        columns = {name: self.labels[name] for name in self.labels.dtype.names or ()}
        return replace(self, labels=_as_table({**columns, "label": np.array(names, dtype=np.str_)}))

    def __repr__(self) -> str:
        width = max(map(len, self.summary))
        facts = [f"{name:<{width}}  {_short(value)}" for name, value in self.summary.items()]
        return "\n".join([*facts, "", *_table(self.labels), *_plan(self.advice)])

    def _repr_html_(self) -> str:
        try:
            return str(FRAME(self))
        except ImportError:
            return self._as_tables()

    def _as_tables(self) -> str:
        """Return tables without charts, for use if the drawing dependencies are not installed."""
        facts = ((name, _short(value)) for name, value in self.summary.items())
        heads, *rows = _rarest_first(self.labels)
        more = _how_many_more(self.labels)
        steps = ((step.topic, step.what, step.why, step.code) for step in self.advice)
        tables = [
            html_table(["measure", "value"], facts),
            f"{html_table(heads, rows)}<p>{more}</p>",
            html_table(["what to do", "", "why", "code"], steps) if self.advice else "",
        ]
        return "".join(tables)


@shared_parameters
def describe(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 5,
    scale_features: bool = True,
    categorical_features: Any = "auto",
    metric: str = "euclidean",
    neighbors: Any = None,
    n_jobs: int | None = None,
    allow_missing_labels: bool = False,
) -> Description:
    """Measure a data set: label counts, and how difficult the neighborhoods of the labels are.

    Parameters
    ----------
    {X, or a Dask collection}
    {y}
    {n_neighbors}
    {scale_features, categorical_features, metric, neighbors, n_jobs}
    {allow_missing_labels}

    Returns
    -------
    Description
        ``.summary`` is a dict, ``.labels`` has one row per label, and ``.advice`` lists what to do.
        Printing the description shows all of them.

    Examples
    --------
    >>> from rarelabels.measures import describe
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> describe(X, [[1, 1], [1, 0], [0, 1], [0, 0], [0, 1]], n_neighbors=2).summary["limb"]
    0.75
    """
    features, labels = check_pair(
        X, y, categorical_features, n_neighbors, allow_missing_labels, works_on_blocks=True
    )
    nearest = local_neighbors(
        features,
        n_neighbors=n_neighbors,
        scale_features=scale_features,
        metric=metric,
        neighbors=neighbors,
        n_jobs=n_jobs,
    )
    local = warned_local_of(labels, nearest)
    table = _label_table(labels, local)
    summary = {
        "n_samples": labels.matrix.shape[0],
        "n_features": features.container.shape[1],
        "n_labels": labels.matrix.shape[1],
        "label_cardinality": labels.matrix.nnz / labels.matrix.shape[0],
        "label_density": density_of(labels.values),
        "mean_ir": finite_mean(table["irlbl"]),
        "cvir": finite_variation(table["irlbl"]),
        "mean_imr": finite_mean(table["imr"]),
        "cvimr": finite_variation(table["imr"]),
        "scumble": float(scumble_of_samples(labels.matrix, table["irlbl"]).mean()),
        "limb": mean_over_labels(local),
        "n_neighbors": int(n_neighbors),
        **({} if metric == "euclidean" else {"metric": metric}),
        **_recall(nearest),
        **_unknown(labels),
    }
    n_conflicting = conflicting_samples(comparable_rows(features), labels.values)
    return Description(summary, table, local, n_conflicting, are_embeddings(features))


def _recall(neighbors: Neighbors) -> dict[str, float]:
    """Return the recall of an approximate search."""
    is_exact = neighbors.recall is None or neighbors.recall == 1
    return {} if is_exact else {"neighbor_recall": float(neighbors.recall or 0)}


def _unknown(labels: Labels) -> dict[str, int]:
    """Return the number of entries of y that are unknown, if some are."""
    unknown = labels.values.unknown
    return {} if unknown is None else {"n_unknown": int(unknown.nnz)}


def _label_table(labels: Labels, local: LocalImbalance) -> Array:
    counts = label_counts(labels.matrix)
    columns = {
        "label": np.array(labels.names, dtype=np.str_),
        "count": counts,
        "minority_class": minority_class(labels.values),
        "irlbl": irlbl_of_counts(counts),
        "imr": imr_of_counts(counts, known_counts(labels.values)),
        "local_imbalance": local.label_means(),
        **_type_shares(local),
    }
    if labels.values.unknown is not None:
        columns["unknown"] = label_counts(labels.values.unknown)
    return _as_table(columns)


def _as_table(columns: dict[str, Array]) -> Array:
    dtype = [(name, column.dtype) for name, column in columns.items()]
    table = np.empty(columns["label"].size, dtype=dtype)
    for name, column in columns.items():
        table[name] = column
    return table


def _type_shares(local: LocalImbalance) -> dict[str, Array]:
    """Return the fraction of each type among the minority samples of each label."""
    labels, n_labels = local.entries.indices, local.entries.shape[1]
    n_entries = np.bincount(labels, minlength=n_labels).astype(float)
    n_entries[n_entries == 0] = np.nan
    kinds = [LabelType.SAFE, LabelType.BORDERLINE, LabelType.RARE, LabelType.OUTLIER]
    counts = (np.bincount(labels[local.types == kind], minlength=n_labels) for kind in kinds)
    return {kind.name.lower(): count / n_entries for kind, count in zip(kinds, counts, strict=True)}


def _table(labels: Array) -> list[str]:
    """Return the lines of the label table, rarest first."""
    heads, *rows = _rarest_first(labels)
    return [text_table(heads, rows, left=0), _how_many_more(labels)]


def _plan(advice: tuple[Advice, ...]) -> list[str]:
    """Return the lines of the advice, with the code to copy."""
    lines = ["", "what to do"] if advice else []
    for number, step in enumerate(advice, 1):
        lines.append(f"{number}. {step}")
        lines += [f"   {step.code}"] if step.code else []
    return lines


def _rarest_first(labels: Array) -> list[list[str]]:
    """Return the header and the rows of a table of the rarest labels, as text."""
    names = list(labels.dtype.names or ())
    order = np.argsort(labels["count"], kind="stable")[:SHOWN_LABELS]
    return [names, *([_short(labels[j][name]) for name in names] for j in order)]


def _how_many_more(labels: Array) -> str:
    more = labels.size - SHOWN_LABELS
    return f"… and {more} more frequent labels" if more > 0 else ""


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
