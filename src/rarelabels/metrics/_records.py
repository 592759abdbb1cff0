"""The metrics by name: one record each, which everything that scores predictions reads.

Nothing heavy is imported here, so that a command's ``--help`` can list the metrics at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rarelabels._registry import Deferred, did_you_mean

if TYPE_CHECKING:
    from rarelabels.metrics._label_scores import LabelScores


@dataclass(frozen=True)
class Metric:
    """A label-wise metric: what it is called, what it is computed by and from what.

    Attributes
    ----------
    name : str
        As in tables, in stores and after ``--metric``; its mean over labels.
    title : str
        As people read it.
    per_label : callable
        Scores each label: from true labels and predictions to `LabelScores`.
    needs_scores : bool
        Whether the function takes scores (`y_score`) or predicted labels (`y_pred`).

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
    per_label: Callable[..., LabelScores]
    needs_scores: bool = False

    @property
    def label_name(self) -> str:
        """The name of the score of a single label."""
        return self.name.removeprefix("macro_")

    @property
    def label_title(self) -> str:
        """The title of the score of a single label."""
        return self.title.removeprefix("macro-").removeprefix("macro ")

    def label_scores(
        self, y_true: Any, *, y_pred: Any = None, y_score: Any = None, **options: Any
    ) -> LabelScores:
        """Score each label.

        Parameters
        ----------
        y_true : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            The true labels, 0 or 1.
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
        return self.per_label(y_true, y_score if self.needs_scores else y_pred, **options)


# In the order in which tables show them; the first is the default.
METRICS = (
    Metric("macro_f1", "macro-F1", Deferred("rarelabels.metrics:label_f1")),
    Metric("macro_gmean", "macro-G-mean", Deferred("rarelabels.metrics:label_gmean")),
    Metric(
        "macro_balanced_accuracy",
        "macro balanced accuracy",
        Deferred("rarelabels.metrics:label_balanced_accuracy"),
    ),
    Metric("macro_auc_roc", "macro-AUC-ROC", Deferred("rarelabels.metrics:label_auc_roc"), True),
    Metric("macro_auc_pr", "macro-AUC-PR", Deferred("rarelabels.metrics:label_auc_pr"), True),
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
