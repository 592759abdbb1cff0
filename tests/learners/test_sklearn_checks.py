"""scikit-learn's own checks; and, with several labels, those that its single label keeps out."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from learners.expected_failures import EXPECTED
from learners.one_target import parametrize_with_multilabel_checks
from quick import quick_learner
from rarelabels.learners import BinaryRelevance, ThresholdedClassifier, learner_names

LEARNERS = [
    *(quick_learner(name) for name in learner_names()),
    ThresholdedClassifier(BinaryRelevance(), random_state=0),
]


@parametrize_with_multilabel_checks(LEARNERS, EXPECTED, LogisticRegression(max_iter=1000))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda made: type(made).__name__)


@each_learner
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
def test_dtypes(learner, dtype, data):
    X, y = data
    X = (10 * X).astype(dtype)
    scores = learner.fit(X, y).predict_proba(X)
    assert scores.shape == y.shape
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()


@each_learner
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_sparse_features_give_what_dense_ones_give(learner, form, kind, data):
    X, y = np.where(data[0] > 0.3, data[0], 0.0), data[1]
    made = getattr(sparse, f"{form}_{kind}")(X)
    dense, thin = learner.fit(X, y).predict_proba(X), learner.fit(made, y).predict_proba(made)
    np.testing.assert_allclose(dense, thin)


@each_learner
def test_one_feature(learner, data):
    X, y = data
    assert learner.fit(X[:, :1], y).predict(X[:, :1]).shape == y.shape


@each_learner
def test_a_flat_y_is_refused_with_what_to_do(learner, data):
    X, y = data
    with pytest.raises(ValueError, match="MultiLabelBinarizer"):
        learner.fit(X, y[:, 0])


@each_learner
def test_what_fit_leaves(learner, data):
    X, y = data
    learner.fit(X, y)
    assert learner.n_labels_in_ == 4
    assert learner.n_features_in_ == 5
    assert [classes.tolist() for classes in learner.classes_] == [[0, 1]] * 4
    assert not hasattr(learner, "label_names_in_")
