"""What the paper found, on random halves of its data sets: sampling pays in an ensemble."""

import numpy as np
import pytest

from rarelabels.datasets import load_mulan
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, MLkNN
from rarelabels.metrics import macro_auc_pr, macro_auc_roc
from rarelabels.sampling import MLSOL


@pytest.mark.parametrize("learner", [BinaryRelevance(random_state=0), MLkNN()], ids=["BR", "MLkNN"])
@pytest.mark.parametrize("name", ["yeast", "scene"])
def test_the_ensemble_is_above_the_single_learner(name, learner, shared_data):
    data = load_mulan(shared_data / name / f"{name}.arff")
    order = np.random.default_rng(0).permutation(data.Y.shape[0])
    # A quarter of the features, which is enough to see it and takes a quarter of the time.
    train, test = np.array_split(order, 2)
    X = data.X[:, ::4]
    ensemble = SamplingEnsemble(learner, MLSOL(), n_jobs=2, random_state=0)
    single, many = (
        model.fit(X[train], data.Y[train]).predict_proba(X[test]) for model in (learner, ensemble)
    )
    for measure in (macro_auc_roc, macro_auc_pr):
        assert float(measure(data.Y[test], many)) > float(measure(data.Y[test], single))
