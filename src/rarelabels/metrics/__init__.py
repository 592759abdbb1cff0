"""How good predictions are, and how much they differ from each other."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from rarelabels.metrics._records import METRICS, Metric, find_metric

if TYPE_CHECKING:
    from rarelabels.metrics._coverage import coverage
    from rarelabels.metrics._decisions import (
        label_balanced_accuracy,
        label_f1,
        label_gmean,
        macro_balanced_accuracy,
        macro_f1,
        macro_gmean,
    )
    from rarelabels.metrics._disagreement import disagreement
    from rarelabels.metrics._hamming import hamming_loss
    from rarelabels.metrics._label_scores import LabelScores
    from rarelabels.metrics._micro import micro_f1, micro_precision, micro_recall
    from rarelabels.metrics._ranking import (
        label_auc_pr,
        label_auc_roc,
        macro_auc_pr,
        macro_auc_roc,
    )
    from rarelabels.metrics._ranking_loss import ranking_loss
    from rarelabels.metrics._report import MultilabelReport, multilabel_report
    from rarelabels.metrics._samples import samples_f1, samples_precision, samples_recall
    from rarelabels.metrics._subset_accuracy import subset_accuracy
    from rarelabels.metrics._top_labels import (
        one_error,
        precision_at_1,
        precision_at_3,
        precision_at_5,
        precision_at_k,
    )

__all__ = [
    "METRICS",
    "LabelScores",
    "Metric",
    "MultilabelReport",
    "coverage",
    "disagreement",
    "find_metric",
    "hamming_loss",
    "label_auc_pr",
    "label_auc_roc",
    "label_balanced_accuracy",
    "label_f1",
    "label_gmean",
    "macro_auc_pr",
    "macro_auc_roc",
    "macro_balanced_accuracy",
    "macro_f1",
    "macro_gmean",
    "micro_f1",
    "micro_precision",
    "micro_recall",
    "multilabel_report",
    "one_error",
    "precision_at_1",
    "precision_at_3",
    "precision_at_5",
    "precision_at_k",
    "ranking_loss",
    "samples_f1",
    "samples_precision",
    "samples_recall",
    "subset_accuracy",
]


def __getattr__(name: str) -> Any:
    """Import functions that need NumPy when they are used, so that the records load quickly."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for module in iter_modules(__path__, f"{__name__}."):
        names = vars(import_module(module.name))
        globals().update({public: names[public] for public in __all__ if public in names})
    return globals()[name]
