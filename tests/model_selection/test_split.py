"""The splitters: scikit-learn's interface, containers, groups, errors."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

from rarelabels.model_selection import IterativeStratifiedKFold, RepeatedIterativeStratifiedKFold


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(90, 3)), (rng.random((90, 5)) < [0.5, 0.3, 0.1, 0.06, 0.03]).astype(int)


def rows_tested(cv, X, Y, groups=None):
    return [test.tolist() for _, test in cv.split(X, Y, groups)]


def test_folds_partition_the_samples(data):
    X, Y = data
    splits = list(IterativeStratifiedKFold(4).split(X, Y))
    assert len(splits) == 4
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(90))
    for train, test in splits:
        assert sorted(np.concatenate([train, test])) == list(range(90))


def test_a_seed_fixes_the_folds_and_another_changes_them(data):
    X, Y = data
    first, again, other = (
        rows_tested(IterativeStratifiedKFold(3, shuffle=True, random_state=seed), X, Y)
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_generator_moves_on(data):
    X, Y = data
    cv = IterativeStratifiedKFold(3, shuffle=True, random_state=np.random.default_rng(0))
    assert rows_tested(cv, X, Y) != rows_tested(cv, X, Y)


@pytest.mark.parametrize(
    "as_container",
    [
        sparse.csr_array,
        sparse.csc_matrix,
        sparse.coo_array,
        pd.DataFrame,
        lambda Y: pl.DataFrame(Y, schema=list("abcde")),
        lambda Y: Y.astype(bool),
        lambda Y: Y.tolist(),
    ],
    ids=["csr", "csc matrix", "coo", "pandas", "polars", "bool", "list"],
)
def test_labels_in_any_container_give_the_same_folds(data, as_container):
    X, Y = data
    cv = IterativeStratifiedKFold(3, shuffle=True, random_state=0)
    assert rows_tested(cv, X, as_container(Y)) == rows_tested(cv, X, Y)


def test_works_in_cross_validate_and_grid_search(data):
    X, Y = data
    tree = DecisionTreeClassifier(random_state=0)
    cv = IterativeStratifiedKFold(3)
    assert len(cross_validate(tree, X, Y, cv=cv)["test_score"]) == 3
    groups = np.arange(90) // 2
    search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=cv).fit(X, Y, groups=groups)
    assert search.n_splits_ == 3
    repeated = RepeatedIterativeStratifiedKFold(n_repeats=2, random_state=0)
    assert len(cross_validate(tree, X, Y, cv=repeated)["test_score"]) == 4


@given(st.lists(st.integers(0, 9), min_size=30, max_size=30), st.integers(0, 3))
def test_groups_are_never_torn(groups, seed):
    groups = np.array([*groups, 10, 11, 12])
    Y = (np.random.default_rng(seed).random((33, 4)) < 0.3).astype(int)
    cv = IterativeStratifiedKFold(3, shuffle=True, random_state=seed)
    for train, test in cv.split(Y, Y, groups):
        assert test.size
        assert not set(groups[train]) & set(groups[test])


def test_groups_may_have_names_and_keep_the_labels_even():
    groups = np.repeat([f"patient {i}" for i in range(30)], 4)
    rng = np.random.default_rng(0)
    Y = (rng.random((120, 3)) < [0.3, 0.2, 0.1]).astype(int)
    positives = np.array(
        [Y[test].sum(axis=0) for _, test in IterativeStratifiedKFold(3).split(Y, Y, groups)]
    )
    assert np.ptp(positives, axis=0).max() <= 2


def test_groups_of_one_sample_are_no_groups(data):
    X, Y = data
    cv = IterativeStratifiedKFold(3)
    assert rows_tested(cv, X, Y, np.arange(90)) == rows_tested(cv, X, Y)


def test_repetitions_differ_and_each_is_a_partition(data):
    X, Y = data
    cv = RepeatedIterativeStratifiedKFold(n_splits=2, n_repeats=3, random_state=0)
    tests = rows_tested(cv, X, Y)
    assert len(tests) == cv.get_n_splits() == 6
    for first, second in zip(tests[::2], tests[1::2], strict=True):
        assert sorted(first + second) == list(range(90))
    assert len({tuple(test) for test in tests}) == 6
    assert tests == rows_tested(cv, X, Y)


def test_repr_shows_the_parameters():
    cv = IterativeStratifiedKFold(3, shuffle=True, random_state=1)
    parameters = "allow_missing_labels=False, n_splits=3, random_state=1, shuffle=True"
    assert " ".join(repr(cv).split()) == f"IterativeStratifiedKFold({parameters})"


@pytest.mark.parametrize("n_splits", [1, 0, 2.0, True, "5"])
def test_n_splits_must_be_a_number_of_folds(n_splits):
    with pytest.raises(ValueError, match="n_splits must be an int of at least 2"):
        IterativeStratifiedKFold(n_splits)


def test_a_seed_without_shuffle_is_an_error():
    with pytest.raises(ValueError, match="random_state=0 has no effect without shuffle"):
        IterativeStratifiedKFold(random_state=0)
    with pytest.raises(TypeError, match="shuffle must be True or False"):
        IterativeStratifiedKFold(shuffle=3)
    with pytest.raises(ValueError, match="n_repeats must be an int of at least 1"):
        RepeatedIterativeStratifiedKFold(n_repeats=0)


@pytest.mark.parametrize(
    ("y", "groups", "message"),
    [
        (None, None, "y is required"),
        (np.zeros(6, dtype=int), None, r"0/1 indicator .* got .* shape \(6,\)"),
        (np.full((6, 2), 2), None, "0/1 indicator"),
        (np.zeros((5, 2), dtype=int), None, "inconsistent numbers of samples"),
        (np.eye(6, dtype=int), np.zeros(5), r"each of the 6 samples of y, got .* shape \(5,\)"),
        (np.eye(6, dtype=int), [0, 0, 1, 1, 1, 1], "n_splits=3 needs at least 3 groups, got 2"),
    ],
)
def test_errors_say_what_is_wrong(y, groups, message):
    with pytest.raises(ValueError, match=message):
        next(IterativeStratifiedKFold(3).split(np.zeros((6, 1)), y, groups))


def test_more_folds_than_samples():
    with pytest.raises(ValueError, match="n_splits=5 needs at least 5 samples, got 3; use fewer"):
        next(IterativeStratifiedKFold().split(np.zeros((3, 1)), np.eye(3, dtype=int)))
