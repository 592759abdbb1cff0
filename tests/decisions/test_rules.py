"""Each rule against literal loops, by hand, and what must hold for all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import literal_decisions
from rarelabels.decisions import RULES, check_rule, choose_thresholds
from rarelabels.learners import best_f_thresholds

LITERAL = {
    "pooled_f1": literal_decisions.pooled,
    "micromacro": literal_decisions.micromacro,
    "fbr": literal_decisions.fbr,
    "f1": lambda *case: literal_decisions.per_label("f1", *case),
    "gmean": lambda *case: literal_decisions.per_label("gmean", *case),
    "balanced_accuracy": lambda *case: literal_decisions.per_label("balanced_accuracy", *case),
}
NAMES = [rule.name for rule in RULES]
# Fits a curve, which two programs do not do to the last bit: it has tests of its own.
APART = {"expected_f1"}
every_rule = pytest.mark.parametrize("name", NAMES)


@st.composite
def cases(draw, max_samples=40, weighted=(None, "samples", "entries")):
    """Labels with few positives, tied scores, whole weights and unknown entries."""
    n, q = draw(st.integers(2, max_samples)), draw(st.integers(1, 4))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    share = rng.choice([0.0, 0.05, 0.1, 0.3, 0.6, 1.0], size=q)
    Y = (rng.random((n, q)) < share).astype(int)
    digits = draw(st.sampled_from([0, 1, 5]))
    scores = (rng.normal(size=(n, q)) + draw(st.sampled_from([0, 1, 4])) * Y).round(digits)
    weights = draw(st.sampled_from(weighted))
    if weights is not None:
        weights = rng.integers(0, 4, size=n if weights == "samples" else (n, q))
        weights[0] = 1
    known = rng.random((n, q)) < 0.8 if draw(st.booleans()) else None
    return Y, scores, weights, known


def test_every_rule_has_a_literal_loop():
    assert set(LITERAL) | APART == set(NAMES)


@pytest.mark.parametrize("name", LITERAL)
@given(case=cases())
def test_as_the_literal_loop(name, case):
    Y, scores, weights, known = case
    found = choose_thresholds(Y, scores, name, weights=weights, known=known)
    np.testing.assert_allclose(found, LITERAL[name](*case), rtol=1e-12)


@every_rule
@given(case=cases(), chance=st.integers(0, 1000))
def test_unknown_entries_influence_nothing(name, case, chance):
    Y, scores, weights, known = case
    rng = np.random.default_rng(chance)
    known = rng.random(Y.shape) < 0.7 if known is None else known
    before = choose_thresholds(Y, scores, name, weights=weights, known=known)
    changed = np.where(known, Y, rng.integers(0, 2, Y.shape))
    other = np.where(known, scores, rng.choice([np.nan, 5.0, -np.inf], size=Y.shape))
    after = choose_thresholds(changed, other, name, weights=weights, known=known)
    np.testing.assert_array_equal(after, before)
    unknown = np.where(known, Y, np.nan)
    np.testing.assert_array_equal(choose_thresholds(unknown, other, name, weights=weights), before)


@every_rule
@given(case=cases(max_samples=25, weighted=("samples",)))
def test_a_weight_counts_as_so_many_samples(name, case):
    Y, scores, weights, _ = case
    repeated = [table.repeat(weights, axis=0) for table in (Y, scores)]
    found = choose_thresholds(Y, scores, name, weights=weights)
    np.testing.assert_allclose(found, choose_thresholds(*repeated, name))


@every_rule
@given(case=cases(), factor=st.sampled_from([0.25, 2.0, 1024.0]))
def test_thresholds_move_with_the_scores(name, case, factor):
    Y, scores, weights, known = case
    before = choose_thresholds(Y, scores, name, weights=weights, known=known)
    after = choose_thresholds(Y, factor * scores, name, weights=weights, known=known)
    np.testing.assert_allclose(after, factor * before, rtol=1e-9)


@every_rule
def test_containers_and_blocks_of_labels_change_nothing(name, monkeypatch):
    import rarelabels.decisions.cuts as module

    rng = np.random.default_rng(0)
    Y = (rng.random((60, 7)) < 0.2).astype(int)
    scores = (rng.normal(size=Y.shape) + Y).astype(np.float32)
    whole = choose_thresholds(Y, scores, name)
    np.testing.assert_array_equal(choose_thresholds(sparse.csr_array(Y), scores, name), whole)
    monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 120)
    np.testing.assert_array_equal(choose_thresholds(Y, scores, name), whole)


@every_rule
def test_labels_of_one_class_and_constant_scores(name):
    n = 40
    Y = np.zeros((n, 4), dtype=int)
    Y[:, 1], Y[:2, 2], Y[:2, 3] = 1, 1, 1
    scores = np.column_stack([np.arange(n), np.arange(n), np.ones(n), np.arange(n, 0, -1)])
    found = choose_thresholds(Y, scores, name)
    assert found[0] == np.inf
    assert found[1] == -np.inf
    # Scores that are all the same say nothing, so the rare label is not predicted.
    assert not (scores[:, 2] >= found[2]).any()
    assert (scores[:, 3] >= found[3]).any()


def test_f1_by_hand():
    # Of 100 samples the positives have ranks 1 and 2: F = 1 there, and two random samples would
    # be these with probability (2/100)², so the scores are informative.
    Y, scores = np.zeros((100, 2), dtype=int), np.tile(np.arange(100.0, 0, -1)[:, None], 2)
    Y[:2, 0] = 1
    # Ranks 60 and 90: the best F, 4/92, predicts 90 of 100 samples. Random scores do that with
    # probability (90/100)² > 0.01, so the label is predicted as often as it occurs.
    Y[[59, 89], 1] = 1
    np.testing.assert_allclose(choose_thresholds(Y, scores, "f1"), 98.5)
    np.testing.assert_allclose(best_f_thresholds(Y, scores), [98.5, 10.5])


def test_pooled_f1_by_hand():
    # Four labels with the same two highest scores of 100; three of them are right about both.
    # The last label's positives lie at ranks 2 and 99: by itself it would predict the highest
    # two or more; together with the others it predicts exactly as many as it has.
    Y, scores = np.zeros((100, 4), dtype=int), np.tile(np.arange(100.0, 0, -1)[:, None], 4)
    Y[:2, :3] = 1
    Y[[1, 98], 3] = 1
    np.testing.assert_allclose(choose_thresholds(Y, scores), 98.5)


def test_one_label_alone_follows_its_curve_and_the_prior():
    # Positives at ranks 1 and 4 of 40. F by itself is 2/3 at one and at four predicted samples;
    # the prior prefers a label to be predicted as often as it occurs: at one sample of two it
    # counts 2·½/(1½)² = 0.444, at four 2·2/9 = 0.444 as well, and the first is taken.
    Y, scores = np.zeros((40, 1), dtype=int), np.arange(40.0, 0, -1)[:, None]
    Y[[0, 3]] = 1
    assert choose_thresholds(Y, scores) in (39.5, 36.5)


def test_gmean_and_balanced_accuracy_by_hand():
    # Positives at ranks 1 and 3 of 6: three predicted have recall 1 and specificity 3/4.
    Y, scores = np.array([[1], [0], [1], [0], [0], [0]]), np.arange(6.0, 0, -1)[:, None]
    for name in ("gmean", "balanced_accuracy"):
        assert choose_thresholds(Y, scores, name) == [3.5]


def test_expected_f1_by_hand():
    # Scores that are the logits of calibrated probabilities: in each of four groups of 10,000
    # samples the share of positives is the probability. Predicting the first two groups has an
    # expected F of 2 (0.8 + 0.6) / (0.8 + 0.6 + 0.3 + 0.1 + 2) = 0.737, the first three
    # 2 · 1.7 / (1.8 + 3) = 0.708. Half of 0.737 lies between the probabilities 0.3 and 0.6.
    shares = np.array([0.8, 0.6, 0.3, 0.1])
    Y = np.concatenate([np.arange(10_000) < 10_000 * share for share in shares])[:, None]
    scores = np.repeat(np.log(shares / (1 - shares)), 10_000)[:, None]
    expected = (scores[10_000, 0] + scores[20_000, 0]) / 2
    np.testing.assert_allclose(choose_thresholds(Y, scores, "expected_f1"), expected)


@settings(max_examples=25)
@given(case=cases())
def test_expected_f1_as_the_literal_fixed_point(case):
    Y, scores, weights, known = case
    found = choose_thresholds(Y, scores, "expected_f1", weights=weights, known=known)
    literal = literal_decisions.expected_f1(*case)
    # The two curves differ in their last digits, so a sample at the border may change sides.
    for j in range(Y.shape[1]):
        entries = literal_decisions.counted(Y, scores, j, weights, known)
        ours, theirs = (
            {score for score, *_ in entries if score >= cut} for cut in (found[j], literal[j])
        )
        assert len(ours ^ theirs) <= 1


def test_micromacro_by_hand():
    # The frequent label comes first and is perfect: three hits, F = 1. The second label's
    # positives have ranks 1 and 5. Predicting one: F = 2/3, micro 2·4/(2·4+1) = 0.889, value
    # 0.333 + 0.889 = 1.222. Predicting five: F = 4/7, micro 2·5/(2·5+3) = 0.769, value 1.055.
    Y, scores = np.zeros((10, 2), dtype=int), np.tile(np.arange(10.0, 0, -1)[:, None], 2)
    Y[:3, 0], Y[[0, 4], 1] = 1, 1
    np.testing.assert_allclose(choose_thresholds(Y, scores, "micromacro"), [7.5, 9.5])


def test_fbr_by_hand():
    # Of 200 samples the positives have ranks 100 and 200: the best F is 0.02, below 0.1, so the
    # threshold is the highest score. Positives at ranks 1 and 2 have F = 1.
    Y, scores = np.zeros((200, 2), dtype=int), np.tile(np.arange(200.0, 0, -1)[:, None], 2)
    Y[[99, 199], 0], Y[:2, 1] = 1, 1
    np.testing.assert_allclose(choose_thresholds(Y, scores, "fbr"), [200, 198.5])


def test_rules_by_name():
    assert check_rule("f1").name == "f1"
    assert check_rule(check_rule("f1")) is check_rule("f1")
    with pytest.raises(ValueError, match=r"'pooled_f1', 'f1'.*did you mean 'gmean'"):
        check_rule("gmaen")
    with pytest.raises(ValueError, match="got 3"):
        check_rule(3)


def test_what_is_refused():
    Y, scores = [[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.4]]
    with pytest.raises(ValueError, match=r"shape of Y, \(2, 2\)"):
        choose_thresholds(Y, [[0.1], [0.2]])
    with pytest.raises(ValueError, match=r"label '1' \(1 entries\)"):
        choose_thresholds(Y, [[0.1, np.nan], [0.3, 0.4]])
    with pytest.raises(ValueError, match="numbers"):
        choose_thresholds(Y, [["a", "b"], ["c", "d"]])
    with pytest.raises(ValueError, match="known must be an array of bools"):
        choose_thresholds(Y, scores, known=[[1, 0], [1, 1]])
    with pytest.raises(ValueError, match="no positive weight"):
        choose_thresholds(Y, scores, weights=[0, 0])
    with pytest.raises(ValueError, match="not negative"):
        choose_thresholds(Y, scores, weights=[-1, 2])
    with pytest.raises(ValueError, match="one weight for each sample"):
        choose_thresholds(Y, scores, weights=[1, 2, 3])
