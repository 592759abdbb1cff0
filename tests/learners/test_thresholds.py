"""Thresholds against every cut tried one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.metrics import balanced_accuracy_score, f1_score, recall_score

from rarelabels.decisions.cuts import CRITERIA
from rarelabels.learners import best_f_thresholds
from rarelabels.learners.thresholds import training_thresholds


def gmean(truth, said):
    of_classes = recall_score(truth, said, average=None, labels=[0, 1], zero_division=0)
    return float(np.sqrt(of_classes.prod()))


def f_measure(truth, said):
    total = truth.sum() + said.sum()
    return 2 * ((truth == 1) & said).sum() / total if total else 0.0


MEASURES = {
    "f1": f_measure,
    "gmean": gmean,
    "balanced_accuracy": balanced_accuracy_score,
}


@st.composite
def truth_and_scores(draw):
    n, q = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    truth = draw(hnp.arrays(np.int8, (n, q), elements=st.integers(0, 1)))
    values = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 1.0]) | st.floats(-1e300, 1e300)
    return truth, draw(hnp.arrays(float, (n, q), elements=values))


@given(truth_and_scores())
def test_no_cut_is_better(case):
    truth, scores = case
    found = best_f_thresholds(truth, scores)
    for j in range(truth.shape[1]):
        cuts = [*scores[:, j], np.inf]
        best = max(MEASURES["f1"](truth[:, j], scores[:, j] >= cut) for cut in cuts)
        said = scores[:, j] >= found[j]
        assert MEASURES["f1"](truth[:, j], said) == pytest.approx(best)
        assert said.any() == truth[:, j].any()


@pytest.mark.parametrize("criterion", ["gmean", "balanced_accuracy"])
@given(case=truth_and_scores())
def test_no_cut_is_better_by_other_criteria(criterion, case):
    truth, scores = case
    found = training_thresholds(criterion, sparse.csr_array(truth), scores)
    for j in range(truth.shape[1]):
        column, said = truth[:, j], scores[:, j] >= found[j]
        if column.min() == column.max():
            np.testing.assert_array_equal(said, column == 1)
            continue
        best = max(MEASURES[criterion](column, scores[:, j] >= cut) for cut in scores[:, j])
        assert MEASURES[criterion](column, said) == pytest.approx(best)


def test_by_hand():
    truth = np.array([[1, 1, 0, 1], [0, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 1]])
    scores = np.array([[0.9, 0.5, 0.1, 0.4], [0.8, 0.5, 0.2, 0.3], [0.6, 0.5, 0.3, 0.2], [0.2] * 4])
    # Label 0: three highest, F = 0.8. Label 1: the three that tie at 0.5, F = 0.8. Label 2: no
    # positives, never. Label 3: nothing else, always.
    np.testing.assert_allclose(best_f_thresholds(truth, scores), [0.4, 0.35, np.inf, -np.inf])


def test_of_equal_cuts_the_highest():
    # The first alone and the first four: F = 2/3 both.
    truth, scores = np.array([[1], [0], [0], [1], [0]]), np.array([[0.9], [0.8], [0.7], [0.6], [0]])
    assert f1_score(truth, scores >= 0.85) == pytest.approx(f1_score(truth, scores >= 0.3))
    assert best_f_thresholds(truth, scores)[0] == pytest.approx(0.85)


def test_neighbouring_floats_are_told_apart():
    low = 0.5
    high = np.nextafter(low, 1)
    found = best_f_thresholds([[1], [0]], [[high], [low]])
    assert low < found[0] <= high


def test_many_labels_at_once_are_the_same_as_one_by_one(monkeypatch):
    import rarelabels.decisions.cuts as module

    rng = np.random.default_rng(0)
    truth, scores = rng.integers(2, size=(40, 7)), rng.random((40, 7)).round(1)
    whole = best_f_thresholds(sparse.csr_array(truth), scores)
    monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 80)
    np.testing.assert_array_equal(best_f_thresholds(truth, scores), whole)


def test_what_is_refused():
    with pytest.raises(ValueError, match="shape of y"):
        best_f_thresholds([[0, 1]], [[0.5]])
    with pytest.raises(ValueError, match="NaN"):
        best_f_thresholds([[0], [1]], [[np.nan], [0.5]])
    with pytest.raises(ValueError, match="'pooled_f1', 'f1'"):
        training_thresholds("accuracy", sparse.csr_array([[0], [1]]), np.array([[0.1], [0.5]]))


@pytest.mark.parametrize("criterion", CRITERIA)
@given(case=truth_and_scores(), chance=st.randoms(use_true_random=False))
def test_a_weight_counts_as_so_many_samples(criterion, case, chance):
    truth, scores = case
    weights = np.array([chance.randint(0, 3) for _ in truth])
    weights[0] = 1
    repeated = [table.repeat(weights, axis=0) for table in case]
    expected = training_thresholds(criterion, sparse.csr_array(repeated[0]), repeated[1])
    # Of fractions with a power of two below the line no bit is lost.
    for scale in (1, 8):
        found = training_thresholds(criterion, sparse.csr_array(truth), scores, weights / scale)
        np.testing.assert_array_equal(found, expected)


def test_weights_that_count_for_nothing_are_refused():
    with pytest.raises(ValueError, match="no positive weight"):
        training_thresholds(
            "f1", sparse.csr_array([[1], [0]]), np.array([[0.9], [0.1]]), np.zeros(2)
        )
