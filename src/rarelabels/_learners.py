"""The learners by name: one record each, in one tuple that everything else reads.

This module does not import NumPy, so that the command line can show and complete the names quickly.
"""

from __future__ import annotations

from rarelabels._registry import Deferred, Named

LEARNERS: tuple[Named, ...] = (
    Named("br", Deferred("rarelabels.learners:BinaryRelevance")),
    Named("clr", Deferred("rarelabels.learners:CalibratedLabelRanking")),
    Named("cocoa", Deferred("rarelabels.learners:COCOA")),
    Named("ecc", Deferred("rarelabels.learners:EnsembleOfClassifierChains")),
    Named("eccru3", Deferred("rarelabels.learners:ECCRU3")),
    Named("forest", Deferred("rarelabels.learners:MultiLabelForest")),
    Named("iblr", Deferred("rarelabels.learners:IBLR")),
    Named("kernel_ridge", Deferred("rarelabels.learners:KernelRidgeClassifier")),
    Named("lp", Deferred("rarelabels.learners:LabelPowerset")),
    Named("mlknn", Deferred("rarelabels.learners:MLkNN")),
    Named("rakel", Deferred("rarelabels.learners:RAkEL")),
    Named("rare_label", Deferred("rarelabels.learners:RareLabelClassifier")),
)
