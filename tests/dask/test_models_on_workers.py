"""Models whose parts are fitted on the workers of Dask, by joblib, equal those of one process."""

import os

import dask.array as da
import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    IBLR,
    BinaryRelevance,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    KernelRidgeClassifier,
    LabelPowerset,
    MLkNN,
    MultiLabelForest,
    RAkEL,
)
from rarelabels.sampling import MLSOL

# Not the workers of the module whose tests kill some: with a single worker, joblib fits everything
# in this process.
pytestmark = pytest.mark.usefixtures("workers")

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 6))
y = (rng.random((400, 4)) < [0.03, 0.1, 0.3, 0.5]).astype(int)

MODELS = {
    "BinaryRelevance": BinaryRelevance(random_state=0, n_jobs=2),
    "LabelPowerset": LabelPowerset(random_state=0),
    "EnsembleOfClassifierChains": EnsembleOfClassifierChains(n_chains=3, random_state=0, n_jobs=2),
    "CalibratedLabelRanking": CalibratedLabelRanking(random_state=0, n_jobs=2),
    "RAkEL": RAkEL(random_state=0, n_jobs=2),
    "COCOA": COCOA(n_couples=2, random_state=0, n_jobs=2),
    "ECCRU3": ECCRU3(n_chains=3, random_state=0, n_jobs=2),
    "MLkNN": MLkNN(n_jobs=2),
    "IBLR": IBLR(n_jobs=2),
    "MultiLabelForest": MultiLabelForest(n_estimators=8, random_state=0, n_jobs=2),
    "KernelRidgeClassifier": KernelRidgeClassifier(random_state=0, n_jobs=2),
    "BinaryRelevance of logistic regressions": BinaryRelevance(LogisticRegression(), n_jobs=2),
    "SamplingEnsemble": SamplingEnsemble(
        BinaryRelevance(), MLSOL(), n_estimators=3, random_state=0, n_jobs=2
    ),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore:Sending large graph")
def test_models_fitted_by_joblib_on_dask_equal_those_of_one_process(name):
    expected = clone(MODELS[name]).fit(X, y)
    with joblib.parallel_config(backend="dask"):
        found = clone(MODELS[name]).fit(X, y)
        scores = found.predict_proba(X)
    # BLAS adds in another order with one thread.
    np.testing.assert_allclose(scores, expected.predict_proba(X), atol=1e-12)
    part = found.predict(da.from_array(X, chunks=(150, 6)))
    np.testing.assert_array_equal(part.compute(), expected.predict(X))


def test_members_are_fitted_on_workers():
    class Where(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            self.process_ = os.getpid()
            return super().fit(X, y, sample_weight)

    model = SamplingEnsemble(
        BinaryRelevance(Where()), MLSOL(), n_estimators=4, random_state=0, n_jobs=2
    )
    with joblib.parallel_config(backend="dask"):
        model.fit(X, y)
    seen = {m.process_ for member in model.estimators_ for m in member.estimators_}
    assert os.getpid() not in seen
