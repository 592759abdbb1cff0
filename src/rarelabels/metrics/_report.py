"""A table of how each label fares, the rarest first."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from rarelabels._containers import Array
from rarelabels._labels import LabelMatrix
from rarelabels._parameter_docs import shared_parameters
from rarelabels._tables import text_table
from rarelabels._validation import check_count, check_labels, check_number
from rarelabels.metrics._inputs import check_counted_predictions, check_scores
from rarelabels.metrics._label_scores import LabelScores
from rarelabels.metrics._records import METRICS, Metric
from rarelabels.metrics.bootstrap import drawn_samples, percentile_intervals

GROUPS = ("rare", "middle", "frequent")
# Bands of labels by their positive samples, each with the fewest that belong to it.
BANDS = {"0": 0, "1–9": 1, "10–29": 10, "30–99": 30, "100+": 100}

# Rows of a long table that are shown at its head and at its foot.
SHOWN = 10


@dataclass(frozen=True)
class MultilabelReport:
    """How each label fares, and the averages over rare, middle and frequent labels.

    Attributes
    ----------
    labels : dict of str to list
        One entry a column, one value a label, the rarest label first: "label", "positive"
        (samples that carry it), "group" and the measures. A measure is NaN if it is undefined.
        `pandas.DataFrame(report.labels)` makes a dataframe of it.
    averages : dict of str to dict
        For "rare", "middle", "frequent" and "all": "labels" (how many), "left_out" (how many of
        them lack a measure) and the mean of each measure over the labels that have it.
    bands : dict of str to dict
        The same for the bands "0", "1–9", "10–29", "30–99" and "100+" of positive samples, if there
        are such labels.
    overall : dict of str to float
        Each metric of :data:`METRICS` by its name, over all labels.
    intervals : dict or None
        Low and high ends of bootstrap intervals: "overall" by metric, "bands" by band and measure,
        and "labels" by measure, a list in the order of `labels`.
    """

    labels: dict[str, list[Any]]
    averages: dict[str, dict[str, Any]]
    bands: dict[str, dict[str, Any]]
    overall: dict[str, float]
    intervals: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain dicts and lists.

        Returns
        -------
        dict
            With the keys "labels" (a list of one dict a label), "averages", "bands", "overall" and
            "intervals".
        """
        rows = [
            dict(zip(self.labels, row, strict=True))
            for row in zip(*self.labels.values(), strict=True)
        ]
        return {
            "labels": rows,
            "averages": {name: dict(means) for name, means in self.averages.items()},
            "bands": {name: dict(means) for name, means in self.bands.items()},
            "overall": dict(self.overall),
            "intervals": self.intervals,
        }

    def __repr__(self) -> str:
        columns = list(self.labels)
        rows = list(zip(*self.labels.values(), strict=True))
        n_hidden = max(0, len(rows) - 2 * SHOWN)
        if n_hidden:
            note = (f"({n_hidden} more)",) + ("",) * (len(columns) - 1)
            rows = [*rows[:SHOWN], note, *rows[-SHOWN:]]
        rows += [("",) * len(columns), *self._average_rows()]
        table = text_table(columns, [[_cell(value) for value in row] for row in rows])
        return f"{table}\n\n{self._overall_table()}"

    def _average_rows(self) -> list[tuple[Any, ...]]:
        measures = list(self.labels)[3:]
        named = [(f"mean of {name}", means) for name, means in self.averages.items()]
        named += [(f"{name} positive", means) for name, means in self.bands.items()]
        return [
            (name, "", _counted(means), *(means[measure] for measure in measures))
            for name, means in named
        ]

    def _overall_table(self) -> str:
        heads, rows = ["metric", "value"], [[name, _cell(v)] for name, v in self.overall.items()]
        if self.intervals is not None:
            heads.append("interval")
            ends = self.intervals["overall"]
            rows = [[*row, " to ".join(map(_cell, ends[row[0]]))] for row in rows]
        return text_table(heads, rows)


