"""Calibrated probabilities: decisions stay, frequencies are right, and the order of samples too."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from rarelabels.datasets import make_local_imbalance
from rarelabels.decisions.intervals import wilson_interval
from rarelabels.learners import BinaryRelevance, CalibratedClassifier, MLkNN
from rarelabels.learners._calibrated import (
    expected_decisions,
    logistic_curve,
)


@pytest.fixture(scope="module")
def data():
    return make_local_imbalance(300, difficulty=0.4, random_state=0)


@pytest.fixture(scope="module")
def weighted():
    """A model whose class weights put its scores far above the labels' frequencies."""
    return BinaryRelevance(LogisticRegression(class_weight="balanced"))


def test_decisions_are_those_of_the_classifier(data, weighted):
    model = CalibratedClassifier(weighted, random_state=0).fit(data.X, data.Y)
    alone = BinaryRelevance(weighted.estimator).fit(data.X, data.Y)
    np.testing.assert_array_equal(model.predict(data.X), alone.predict(data.X))


def test_probabilities_sum_to_the_frequencies(data, weighted):
    model = CalibratedClassifier(weighted, random_state=0).fit(data.X, data.Y)
    raw = model.estimator_.predict_proba(data.X).mean(axis=0)
    calibrated, share = model.predict_proba(data.X).mean(axis=0), data.Y.mean(axis=0)
    assert (raw > share + 0.05).all()
    np.testing.assert_allclose(calibrated, share, atol=0.03)


@pytest.mark.parametrize("inside", [MLkNN(), RidgeClassifier()])
def test_the_order_of_samples_stays(data, inside):
    model = CalibratedClassifier(inside, cv=3, random_state=0).fit(data.X, data.Y)
    assert (model.slopes_ >= 0).all()
    proba = model.predict_proba(data.X)
    assert ((proba >= 0) & (proba <= 1)).all()
    if isinstance(inside, MLkNN):
        raw = model.estimator_.predict_proba(data.X)
        for j in range(raw.shape[1]):
            assert (np.diff(proba[np.argsort(raw[:, j], kind="stable"), j]) >= -1e-12).all()


def test_a_curve_finds_slope_and_intercept_again():
    rng = np.random.default_rng(0)
    z = rng.normal(size=20_000)
    truth = rng.random(z.size) < expit(2.0 * z - 1.0)
    slope, intercept = logistic_curve(truth, expit(z))
    assert slope == pytest.approx(2.0, abs=0.1)
    assert intercept == pytest.approx(-1.0, abs=0.1)
    # Scores that run against the truth are worth no more than the share.
    slope, intercept = logistic_curve(truth, expit(-z))
    assert slope == 0
    assert expit(intercept) == pytest.approx(truth.mean(), abs=0.01)


@pytest.mark.parametrize("truth", [np.zeros(8, dtype=bool), np.ones(8, dtype=bool)])
def test_a_label_of_one_class_gets_a_smoothed_share(truth):
    slope, intercept = logistic_curve(truth, np.linspace(0, 1, 8))
    assert slope == 0
    assert expit(intercept) == pytest.approx((truth.sum() + 1) / 10)


def test_what_to_expect_by_hand():
    truth = np.array([[1, 0], [1, 0], [0, 0], [0, 0]], dtype=bool)
    decisions = np.array([[1, 0], [0, 0], [1, 0], [0, 0]], dtype=bool)
    found = expected_decisions(truth, decisions, ["rain", "snow"])
    assert found["label"].tolist() == ["rain", "snow"]
    assert found["positives"].tolist() == [2, 0]
    assert found["precision"][0] == found["recall"][0] == 0.5
    assert np.isnan(found["precision"][1])
    assert np.isnan(found["recall"][1])
    assert found["recall_low"][0] < 0.5 < found["recall_high"][0]


def test_wilson_reference_values():
    # As R's prop.test(8, 10, correct = FALSE) and prop.test(0, 20, correct = FALSE) print them.
    share, low, high = wilson_interval(np.array([8, 0]), np.array([10, 20]))
    np.testing.assert_allclose(share, [0.8, 0.0])
    np.testing.assert_allclose(low, [0.4901625, 0.0], atol=1e-6)
    np.testing.assert_allclose(high, [0.9433178, 0.1611252], atol=1e-6)


def test_the_same_seed_gives_the_same_model(data, weighted):
    first, second = (
        CalibratedClassifier(weighted, random_state=3).fit(data.X, data.Y) for _ in range(2)
    )
    np.testing.assert_array_equal(first.slopes_, second.slopes_)
    with pytest.raises(ValueError, match="cv"):
        CalibratedClassifier(weighted, cv=1).fit(data.X, data.Y)
