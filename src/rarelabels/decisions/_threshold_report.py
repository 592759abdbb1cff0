"""Confidence intervals of thresholds from resampling, as a table and as a chart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, fields, is_dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._random import as_generator
from rarelabels._tables import html_table, text_table
from rarelabels._validation import check_count
from rarelabels._wording import short
from rarelabels.decisions._inputs import CheckedScores, check_scored
from rarelabels.decisions._records import check_rule
from rarelabels.decisions.cuts import Cuts, cuts_of, dense_scores, entry_weights
from rarelabels.decisions.intervals import trials_for_width
from rarelabels.decisions.out_of_fold import named_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A recall whose interval may be wider than this says little.
WIDEST = 0.3
ALL = slice(None)
# Charts of a notebook, and points of a line in them.
MOST_DRAWN, MOST_POINTS = 12, 100
SHOWN = ("label", "positives", "threshold", "precision", "recall", "verdict")
CHART_CAPTION = "Precision (dashed) and recall over the threshold, which the vertical line marks."


@dataclass(frozen=True)
class ThresholdReport:
    """Thresholds with the precision and recall to expect, returned by :func:`threshold_report`.

    Attributes
    ----------
    labels : dict of str to list
        One entry for each column, with one value for each label: "label", "positives", "threshold"
        with "threshold_low" and "threshold_high", "precision" and "recall" on new samples, each
        with "_low" and "_high", and "verdict". `pandas.DataFrame(report.labels)` creates a
        dataframe. A value is NaN if it cannot be computed.
    positives_to_tell : int
        The verdict of labels with fewer positives is "too few positives to tell".
    """

    labels: dict[str, list[Any]]
    positives_to_tell: int
    _data: CheckedScores = field(repr=False, compare=False)

    def plot(self, label: Any, ax: Axes | None = None) -> Axes:
        """Plot precision and recall of a label against its threshold, and mark the one chosen.

        Parameters
        ----------
        label : str or int
            The label's name or its number.
        ax : matplotlib Axes, default=None
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib Axes
            The axes. The interval of the threshold is shaded.
        """
        place = self._place(label)
        ax = _new_axes() if ax is None else ax
        at, *curves = self._curves(place)
        for name, curve in zip(("precision", "recall"), curves, strict=True):
            (line,) = ax.plot(at, curve, drawstyle="steps-post", label=name)
            value, low, high = (self.labels[name + end][place] for end in ("", "_low", "_high"))
            threshold = float(np.clip(self.labels["threshold"][place], at.min(), at.max()))
            ax.errorbar(
                [threshold], [value], [[value - low], [high - value]],
                fmt="o", capsize=3, color=line.get_color(),
            )  # fmt: skip
        low, high = (
            float(np.clip(self.labels[f"threshold_{end}"][place], at.min(), at.max()))
            for end in ("low", "high")
        )
        ax.axvspan(low, high, color="0.85", zorder=0)
        ax.set(xlabel="threshold", ylim=(0, 1.02), title=self.labels["label"][place])
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return text_table(SHOWN, self.rows())

    def _repr_html_(self) -> str:
        n_labels = len(self.labels["label"])
        figures = [
            f'<figure style="display:inline-block;margin:4px">{chart}</figure>'
            for chart in self.charts(MOST_DRAWN)
        ]
        more = f"<p>and {n_labels - MOST_DRAWN} more labels</p>" if n_labels > MOST_DRAWN else ""
        words = f"<p>{CHART_CAPTION}</p>"
        return f"{html_table(SHOWN, self.rows())}{words}<div>{''.join(figures)}</div>{more}"

    def charts(self, most: int) -> list[str]:
        """Return small charts of precision and recall against the threshold, as HTML.

        Parameters
        ----------
        most : int
            The number of labels to draw at most, the first ones.

        Returns
        -------
        list of str
            For each label, a caption and an SVG image.
        """
        names = self.labels["label"][:most]
        return [
            small_chart(name, *self._curves(j), self.labels["threshold"][j])
            for j, name in enumerate(names)
        ]

    def rows(self) -> list[list[str]]:
        """Return the report as a table of text.

        Returns
        -------
        list of lists of str
            For each label its name, positives, threshold, precision, recall and verdict.
        """
        columns = self.labels
        return [
            [
                str(columns["label"][j]),
                short(columns["positives"][j]),
                *(
                    _with_interval(columns, name, j)
                    for name in ("threshold", "precision", "recall")
                ),
                columns["verdict"][j],
            ]
            for j in range(len(columns["label"]))
        ]

    def _place(self, label: Any) -> int:
        names = self.labels["label"]
        if label in names:
            return names.index(label)
        if isinstance(label, (int, np.integer)) and 0 <= label < len(names):
            return int(label)
        raise ValueError(
            f"no label is called {label!r}; the labels are {', '.join(map(str, names))}."
        )

    def _curves(self, place: int) -> tuple[Array, Array, Array]:
        """Return the possible thresholds of a label, and its precision and recall at each."""
        cuts = self._cuts(place)
        is_cut = cuts.is_cut[0]
        hits, predicted = cuts.hits[0, is_cut], cuts.predicted[0, is_cut]
        return cuts.scores[0, is_cut], hits / predicted, hits / max(cuts.n_positive[0], 1e-300)

    def _cuts(self, place: int) -> Cuts:
        data, part = self._data, slice(place, place + 1)
        weights = data.weights
        return cuts_of(
            data.Y[:, part],
            dense_scores(data.scores[:, part]),
            weights[:, part] if weights is not None and weights.ndim == 2 else weights,
            None if data.known is None else data.known[:, part],
        )


def threshold_report(
    Y: Any,
    scores: Any,
    rule: Any = "pooled_f1",
    *,
    weights: Any = None,
    n_resamples: int = 200,
    confidence: float = 0.95,
    random_state: Any = None,
) -> ThresholdReport:
    """Choose thresholds, and estimate their uncertainty and the precision and recall to expect.

    Parameters
    ----------
    Y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The true labels, 0 or 1; NaN for a label that is not known.
    scores : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        Scores of samples that the model did not learn from.
    rule : str or rule, default="pooled_f1"
        The name of a decision rule, see :data:`RULES`, or a rule object.
    weights : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        A sample of weight 2 counts as two samples.
    n_resamples : int, default=200
        How often the samples are drawn again.
    confidence : float, default=0.95
        The confidence of the intervals.
    random_state : int, RandomState, Generator or None, default=None
        Draws the samples.

    Returns
    -------
    ThresholdReport
        A table with a row and a chart for each label.

    Notes
    -----
    Thresholds are chosen again on samples drawn with replacement (bootstrap). The interval of a
    threshold consists of quantiles of these thresholds. The intervals of precision and recall are
    quantiles of their values on the samples that were not drawn. They are cautious, because only
    about a third of the samples is not drawn. The values of precision and recall are those on all
    samples, reduced by their bias: the mean difference between drawn samples and all samples. The
    verdict is "too few positives to tell" if Wilson's interval of the recall may be wider than 0.3.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.decisions import threshold_report
    >>> rng = np.random.default_rng(0)
    >>> Y = (rng.random((400, 2)) < [0.3, 0.01]).astype(int)
    >>> threshold_report(Y, rng.normal(size=Y.shape) + 2 * Y, random_state=0).labels["verdict"]
    ['', 'too few positives to tell (4 of 39)']
    """
    chosen, rng = check_rule(rule), as_generator(random_state)
    check_count("n_resamples", n_resamples, 1)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}.")
    checked = check_scored(Y, scores, weights)
    with named_labels(checked.labels.names):
        thresholds = chosen.thresholds(checked.Y, checked.scores, checked.weights, checked.known)
    apparent = np.array(shares_at(chosen, _part(checked, ALL), thresholds))
    drawn, bias, unseen = thresholds_again(chosen, checked, n_resamples, rng)
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(drawn, ends, axis=0, method="inverted_cdf")
    below, above = nan_quantiles(unseen, ends)
    values = np.clip(apparent - bias, below, above)
    n_positive = checked.Y.sum(axis=0)
    if checked.known is not None:
        n_positive = (checked.Y & checked.known).sum(axis=0)
    needed = trials_for_width(WIDEST, confidence)
    columns: dict[str, list[Any]] = {
        "label": list(checked.labels.names),
        "positives": n_positive.tolist(),
        "threshold": thresholds.tolist(),
        "threshold_low": low.tolist(),
        "threshold_high": high.tolist(),
    }
    for place, name in enumerate(("precision", "recall")):
        columns |= {
            name: values[place].tolist(),
            f"{name}_low": below[place].tolist(),
            f"{name}_high": above[place].tolist(),
        }
    columns["verdict"] = [_verdict(int(count), needed) for count in n_positive]
    return ThresholdReport(columns, needed, checked)


def thresholds_again(
    rule: Any, checked: CheckedScores, n_resamples: int, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Choose thresholds on samples drawn with replacement, and score them on those not drawn.

    Returns
    -------
    thresholds : ndarray of shape (n_resamples, n_labels)
        The thresholds.
    bias : ndarray of shape (2, n_labels)
        How much higher precision and recall are on the samples that thresholds were chosen on than
        on the samples that these were drawn from.
    unseen : ndarray of shape (n_resamples, 2, n_labels)
        Precision and recall on the samples that were not drawn.
    """
    if is_dataclass(rule) and any(one.name == "unreachable" for one in fields(rule)):
        rule = replace(rule, unreachable="conservative")  # type: ignore[type-var]
    n_samples, n_labels = checked.Y.shape
    drawn = np.empty((n_resamples, n_labels))
    gains, unseen = np.empty((2, n_resamples, 2, n_labels))
    for place in range(n_resamples):
        rows = np.sort(rng.integers(n_samples, size=n_samples))
        drawn[place] = rule.thresholds(*_part(checked, rows))
        on_drawn, on_all, on_others = (
            np.array(shares_at(rule, _part(checked, part), drawn[place]))
            for part in (rows, ALL, np.setdiff1d(np.arange(n_samples), rows))
        )
        gains[place], unseen[place] = on_drawn - on_all, on_others
    is_number = ~np.isnan(gains)
    sums = np.where(is_number, gains, 0).sum(axis=0)
    return drawn, sums / np.maximum(is_number.sum(axis=0), 1), unseen


