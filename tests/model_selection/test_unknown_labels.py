"""Splits of labels that are not all known."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels._labels import LabelMatrix
from rarelabels.model_selection import (
    IterativeStratifiedKFold,
    RepeatedIterativeStratifiedKFold,
    iterative_train_test_split,
)
from rarelabels.model_selection._units import spread_entries

NAN = np.nan


def folds_of(splitter, y, groups=None):
    return [test.tolist() for _, test in splitter.split(np.zeros((len(y), 1)), y, groups)]


def test_known_negatives_are_spread_as_well():
    # The label is known of eight of sixteen samples, with four positives and four negatives; each
    # of two folds gets two of each.
    y = np.full((16, 1), NAN)
    y[:4], y[4:8] = 1, 0
    splitter = IterativeStratifiedKFold(2, allow_missing_labels=True)
    for test in folds_of(splitter, y):
        assert np.sum(y[test] == 1) == 2
        assert np.sum(y[test] == 0) == 2
        assert len(test) == 8


def test_entries_by_hand():
    labels = LabelMatrix.of([[1, 0], [NAN, 1], [0, 1]])
    # Positives of both labels, then the known negatives of the first, the only incomplete one.
    expected = [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert spread_entries(labels).toarray().tolist() == expected
    known = LabelMatrix.of([[1, 0], [0, 1]])
    assert spread_entries(known) is known.positives


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
@settings(deadline=None, max_examples=30)
def test_folds_are_even_in_known_positives_and_negatives(seed, n_splits):
    rng = np.random.default_rng(seed)
    y = (rng.random((60, 3)) < [0.1, 0.3, 0.5]).astype(float)
    y[rng.random(y.shape) < 0.3] = NAN
    splitter = IterativeStratifiedKFold(
        n_splits, shuffle=True, random_state=seed, allow_missing_labels=True
    )
    for value in (0, 1):
        counts = np.array([(y[test] == value).sum(axis=0) for test in folds_of(splitter, y)])
        wanted = (y == value).sum(axis=0) / n_splits
        assert (np.abs(counts - wanted) <= 4).all()


def test_complete_labels_give_the_same_folds_with_and_without_the_parameter():
    y = (np.random.default_rng(0).random((50, 4)) < 0.2).astype(int)
    plain = RepeatedIterativeStratifiedKFold(random_state=1)
    allowing = RepeatedIterativeStratifiedKFold(random_state=1, allow_missing_labels=True)
    assert folds_of(plain, y) == folds_of(allowing, y)


@pytest.mark.parametrize("form", ["frame", "sparse", "objects"])
def test_every_container_of_unknown_labels_gives_the_same_folds(form):
    rng = np.random.default_rng(0)
    y = (rng.random((40, 3)) < 0.3).astype(float)
    y[rng.random(y.shape) < 0.2] = NAN
    forms = {
        "frame": pd.DataFrame(y).astype("Int64"),
        "sparse": sparse.csr_array(y),
        "objects": np.where(np.isnan(y), None, y),
    }
    splitter = IterativeStratifiedKFold(3, allow_missing_labels=True)
    given_form = forms[form]
    found = [test.tolist() for _, test in splitter.split(np.zeros((40, 1)), given_form)]
    assert found == folds_of(splitter, y)


def test_a_split_in_two_keeps_unknown_labels():
    rng = np.random.default_rng(0)
    y = (rng.random((40, 3)) < 0.3).astype(float)
    y[rng.random(y.shape) < 0.2] = NAN
    X_train, X_test, y_train, y_test = iterative_train_test_split(
        np.arange(40)[:, None], y, random_state=0, allow_missing_labels=True
    )
    assert len(X_test) == 10
    np.testing.assert_array_equal(np.isnan(y_train), np.isnan(y[X_train[:, 0]]))
    np.testing.assert_array_equal(np.isnan(y_test), np.isnan(y[X_test[:, 0]]))


def test_a_sample_without_any_known_label_is_in_a_fold():
    y = np.array([[1, 0], [0, 1], [NAN, NAN], [1, 1]])
    tests = folds_of(IterativeStratifiedKFold(2, allow_missing_labels=True), y)
    assert sorted(tests[0] + tests[1]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "split",
    [
        lambda X, y: list(IterativeStratifiedKFold(2).split(X, y)),
        lambda X, y: list(RepeatedIterativeStratifiedKFold().split(X, y)),
        lambda X, y: iterative_train_test_split(X, y),
    ],
)
def test_unknown_labels_are_refused_with_the_parameter_that_allows_them(split):
    y = np.array([[1.0], [0.0], [NAN], [1.0]])
    with pytest.raises(ValueError, match="allow_missing_labels=True"):
        split(np.zeros((4, 1)), y)


@pytest.mark.parametrize("missing", [NAN, None])
def test_missing_groups_are_counted_and_refused(missing):
    groups = np.array(["a", "a", missing, "b"], dtype=object)
    y = [[1], [0], [1], [0]]
    with pytest.raises(ValueError, match="groups has 1 missing values"):
        list(IterativeStratifiedKFold(2).split(np.zeros((4, 1)), y, groups))