@shared_parameters
def multilabel_report(
    y_true: Any,
    y_pred: Any,
    y_score: Any = None,
    label_names: Sequence[str] | None = None,
    *,
    sample_weight: Any = None,
    allow_missing_labels: bool = False,
    label_counts: Any = None,
    n_bootstrap: int = 0,
    groups: Any = None,
    confidence: float = 0.95,
    random_state: Any = None,
) -> MultilabelReport:
    """Report how each label fares, the rarest first.

    Parameters
    ----------
    {y_true}
    y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The predicted labels, 0 or 1.
    y_score : array-like or dataframe of shape (n_samples, n_labels), optional
        Scores, for the areas under the curves; without them those columns are absent.
    label_names : sequence of str, optional
        The labels' names; by default the columns' names of `y_true`, or their numbers.
    {sample_weight}
    {allow_missing_labels, in y_true}
    label_counts : array-like of int of shape (n_labels,), default=None
        Positive samples of each label by which labels are sorted into bands, such as those of the
        training data; by default those of `y_true`.
    n_bootstrap : int, default=0
        Draws of samples for intervals; 1000 is usual. 0 means no intervals.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its patient. Whole groups are drawn, because samples of
        one group are alike.
    confidence : float, default=0.95
        The share of the draws that an interval holds.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    MultilabelReport
        With `labels` (a dict of columns), `averages`, `bands`, `overall`, `intervals`, `to_dict()`
        and a readable repr.

    Notes
    -----
    Labels are sorted by their positive samples in `y_true` and cut in three parts as equal as can
    be: rare, middle, frequent. Equally rare labels keep the order of their columns, and may fall on
    both sides of a cut.

    An interval holds the middle of the values that the metric has on samples drawn with
    replacement. It says how much the value depends on the test samples, and nothing about another
    training set. A label that a draw does not contain is left out of the means of that draw, so
    intervals of rare labels are rough.

    Examples
    --------
    >>> from rarelabels.metrics import multilabel_report
    >>> Y = [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    >>> predicted = [[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> report = multilabel_report(Y, predicted, label_names=["day", "dusk", "night"])
    >>> report
    label             positive     group      f1   gmean  balanced_accuracy
    night                    1      rare  0.0000  0.0000             0.5000
    dusk                     2    middle  0.6667  0.7071             0.7500
    day                      3  frequent  1.0000  1.0000             1.0000
    <BLANKLINE>
    mean of rare                1 labels  0.0000  0.0000             0.5000
    mean of middle              1 labels  0.6667  0.7071             0.7500
    mean of frequent            1 labels  1.0000  1.0000             1.0000
    mean of all                 3 labels  0.5556  0.5690             0.7500
    1–9 positive                3 labels  0.5556  0.5690             0.7500
    <BLANKLINE>
    metric                    value
    macro_f1                 0.5556
    macro_gmean              0.5690
    macro_balanced_accuracy  0.7500
    micro_precision          1.0000
    micro_recall             0.6667
    micro_f1                 0.8000
    samples_precision        1.0000
    samples_recall           0.7778
    samples_f1               0.8333
    subset_accuracy          0.7500
    hamming_loss             0.1667

    Half of the samples belong to each of two patients:

    >>> report = multilabel_report(
    ...     Y, predicted, n_bootstrap=100, groups=["a", "a", "b", "b"], random_state=0
    ... )
    >>> report.intervals["overall"]["hamming_loss"]
    (0.0, 0.3333333333333333)
    """
    named = check_labels(y_true, allow_missing_labels)
    names = _checked_names(named.names if label_names is None else label_names, named.matrix)
    # A metric of another package need not know the options.
    options: dict[str, Any] = {} if sample_weight is None else {"sample_weight": sample_weight}
    options |= {"allow_missing_labels": True} if allow_missing_labels else {}
    scored = ScoredSamples.of(y_true, y_pred, y_score, options)
    n_positive = np.asarray(named.matrix.sum(axis=0, dtype=np.int64))
    order = np.argsort(n_positive, kind="stable")
    measures, overall = scored.measured()
    measures = {name: values[order] for name, values in measures.items()}
    members = {name: _groups(order.size) == name for name in GROUPS}
    members["all"] = np.ones(order.size, dtype=bool)
    bands = label_bands(n_positive if label_counts is None else label_counts, order)
    table: dict[str, list[Any]] = {
        "label": [names[j] for j in order],
        "positive": n_positive[order].tolist(),
        "group": _groups(order.size).tolist(),
        **{name: values.tolist() for name, values in measures.items()},
    }
    intervals = None
    if check_count("n_bootstrap", n_bootstrap, 0):
        draws = drawn_samples(scored.n_samples, n_bootstrap, groups, random_state)
        intervals = _intervals(scored, order, bands, draws, _checked_confidence(confidence))
    return MultilabelReport(
        table,
        {name: _average(measures, which) for name, which in members.items()},
        {name: _average(measures, which) for name, which in bands.items()},
        overall,
        intervals,
    )


