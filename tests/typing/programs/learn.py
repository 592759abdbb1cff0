"""Somebody learns, predicts and scores."""

from typing import reveal_type

import numpy as np

from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, MLkNN, best_f_thresholds
from rarelabels.metrics import label_f1, macro_f1, multilabel_report
from rarelabels.model_selection import IterativeStratifiedKFold
from rarelabels.sampling import MLSOL

X = np.zeros((4, 2))
y = np.zeros((4, 3), dtype=int)

learner = BinaryRelevance(n_jobs=2).fit(X, y)
reveal_type(learner)  # reveals: BinaryRelevance
reveal_type(learner.predict(X))  # reveals: Any
reveal_type(best_f_thresholds(y, learner.predict_proba(X)))  # reveals: numpy.ndarray
ensemble = SamplingEnsemble(learner, MLSOL(), n_estimators=5).fit(X, y)
reveal_type(ensemble)  # reveals: SamplingEnsemble
reveal_type(macro_f1(y, learner.predict(X)))  # reveals: float
reveal_type(label_f1(y, learner.predict(X)))  # reveals: LabelScores
reveal_type(multilabel_report(y, learner.predict(X)))  # reveals: MultilabelReport
for train, _test in IterativeStratifiedKFold(2).split(X, y):
    reveal_type(train)  # reveals: numpy.ndarray

MLkNN(5)  # error: call-arg
MLkNN(neighbours=5)  # error: call-arg
macro_f1(y)  # error: call-arg
