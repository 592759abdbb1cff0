"""How good predictions are, label by label, and how much they differ from each other."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rarelabels.metrics._records import METRICS, Metric, find_metric

if TYPE_CHECKING:
    from rarelabels.metrics._decisions import (
        label_balanced_accuracy,
        label_f1,
        label_gmean,
        macro_balanced_accuracy,
        macro_f1,
        macro_gmean,
    )
    from rarelabels.metrics._disagreement import disagreement
    from rarelabels.metrics._label_scores import LabelScores
    from rarelabels.metrics._ranking import (
        label_auc_pr,
        label_auc_roc,
        macro_auc_pr,
        macro_auc_roc,
    )
    from rarelabels.metrics._report import MultilabelReport, multilabel_report

__all__ = [
    "METRICS",
    "LabelScores",
    "Metric",
    "MultilabelReport",
    "disagreement",
    "find_metric",
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
    "multilabel_report",
]

MODULES = ("_decisions", "_disagreement", "_label_scores", "_ranking", "_report")


def __getattr__(name: str) -> Any:
    """Load what needs NumPy when it is asked for: the records above must come at once."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for module in MODULES:
        found = vars(import_module(f"{__name__}.{module}"))
        globals().update({public: found[public] for public in __all__ if public in found})
    return globals()[name]
