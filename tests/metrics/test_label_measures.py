"""Label-wise and macro measures."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    make_scorer,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsClassifier

from rarelabels import metrics
from rarelabels.metrics import (
    LabelScores,
    _ranking,
    label_auc_pr,
    label_auc_roc,
    label_balanced_accuracy,
    label_f1,
    label_gmean,
    macro_auc_pr,
    macro_auc_roc,
    macro_f1,
)


def gmean(y_true, y_pred):
    return np.sqrt(recall_score(y_true, y_pred) * recall_score(y_true, y_pred, pos_label=0))


BY_SCIKIT_LEARN = {
    label_f1: f1_score,
    label_gmean: gmean,
    label_balanced_accuracy: balanced_accuracy_score,
    label_auc_roc: roc_auc_score,
    label_auc_pr: average_precision_score,
}
OF_DECISIONS = ("f1", "gmean", "balanced_accuracy")
OF_SCORES = ("auc_roc", "auc_pr")

shapes = st.tuples(st.integers(1, 25), st.integers(1, 5))
pairs = shapes.flatmap(
    lambda shape: st.tuples(
        arrays(np.int8, shape, elements=st.integers(0, 1)),
        # Few distinct values, so that ties are common.
        arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1 / 3, 1.0])),
    )
)


def is_undefined(measure, truth, given):
    if measure is label_f1:
        return not truth.any() and not given.any()
    return len(np.unique(truth)) == 1


@pytest.mark.parametrize("measure", BY_SCIKIT_LEARN, ids=lambda measure: measure.__name__)
@given(pair=pairs)
def test_equals_scikit_learn_label_by_label(measure, pair):
    Y, scores = pair
    given_scores = (
        scores if measure.__name__.startswith("label_auc") else (scores > 0.3).astype(int)
    )
    found = measure(Y, given_scores)
    for j, value in enumerate(found.values):
        if is_undefined(measure, Y[:, j], given_scores[:, j]):
            assert np.isnan(value)
        else:
            expected = BY_SCIKIT_LEARN[measure](Y[:, j], given_scores[:, j])
            assert value == pytest.approx(expected, abs=1e-12)


@given(pairs)
def test_an_increasing_transform_changes_no_area(pair):
    Y, scores = pair
    for measure in (label_auc_roc, label_auc_pr):
        np.testing.assert_allclose(measure(Y, scores).values, measure(Y, 3 * scores + 1).values)


@given(pairs)
def test_opposite_scores_give_the_opposite_area(pair):
    Y, scores = pair
    opposite = label_auc_roc(Y, -scores).values
    np.testing.assert_allclose(label_auc_roc(Y, scores).values, 1 - opposite, atol=1e-12)


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    Y, scores = rng.integers(0, 2, (40, 7)), rng.random((40, 7)).round(1)
    whole = [measure(Y, scores).values for measure in (label_auc_roc, label_auc_pr)]
    monkeypatch.setattr(_ranking, "BLOCK_ENTRIES", 90)
    blocks = [measure(Y, scores).values for measure in (label_auc_roc, label_auc_pr)]
    np.testing.assert_allclose(whole, blocks, rtol=1e-14)


def test_by_hand():
    Y = np.array([[1], [0], [1], [0], [0]])
    # One of two positives found, one of three negatives taken for one.
    predicted = np.array([[1], [1], [0], [0], [0]])
    assert label_f1(Y, predicted).mean == pytest.approx(2 * 1 / (2 + 2))
    assert label_gmean(Y, predicted).mean == pytest.approx(np.sqrt(1 / 2 * 2 / 3))
    assert label_balanced_accuracy(Y, predicted).mean == pytest.approx((1 / 2 + 2 / 3) / 2)
    # Row 0 beats all three negatives, row 2 ties with row 1 and beats the others: 5.5 of 6 pairs.
    scores = np.array([[0.9], [0.5], [0.5], [0.2], [0.1]])
    assert label_auc_roc(Y, scores).mean == pytest.approx(5.5 / 6)
    # Precision 1 at the first positive, 2/3 at the second, whose tie counts with it.
    assert label_auc_pr(Y, scores).mean == pytest.approx((1 + 2 / 3) / 2)


def test_labels_with_one_class_are_left_out_and_counted():
    Y = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 1]])
    perfect = label_gmean(Y, Y)
    assert perfect.n_left_out == 2
    assert perfect.left_out.tolist() == [1, 2]
    assert perfect.mean == 1.0
    assert repr(perfect) == "LabelScores(mean=1.0000 over 1 labels, 2 left out)"


def test_f_is_left_out_only_where_it_is_nothing_by_nothing():
    # Found and missed once each; absent and predicted; there in every sample; neither, 0/0.
    Y = np.array([[1, 0, 1, 0], [0, 0, 1, 0], [1, 0, 1, 0]])
    predicted = np.array([[1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]])
    found = label_f1(Y, predicted)
    np.testing.assert_allclose(found.values, [2 / 3, 0, 4 / 5, np.nan])
    assert found.left_out.tolist() == [3]
    assert macro_f1(Y, predicted) == pytest.approx((2 / 3 + 0 + 4 / 5) / 3)


@pytest.mark.parametrize("name", OF_DECISIONS + OF_SCORES)
def test_nothing_to_average_is_nan_with_a_warning(name):
    Y = np.zeros((3, 2), dtype=int)
    with pytest.warns(UndefinedMetricWarning, match=f"macro_{name} is NaN: each of the 2 labels"):
        assert np.isnan(getattr(metrics, f"macro_{name}")(Y, Y))


@pytest.mark.parametrize(
    "as_container",
    [sparse.csr_array, sparse.coo_matrix, pd.DataFrame, pl.DataFrame, np.ndarray.tolist],
    ids=["csr", "coo matrix", "pandas", "polars", "list"],
)
@pytest.mark.parametrize("name", OF_DECISIONS + OF_SCORES)
def test_any_container(name, as_container):
    rng = np.random.default_rng(1)
    Y, predicted = rng.integers(0, 2, (2, 30, 4))
    measure = getattr(metrics, f"macro_{name}")
    found = measure(as_container(Y), as_container(predicted))
    assert isinstance(found, float)
    assert found == measure(Y, predicted)


def test_scorers_in_cross_validate():
    X, Y = make_multilabel_classification(n_samples=80, random_state=0)
    scoring = {
        "f1": make_scorer(macro_f1),
        "auc_roc": make_scorer(macro_auc_roc, response_method="predict_proba"),
        "auc_pr": make_scorer(macro_auc_pr, response_method="predict_proba"),
    }
    found = cross_validate(KNeighborsClassifier(), X, Y, scoring=scoring, cv=3)
    assert all(np.isfinite(found[f"test_{name}"]).all() for name in scoring)


def test_errors_say_what_is_wrong():
    Y = np.array([[1, 0], [0, 1]])
    with pytest.raises(
        ValueError, match=r"y_pred must have the shape of y_true, \(2, 2\), got \(2, 1\)"
    ):
        macro_f1(Y, Y[:, :1])
    with pytest.raises(ValueError, match=r"y_pred, checked as a y: .*0/1 indicator"):
        macro_f1(Y, Y * 0.5)
    with pytest.raises(ValueError, match="y must be a 0/1 indicator"):
        macro_auc_roc([0, 1], [0.5, 0.2])
    with pytest.raises(ValueError, match="y_score must be finite, got nan in sample 1, label 0"):
        macro_auc_pr(Y, [[0.1, 0.2], [np.nan, 0.3]])
    with pytest.raises(ValueError, match=r"got a list of 2 arrays .* takes the positive class"):
        macro_auc_pr(Y, [np.zeros((2, 2)), np.zeros((2, 2))])
    with pytest.raises(ValueError, match="y_score must be numbers"):
        macro_auc_pr(Y, [["a", "b"], ["c", "d"]])
    with pytest.raises(ValueError, match="y_score: expected a table"):
        macro_auc_pr(Y, np.zeros(2))


def test_many_sparse_labels_stay_sparse():
    Y = sparse.random_array((20_000, 10_000), density=1e-4, rng=0, format="csr")
    Y.data[:] = 1
    assert LabelScores is type(label_f1(Y, Y))
    assert macro_f1(Y, Y) == 1.0
