"""Multi-label classifiers, most of which are built from scikit-learn's single-label classifiers."""

from rarelabels.learners._binary_relevance import BinaryRelevance
from rarelabels.learners._calibrated import CalibratedClassifier
from rarelabels.learners._classifier_chains import EnsembleOfClassifierChains
from rarelabels.learners._cocoa import COCOA
from rarelabels.learners._eccru3 import ECCRU3
from rarelabels.learners._iblr import IBLR
from rarelabels.learners._kernel_ridge import KernelRidgeClassifier
from rarelabels.learners._label_powerset import LabelPowerset
from rarelabels.learners._label_ranking import CalibratedLabelRanking
from rarelabels.learners._learner_names import learner, learner_names
from rarelabels.learners._mlknn import MLkNN
from rarelabels.learners._multi_label_forest import MultiLabelForest
from rarelabels.learners._rakel import RAkEL
from rarelabels.learners._rare_label import RareLabelClassifier
from rarelabels.learners._thresholded import ThresholdedClassifier
from rarelabels.learners._trainer import FitError
from rarelabels.learners.base import MultiLabelClassifier
from rarelabels.learners.thresholds import best_f_thresholds

__all__ = [
    "COCOA",
    "ECCRU3",
    "IBLR",
    "BinaryRelevance",
    "CalibratedClassifier",
    "CalibratedLabelRanking",
    "EnsembleOfClassifierChains",
    "FitError",
    "KernelRidgeClassifier",
    "LabelPowerset",
    "MLkNN",
    "MultiLabelClassifier",
    "MultiLabelForest",
    "RAkEL",
    "RareLabelClassifier",
    "ThresholdedClassifier",
    "best_f_thresholds",
    "learner",
    "learner_names",
]
