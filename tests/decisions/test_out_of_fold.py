"""Thresholds from scores of several models, some of which never saw a positive sample."""

import numpy as np
import pytest

from rarelabels.decisions import PrecisionTarget, RecallTarget, UnreachableTarget, check_rule
from rarelabels.decisions.out_of_fold import as_frequent, out_of_fold_thresholds

SCORES = np.arange(20.0, 0, -1)[:, None]


def label_with(*ranks):
    Y = np.zeros((20, 1), dtype=bool)
    Y[np.array(ranks) - 1] = True
    return Y


@pytest.mark.parametrize("name", ["pooled_f1", "f1", "micromacro", "gmean", "expected_f1"])
def test_one_positive_is_predicted_as_often_as_it_occurs(name):
    # The model that scored the positive sample, of the lowest rank, and four others had no
    # positive to learn from. One of 20 is 0.75 of the 15 samples that are left: one of them.
    Y, learned = label_with(20), np.ones((20, 1), dtype=bool)
    learned[15:] = False
    found = out_of_fold_thresholds(check_rule(name), Y, SCORES, learned)
    np.testing.assert_allclose(found, 19.5)


def test_scores_of_models_without_positives_are_left_out():
    # Ranks 1 and 2 were scored by a model without positives. Without them the positive of rank 3
    # is the highest, and the one of rank 1 is not counted.
    Y, learned = label_with(1, 3, 4), np.ones((20, 1), dtype=bool)
    learned[:2] = False
    found = out_of_fold_thresholds(check_rule("f1"), Y, SCORES, learned)
    np.testing.assert_allclose(found, 16.5)
    # Scores that count for nothing may be anything.
    other = np.where(learned, SCORES, np.nan)
    np.testing.assert_array_equal(
        out_of_fold_thresholds(check_rule("f1"), Y, other, learned), found
    )


def test_weights_and_unknown_labels_count():
    Y, learned = label_with(20), np.ones((20, 1), dtype=bool)
    learned[15:] = False
    # The positive sample counts as seven: 7 of 26 is 4.04 of the 15 samples that are left.
    weights = np.where(Y[:, 0], 7.0, 1.0)
    found = out_of_fold_thresholds(check_rule("f1"), Y, SCORES, learned, weights)
    np.testing.assert_allclose(found, 16.5)
    # A label whose only positive is not known has none.
    found = out_of_fold_thresholds(check_rule("f1"), Y, SCORES, learned, None, ~Y)
    assert found == [np.inf]


def test_a_target_is_refused_rather_than_guessed():
    Y, learned = label_with(20), np.ones((20, 1), dtype=bool)
    learned[15:] = False
    with pytest.raises(UnreachableTarget, match="0 positive samples, at least 5"):
        out_of_fold_thresholds(RecallTarget(0.5), Y, SCORES, learned)
    always = RecallTarget(0.5, unreachable="conservative")
    assert out_of_fold_thresholds(always, Y, SCORES, learned) == [-np.inf]
    never = PrecisionTarget(0.5, unreachable="conservative")
    assert out_of_fold_thresholds(never, Y, SCORES, learned) == [np.inf]


def test_shares_are_met_as_nearly_as_ties_allow():
    scores = np.array([[3.0, 1.0], [3.0, 1.0], [2.0, 1.0], [1.0, 1.0]])
    known = np.ones((4, 2), dtype=bool)
    # Half of the samples: the two that tie at 3. Of the second label all samples or none: none,
    # because two are as near as four, and fewer are preferred.
    found = as_frequent(np.array([0.5, 0.5]), scores, None, known)
    assert found[0] == 2.5
    assert found[1] > 1
    # A quarter is one sample; two are as near as none, so none is predicted.
    assert as_frequent(np.array([0.25, 0.75]), scores, None, known)[0] > 3
