"""Somebody fits the models for rare labels and decides on their scores."""

from typing import reveal_type

import numpy as np

from rarelabels.decisions import ThresholdDecider, choose_thresholds, threshold_report
from rarelabels.learners import (
    KernelRidgeClassifier,
    MultiLabelForest,
    RareLabelClassifier,
    ThresholdedClassifier,
)

X = np.zeros((4, 2))
y = np.zeros((4, 3), dtype=int)

model = RareLabelClassifier(forest_share=0.5, random_state=0).fit(X, y)
reveal_type(model)  # reveals: RareLabelClassifier
reveal_type(model.thresholds_)  # reveals: numpy.ndarray
reveal_type(model.reliability(n_bins=5))  # reveals: numpy.ndarray
reveal_type(model.explain(X, 0, n_samples=1))  # reveals: numpy.ndarray
reveal_type(KernelRidgeClassifier(linear_share=0.2).fit(X, y))  # reveals: KernelRidgeClassifier
reveal_type(MultiLabelForest(n_estimators=10).fit(X, y))  # reveals: MultiLabelForest
reveal_type(ThresholdedClassifier(model, rule="f1").fit(X, y))  # reveals: ThresholdedClassifier
scores = model.out_of_sample_scores_
reveal_type(choose_thresholds(y, scores, "pooled_f1"))  # reveals: numpy.ndarray
decider = ThresholdDecider("expected_f1").fit(scores, y)
reveal_type(decider)  # reveals: ThresholdDecider
reveal_type(threshold_report(y, scores, "f1"))  # reveals: ThresholdReport

RareLabelClassifier(share=0.5)  # error: call-arg
MultiLabelForest(0.5)  # error: arg-type
ThresholdedClassifier(model, threshold="f1")  # error: call-arg
