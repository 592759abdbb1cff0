"""A table of how each label fares, the rarest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rarelabels._tables import text_table
from rarelabels._validation import check_labels
from rarelabels.metrics._label_scores import LabelScores
from rarelabels.metrics._records import METRICS

GROUPS = ("rare", "middle", "frequent")

# Rows of a long table that are shown at its head and at its foot.
SHOWN = 10


@dataclass(frozen=True)
class MultilabelReport:
    """How each label fares, and the averages over rare, middle and frequent labels.

    Attributes
    ----------
    labels : dict of str to list
        One entry a column, one value a label, the rarest label first: "label", "positive"
        (samples that carry it), "group" and the measures. A measure is NaN where it is undefined.
        `pandas.DataFrame(report.labels)` makes a dataframe of it.
    averages : dict of str to dict
        For "rare", "middle", "frequent" and "all": "labels" (how many), "left_out" (how many of
        them lack a measure) and the mean of each measure over the labels that have it.
    """

    labels: dict[str, list[Any]]
    averages: dict[str, dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain dicts and lists.

        Returns
        -------
        dict
            With the keys "labels" (a list of one dict a label) and "averages".
        """
        rows = [
            dict(zip(self.labels, row, strict=True))
            for row in zip(*self.labels.values(), strict=True)
        ]
        return {"labels": rows, "averages": {name: dict(v) for name, v in self.averages.items()}}

    def __repr__(self) -> str:
        columns = list(self.labels)
        rows = list(zip(*self.labels.values(), strict=True))
        n_hidden = max(0, len(rows) - 2 * SHOWN)
        if n_hidden:
            note = (f"({n_hidden} more)",) + ("",) * (len(columns) - 1)
            rows = [*rows[:SHOWN], note, *rows[-SHOWN:]]
        rows += [("",) * len(columns), *self._average_rows()]
        return text_table(columns, [[_cell(value) for value in row] for row in rows])

    def _average_rows(self) -> list[tuple[Any, ...]]:
        measures = list(self.labels)[3:]
        return [
            (f"mean of {name}", "", _counted(means), *(means[measure] for measure in measures))
            for name, means in self.averages.items()
        ]


def multilabel_report(
    y_true: Any,
    y_pred: Any,
    y_score: Any = None,
    label_names: Sequence[str] | None = None,
    *,
    sample_weight: Any = None,
    allow_missing_labels: bool = False,
) -> MultilabelReport:
    """Report how each label fares, the rarest first.

    Parameters
    ----------
    y_true : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1.
    y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The predicted labels, 0 or 1.
    y_score : array-like or dataframe of shape (n_samples, n_labels), optional
        Scores, for the areas under the curves; without them those columns are absent.
    label_names : sequence of str, optional
        The labels' names; by default the columns' names of `y_true`, or their numbers.
    sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Weights of the samples, or of each sample and label.
    allow_missing_labels : bool, default=False
        Whether `y_true` may hold NaN for labels that are not known. Such entries do not count.

    Returns
    -------
    MultilabelReport
        With `labels` (a dict of columns), `averages`, `to_dict()` and a readable repr.

    Notes
    -----
    Labels are sorted by their positive samples in `y_true` and cut in three parts as equal as can
    be: rare, middle, frequent. Equally rare labels keep the order of their columns, and may fall on
    both sides of a cut.

    Examples
    --------
    >>> from rarelabels.metrics import multilabel_report
    >>> Y = [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    >>> predicted = [[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> multilabel_report(Y, predicted, label_names=["day", "dusk", "night"])
    label             positive     group      f1   gmean  balanced_accuracy
    night                    1      rare  0.0000  0.0000             0.5000
    dusk                     2    middle  0.6667  0.7071             0.7500
    day                      3  frequent  1.0000  1.0000             1.0000
    <BLANKLINE>
    mean of rare                1 labels  0.0000  0.0000             0.5000
    mean of middle              1 labels  0.6667  0.7071             0.7500
    mean of frequent            1 labels  1.0000  1.0000             1.0000
    mean of all                 3 labels  0.5556  0.5690             0.7500
    """
    labels = check_labels(y_true, allow_missing_labels)
    names = _checked_names(labels.names if label_names is None else label_names, labels.matrix)
    n_positive = np.asarray(labels.matrix.sum(axis=0, dtype=np.int64))
    order = np.argsort(n_positive, kind="stable")
    groups = _groups(order.size)
    # A metric of another package need not know the options.
    options: dict[str, Any] = {} if sample_weight is None else {"sample_weight": sample_weight}
    options |= {"allow_missing_labels": True} if allow_missing_labels else {}
    scored = _measures(y_true, y_pred, y_score, options)
    measures = {name: scores.values[order] for name, scores in scored.items()}
    table: dict[str, list[Any]] = {
        "label": [names[j] for j in order],
        "positive": n_positive[order].tolist(),
        "group": groups.tolist(),
        **{name: values.tolist() for name, values in measures.items()},
    }
    return MultilabelReport(table, _averages(groups, measures))


def _checked_names(names: Sequence[str], matrix: Any) -> list[str]:
    if len(names) != matrix.shape[1]:
        raise ValueError(
            f"label_names must name each of the {matrix.shape[1]} labels, got {len(names)} names."
        )
    return [str(name) for name in names]


def _measures(
    y_true: Any, y_pred: Any, y_score: Any, options: dict[str, Any]
) -> dict[str, LabelScores]:
    return {
        metric.label_name: metric.label_scores(y_true, y_pred=y_pred, y_score=y_score, **options)
        for metric in METRICS
        if y_score is not None or not metric.needs_scores
    }


def _groups(n_labels: int) -> npt.NDArray[np.str_]:
    """Cut labels, the rarest first, in three."""
    sizes = [part.size for part in np.array_split(np.arange(n_labels), len(GROUPS))]
    return np.repeat(GROUPS, sizes)


def _averages(
    groups: npt.NDArray[np.str_], measures: dict[str, npt.NDArray[np.float64]]
) -> dict[str, dict[str, Any]]:
    members = {name: groups == name for name in GROUPS} | {"all": np.ones(groups.size, dtype=bool)}
    return {name: _average(measures, which) for name, which in members.items()}


def _average(
    measures: dict[str, npt.NDArray[np.float64]], which: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    chosen = {name: LabelScores(values[which]) for name, values in measures.items()}
    return {
        "labels": int(which.sum()),
        "left_out": max(scores.n_left_out for scores in chosen.values()),
        **{name: scores.mean for name, scores in chosen.items()},
    }


def _counted(means: dict[str, Any]) -> str:
    left_out = f", {means['left_out']} left out" if means["left_out"] else ""
    return f"{means['labels']} labels{left_out}"


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
