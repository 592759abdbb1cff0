"""How good predictions are, label by label, and how much they differ from each other."""

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
    "LabelScores",
    "MultilabelReport",
    "disagreement",
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