def shares_at(
    rule: Any, part: tuple[Array, Any, Array | None, Array | None], thresholds: Array
) -> tuple[Array, Array]:
    """Return precision and recall of decisions; NaN if the denominator is 0."""
    Y, scores, weights, known = part
    said = rule.decide(dense_scores(scores), thresholds)
    counted = entry_weights(weights, known, Y.shape)
    entries = np.ones(Y.shape) if counted is None else counted.T
    hits = (entries * (Y & said)).sum(axis=0)
    totals = ((entries * table).sum(axis=0) for table in (said, Y))
    precision, recall = (
        np.divide(hits, total, out=np.full(hits.size, np.nan), where=total > 0) for total in totals
    )
    return precision, recall


def nan_quantiles(values: Array, ends: list[float]) -> Array:
    """Return quantiles over the first axis, ignoring NaN; NaN if all values are NaN."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        return np.nanquantile(values, ends, axis=0)


def _part(checked: CheckedScores, rows: Any) -> tuple[Array, Any, Array | None, Array | None]:
    return (
        checked.Y[rows],
        checked.scores[rows],
        None if checked.weights is None else checked.weights[rows],
        None if checked.known is None else checked.known[rows],
    )


def small_chart(name: Any, at: Array, precision: Array, recall: Array, threshold: float) -> str:
    """Return a caption and a chart of precision and recall as SVG."""
    width, height, margin = 180, 90, 4
    low, high = float(at.min()), float(at.max())
    places = np.unique(np.linspace(0, at.size - 1, MOST_POINTS).round().astype(int))

    def x_of(value: Any) -> Any:
        share = 0.5 if high == low else (np.clip(value, low, high) - low) / (high - low)
        return margin + share * (width - 2 * margin)

    def line(values: Array, style: str) -> str:
        y = margin + (1 - values[places]) * (height - 2 * margin)
        pairs = zip(np.broadcast_to(x_of(at[places]), y.shape), y, strict=True)
        points = " ".join(f"{one:.1f},{other:.1f}" for one, other in pairs)
        return f'<polyline points="{points}" fill="none" stroke="currentColor" {style}/>'

    chosen = f"{x_of(threshold):.1f}"
    lines = line(precision, 'stroke-dasharray="3 2"') + line(recall, "")
    return (
        f"<figcaption>{escape(str(name))}</figcaption>"
        f'<svg width="{width}" height="{height}" role="img" aria-label="precision and '
        f'recall of {escape(str(name))}">{lines}'
        f'<line x1="{chosen}" x2="{chosen}" y1="0" y2="{height}" stroke="currentColor" '
        'stroke-width="2"/></svg>'
    )


def _verdict(n_positive: int, needed: int) -> str:
    return "" if n_positive >= needed else f"too few positives to tell ({n_positive} of {needed})"


def _with_interval(columns: dict[str, list[Any]], name: str, place: int) -> str:
    value, low, high = (columns[name + end][place] for end in ("", "_low", "_high"))
    return f"{_number(value)} ({_number(low)} to {_number(high)})"


def _number(value: float) -> str:
    """Return a threshold as text. A label with the threshold −∞ is predicted for every sample."""
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return short(value)


def _new_axes() -> Axes:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "a chart of thresholds needs matplotlib: pip install 'rarelabels[plot]'."
        ) from error
    return plt.subplots(figsize=(5, 3.5), layout="constrained")[1]
