"""The metrics by name: one record each, which everything that scores predictions reads.

Nothing heavy is imported here, so that a command's ``--help`` can list the metrics at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rarelabels._parameter_docs import shared_parameters
from rarelabels._registry import Deferred, did_you_mean

if TYPE_CHECKING:
    from rarelabels.metrics._label_scores import LabelScores


@dataclass(frozen=True)
class Metric:
    """A metric: what it is called, what it is computed by and from what.

    A metric is the mean of a score of each label (`per_label`), or one score for all of them
    (`overall`).

    Attributes
    ----------
    name : str
        As in tables, in stores and after ``--metric``.
    title : str
        As people read it.
    per_label : callable or None
        Scores each label: from true labels and predictions to `LabelScores`.
    needs_scores : bool
        Whether the function takes scores (`y_score`) or predicted labels (`y_pred`).
    overall : callable or None
        Scores all labels together: from true labels and predictions to a number. By default, the
        mean over labels.
    lower_is_better : bool
        Whether a lower score is better. Comparisons, ranks and recommendations go by it.

    Examples
    --------
    >>> from rarelabels.metrics import METRICS
    >>> metric = METRICS[0]
    >>> metric.name, metric.title, metric.needs_scores
    ('macro_f1', 'macro-F1', False)
    >>> metric.label_scores([[1, 0], [0, 1]], y_pred=[[1, 0], [1, 1]]).values.round(4).tolist()
    [0.6667, 1.0]
    """

    name: str
    title: str
    per_label: Callable[..., LabelScores] | None = None
    needs_scores: bool = False
    overall: Callable[..., float] | None = None
    lower_is_better: bool = False

    @property
    def label_name(self) -> str:
        """The name of the score of a single label."""
        return self.name.removeprefix("macro_")

    @property
    def label_title(self) -> str:
        """The title of the score of a single label."""
        return self.title.removeprefix("macro-").removeprefix("macro ")

    @shared_parameters
    def label_scores(
        self, y_true: Any, *, y_pred: Any = None, y_score: Any = None, **options: Any
    ) -> LabelScores:
        """Score each label.

        Parameters
        ----------
        {y_true}
        y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            The predicted labels; needed unless the metric needs scores.
        y_score : array-like or dataframe of shape (n_samples, n_labels)
            Scores, probabilities or votes; needed if the metric needs them.
        **options : values
            `sample_weight` and `allow_missing_labels`, as in :func:`label_f1`.

        Returns
        -------
        LabelScores
            The values, and which labels were left out.
        """
        if self.per_label is None:
            raise ValueError(
                f"{self.name} scores all labels together and has no score of each; use `score`."
            )
        return self.per_label(y_true, y_score if self.needs_scores else y_pred, **options)

    @shared_parameters
    def score(
        self, y_true: Any, *, y_pred: Any = None, y_score: Any = None, **options: Any
    ) -> float:
        """Score all labels: by the metric's function, or by the mean over labels.

        Parameters
        ----------
        {y_true}
        y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            The predicted labels; needed unless the metric needs scores.
        y_score : array-like or dataframe of shape (n_samples, n_labels)
            Scores, probabilities or votes; needed if the metric needs them.
        **options : values
            `sample_weight` and `allow_missing_labels`, as in :func:`label_f1`.

        Returns
        -------
        float
            The score; NaN if it is undefined.
        """
        if self.overall is None:
            return self.label_scores(y_true, y_pred=y_pred, y_score=y_score, **options).mean
        return self.overall(y_true, y_score if self.needs_scores else y_pred, **options)


def _mean(name: str, title: str, place: str, **properties: Any) -> Metric:
    """Return the record of a mean over labels, from ``module:function`` in `rarelabels.metrics`."""
    return Metric(name, title, Deferred(f"rarelabels.metrics.{place}"), **properties)


def _overall(name: str, title: str, place: str, **properties: Any) -> Metric:
    """Return the record of a metric of all labels, from ``module:function`` as above."""
    return Metric(name, title, overall=Deferred(f"rarelabels.metrics.{place}"), **properties)


# In the order in which tables show them; the first is the default.
METRICS = (
    _mean("macro_f1", "macro-F1", "_decisions:label_f1"),
    _mean("macro_gmean", "macro-G-mean", "_decisions:label_gmean"),
    _mean(
        "macro_balanced_accuracy", "macro balanced accuracy", "_decisions:label_balanced_accuracy"
    ),
    _mean("macro_auc_roc", "macro-AUC-ROC", "_ranking:label_auc_roc", needs_scores=True),
    _mean("macro_auc_pr", "macro-AUC-PR", "_ranking:label_auc_pr", needs_scores=True),
    _overall("micro_precision", "micro precision", "_micro:micro_precision"),
    _overall("micro_recall", "micro recall", "_micro:micro_recall"),
    _overall("micro_f1", "micro-F1", "_micro:micro_f1"),
    _overall("samples_precision", "precision of samples", "_samples:samples_precision"),
    _overall("samples_recall", "recall of samples", "_samples:samples_recall"),
    _overall("samples_f1", "F1 of samples", "_samples:samples_f1"),
    _overall("subset_accuracy", "subset accuracy", "_subset_accuracy:subset_accuracy"),
    _overall("hamming_loss", "Hamming loss", "_hamming:hamming_loss", lower_is_better=True),
    _overall(
        "ranking_loss",
        "ranking loss",
        "_ranking_loss:ranking_loss",
        needs_scores=True,
        lower_is_better=True,
    ),
    _overall("coverage", "coverage", "_coverage:coverage", needs_scores=True, lower_is_better=True),
    _overall(
        "one_error", "one-error", "_top_labels:one_error", needs_scores=True, lower_is_better=True
    ),
    _overall("precision_at_1", "precision at 1", "_top_labels:precision_at_1", needs_scores=True),
    _overall("precision_at_3", "precision at 3", "_top_labels:precision_at_3", needs_scores=True),
    _overall("precision_at_5", "precision at 5", "_top_labels:precision_at_5", needs_scores=True),
)


def find_metric(name: str) -> Metric:
    """Return the metric of a name.

    Parameters
    ----------
    name : str
        As ``"macro_f1"``.

    Returns
    -------
    Metric
        Its record.

    Raises
    ------
    ValueError
        For a name that no metric has, with the nearest ones.

    Examples
    --------
    >>> from rarelabels.metrics import find_metric
    >>> find_metric("macro_auc_pr").title
    'macro-AUC-PR'
    """
    for metric in METRICS:
        if metric.name == name:
            return metric
    known = [metric.name for metric in METRICS]
    raise ValueError(f"no metric is called {name!r}; {did_you_mean(name, known)}")