@dataclass(frozen=True)
class ScoredSamples:
    """True and predicted labels as matrices, of which some samples can be taken."""

    labels: sparse.csr_array
    predicted: sparse.csr_array
    scores: Array | None
    options: dict[str, Any]

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, y_score: Any, options: dict[str, Any]) -> ScoredSamples:
        """Check what the caller of the report gave."""
        truth, predicted = check_counted_predictions(y_true, y_pred, **options)
        scores = None if y_score is None else check_scores(y_true, y_score, **options)[1]
        weights = options.get("sample_weight")
        given = {} if weights is None else {"sample_weight": np.asarray(weights)}
        return cls(_table_of(truth.labels), predicted, scores, {**options, **given})

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.labels.shape[0]

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that can be computed."""
        return [one for one in METRICS if self.scores is not None or not one.needs_scores]

    def take(self, samples: Array) -> ScoredSamples:
        """Return some of the samples."""
        options = dict(self.options)
        if "sample_weight" in options:
            options["sample_weight"] = options["sample_weight"][samples]
        scores = None if self.scores is None else self.scores[samples]
        return ScoredSamples(self.labels[samples], self.predicted[samples], scores, options)

    def measured(self) -> tuple[dict[str, npt.NDArray[np.float64]], dict[str, float]]:
        """Return the score of each label by label-wise metrics, and all metrics over all labels."""
        given: dict[str, Any] = {"y_pred": self.predicted, "y_score": self.scores, **self.options}
        by_label, overall = {}, {}
        with warnings.catch_warnings():
            # NaN says as much.
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            for metric in self.metrics:
                if metric.per_label is None:
                    overall[metric.name] = metric.score(self.labels, **given)
                    continue
                values = metric.label_scores(self.labels, **given).values
                by_label[metric.label_name] = values
                overall[metric.name] = LabelScores(values).mean
        return by_label, overall


def label_bands(counts: Any, order: Array) -> dict[str, npt.NDArray[np.bool_]]:
    """Return which labels, in an order, are in each band of positive samples; none is empty."""
    known = np.asarray(counts)
    if known.shape != (order.size,) or known.dtype.kind not in "iu" or (known < 0).any():
        raise ValueError(
            f"label_counts must have a number of positive samples, 0 or more, for each of the "
            f"{order.size} labels; got {counts!r}."
        )
    place = np.searchsorted(list(BANDS.values()), known[order], side="right") - 1
    return {name: place == at for at, name in enumerate(BANDS) if (place == at).any()}


def _intervals(
    scored: ScoredSamples,
    order: Array,
    bands: dict[str, npt.NDArray[np.bool_]],
    draws: Any,
    confidence: float,
) -> dict[str, Any]:
    """Return intervals of the metrics, of the means of bands and of the scores of labels."""

    def numbers(samples: Array) -> Array:
        measures, overall = scored.take(samples).measured()
        tables = [values[order] for values in measures.values()]
        means = [LabelScores(table[which]).mean for which in bands.values() for table in tables]
        return np.concatenate([[*overall.values(), *means], *tables])

    measures, overall = scored.measured()
    ends = percentile_intervals(numbers, draws, confidence).T.tolist()
    pairs = iter([(low, high) for low, high in ends])
    return {
        "overall": {name: next(pairs) for name in overall},
        "bands": {band: {name: next(pairs) for name in measures} for band in bands},
        "labels": {name: [next(pairs) for _ in order] for name in measures},
    }


def _table_of(labels: LabelMatrix) -> sparse.csr_array:
    """Return the labels as a matrix, NaN for those that are unknown."""
    if labels.unknown is None:
        return labels.positives
    unknown = labels.unknown.astype(np.float64)
    unknown.data[:] = np.nan
    return sparse.csr_array(labels.positives + unknown)


def _checked_confidence(confidence: Any) -> float:
    if not 0 < check_number("confidence", confidence) < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}.")
    return float(confidence)


def _checked_names(names: Sequence[str], matrix: Any) -> list[str]:
    if len(names) != matrix.shape[1]:
        raise ValueError(
            f"label_names must name each of the {matrix.shape[1]} labels, got {len(names)} names."
        )
    return [str(name) for name in names]


def _groups(n_labels: int) -> npt.NDArray[np.str_]:
    """Cut labels, the rarest first, in three."""
    sizes = [part.size for part in np.array_split(np.arange(n_labels), len(GROUPS))]
    return np.repeat(GROUPS, sizes)


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
