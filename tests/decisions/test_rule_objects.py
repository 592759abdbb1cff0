"""Rules with parameters: targets, costs, limits and budgets."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import literal_decisions
from decisions.test_rules import cases
from rarelabels.decisions import (
    AtLeastOne,
    AtMost,
    Budget,
    Costs,
    PrecisionTarget,
    RecallTarget,
    UnreachableTarget,
    choose_thresholds,
    positives_needed,
)
from rarelabels.learners import BinaryRelevance, ThresholdedClassifier


def ranked(n, *positives):
    """Return labels with positives at some ranks of n samples, and scores n, n - 1, …, 1."""
    Y = np.zeros((n, len(positives)), dtype=int)
    for j, ranks in enumerate(positives):
        Y[np.asarray(ranks) - 1, j] = 1
    return Y, np.tile(np.arange(n, 0, -1.0)[:, None], len(positives))


@given(case=cases(), cost=st.sampled_from([0.5, 1, 3, 20]))
def test_costs_as_the_literal_loop(case, cost):
    Y, scores, weights, known = case
    found = choose_thresholds(Y, scores, Costs(cost), weights=weights, known=known)
    np.testing.assert_allclose(found, literal_decisions.costs(cost, *case), rtol=1e-12)


@given(case=cases())
def test_a_higher_cost_never_predicts_less(case):
    Y, scores, *_ = case
    cuts = np.array([choose_thresholds(Y, scores, Costs(cost)) for cost in (0.5, 1, 2, 8, 100)])
    is_common = (Y.sum(axis=0) > 0.1 * len(Y))[None]
    assert (~is_common | (cuts[1:] <= cuts[:-1])).all()


def test_costs_by_hand_and_by_label():
    # Positives at ranks 1 and 4: three mistakes more for the second one cost 2, missing it costs c.
    Y, scores = ranked(10, [1, 4], [1, 4])
    np.testing.assert_allclose(choose_thresholds(Y, scores, Costs([1, 3])), [9.5, 6.5])


@given(case=cases(max_samples=60), target=st.sampled_from([0.3, 0.5, 0.8]))
def test_precision_as_the_literal_loop(case, target):
    Y, scores, _, known = case
    rule = PrecisionTarget(target, confidence=0.8, unreachable="conservative")
    found = choose_thresholds(Y, scores, rule, known=known)
    expected = literal_decisions.precise(target, 0.2, Y, scores, known)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@given(case=cases(max_samples=60), target=st.sampled_from([0.3, 0.5, 0.8]))
def test_recall_as_the_literal_loop(case, target):
    Y, scores, _, known = case
    rule = RecallTarget(target, confidence=0.8, unreachable="conservative")
    found = choose_thresholds(Y, scores, rule, known=known)
    expected = literal_decisions.recalling(target, 0.2, Y, scores, known)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@given(case=cases(max_samples=60))
def test_more_confidence_never_misses_more(case):
    Y, scores, *_ = case
    rules = [RecallTarget(0.5, confidence, "conservative") for confidence in (0.6, 0.9)]
    loose, strict = (choose_thresholds(Y, scores, rule) for rule in rules)
    assert (strict <= loose).all()


@given(case=cases(max_samples=60))
def test_what_is_promised_was_seen(case):
    Y, scores, *_ = case
    cuts = choose_thresholds(Y, scores, PrecisionTarget(0.5, 0.8, "conservative"))
    predicted = scores >= cuts
    hits, n_predicted = (predicted & (Y == 1)).sum(axis=0), predicted.sum(axis=0)
    assert (hits > 0.5 * n_predicted)[np.isfinite(cuts)].all()


def test_targets_by_hand():
    # With 5 positives 0.5⁵ = 0.03: their lowest score promises a recall of one half.
    Y, scores = ranked(20, range(1, 6))
    assert choose_thresholds(Y, scores, RecallTarget(0.5)) == [16]
    # For a precision of one half, 5, …, 10, …, 19 and 20 of 20 samples are tested. These are three
    # doublings with a third of 0.05 each. Five hits of five have a probability of 0.031, which is
    # more than 0.0167; so have five of ten and of twenty.
    with pytest.raises(UnreachableTarget, match=r"label '0': no cut reaches 0.5 \(5 positive"):
        choose_thresholds(Y, scores, PrecisionTarget(0.5))
    Y, scores = ranked(20, range(1, 13))
    # The second doubling begins at ten samples. Ten hits of ten pass with 0.5¹⁰, so do 11 of 11,
    # 12 of 12 and 12 of 13 (0.002), but not 12 of 15 (0.018). The third doubling is 12 of 20
    # (0.25). So 13 samples are predicted; the next has the score 7.
    found = choose_thresholds(Y, scores, PrecisionTarget(0.5))
    assert found == [np.nextafter(7, 8)]


def test_too_few_positives_are_refused_by_name():
    Y, scores = ranked(40, [1, 2, 3], range(1, 36))
    Y = pd.DataFrame(Y, columns=["rare", "frequent"])
    for kind in (PrecisionTarget, RecallTarget):
        with pytest.raises(
            UnreachableTarget, match="label 'rare': 3 positive samples, at least 29"
        ):
            choose_thresholds(Y, scores, kind(0.9))
    found = choose_thresholds(Y, scores, PrecisionTarget(0.9, unreachable="conservative"))
    assert found[0] == np.inf
    assert choose_thresholds(Y, scores, RecallTarget(0.9, unreachable="conservative"))[0] == -np.inf
    assert [positives_needed(r) for r in (0.5, 0.9, 0.99)] == [5, 29, 299]


@given(case=cases(), k=st.integers(1, 4))
def test_limits_as_the_literal_loops(case, k):
    Y, scores, *_ = case
    k = min(k, Y.shape[1])
    thresholds = choose_thresholds(Y, scores, AtMost(k, "f1"))
    np.testing.assert_array_equal(thresholds, choose_thresholds(Y, scores, "f1"))
    found = AtMost(k, "f1").decide(scores, thresholds)
    np.testing.assert_array_equal(found, literal_decisions.at_most(k, scores, thresholds))
    assert (found.sum(axis=1) <= k).all()
    found = AtLeastOne("f1").decide(scores, thresholds)
    np.testing.assert_array_equal(found, literal_decisions.at_least_one(scores, thresholds))
    assert found.any(axis=1).all() or np.isposinf(thresholds).all()
    both = AtMost(1, AtLeastOne("f1")).decide(scores, thresholds)
    assert (both.sum(axis=1) == 1).all() or np.isposinf(thresholds).all()


def test_limits_by_hand():
    scores, thresholds = np.array([[0.9, 0.8, 0.3], [0.1, 0.1, 0.4]]), np.array([0.5, 0.1, 0.6])
    # The second label is farther above its threshold; for the second sample only that label is
    # predicted, at its threshold.
    assert AtMost(1).decide(scores, thresholds).tolist() == [[0, 1, 0], [0, 1, 0]]
    assert AtLeastOne().decide(scores[1:], thresholds + 0.05).tolist() == [[0, 1, 0]]


@given(case=cases(), n=st.integers(1, 5))
def test_a_budget_is_kept(case, n):
    Y, scores, *_ = case
    thresholds = choose_thresholds(Y, scores, Budget(n))
    found = Budget(n).decide(scores, thresholds)
    assert (found.sum(axis=0) == min(n, len(Y))).all()
    for j in range(Y.shape[1]):
        assert scores[found[:, j], j].min() >= np.max(scores[~found[:, j], j], initial=-np.inf)


def test_a_budget_by_hand():
    Y, scores = ranked(10, [3], [4])
    np.testing.assert_allclose(choose_thresholds(Y, scores, Budget(2)), 8.5)
    np.testing.assert_allclose(choose_thresholds(Y, scores, Budget(0.3)), 7.5)
    assert Budget(0.3).decide(scores, np.array([7.5, 7.5])).sum() == 6


def test_what_is_refused():
    for wrong in (0, -1, np.nan, [1, 0]):
        with pytest.raises(ValueError, match="false_negative must be positive"):
            Costs(wrong)
    Y, scores = ranked(10, [1], [2])
    with pytest.raises(ValueError, match="one for each of the 2 labels"):
        choose_thresholds(Y, scores, Costs([1, 2, 3]))
    for kind, name in ((PrecisionTarget, "precision"), (RecallTarget, "recall")):
        for wrong in (0, 1, 1.5, -0.1):
            with pytest.raises(ValueError, match=f"{name} must lie between 0 and 1"):
                kind(wrong)
        with pytest.raises(ValueError, match="confidence must lie"):
            kind(0.5, confidence=1)
        with pytest.raises(ValueError, match="unreachable must be one of"):
            kind(0.5, unreachable="never")
        with pytest.raises(ValueError, match="weights must be 0 or 1"):
            choose_thresholds(Y, scores, kind(0.5), weights=np.full(10, 2.0))
    with pytest.raises(ValueError, match="k=3 is more than the number of labels, 2"):
        choose_thresholds(Y, scores, AtMost(3))
    with pytest.raises(ValueError, match="k must be an int of at least 1"):
        AtMost(0)
    with pytest.raises(ValueError, match="rule must be one of"):
        AtLeastOne("best")
    for wrong in (0, 1.5, -2, True):
        with pytest.raises(ValueError, match="samples must be an int"):
            Budget(wrong)


def test_around_an_estimator():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, :2] + rng.normal(scale=0.5, size=(300, 2)) > 1).astype(int)
    base = BinaryRelevance(LogisticRegression())
    plain = ThresholdedClassifier(base, random_state=0).fit(X, y).predict(X).sum()
    eager = ThresholdedClassifier(base, rule=Costs(20), random_state=0).fit(X, y).predict(X).sum()
    assert eager > plain
    limited = ThresholdedClassifier(base, rule=AtMost(1, AtLeastOne()), random_state=0)
    assert (clone(limited).fit(X, y).predict(X).sum(axis=1) == 1).all()
    strict = ThresholdedClassifier(base, rule=PrecisionTarget(0.99), random_state=0)
    with pytest.raises(UnreachableTarget, match="cannot be guaranteed for label 'first'"):
        strict.fit(X, pd.DataFrame(y, columns=["first", "second"]))
