"""MultiLabelForest: scores out of the bag, what must not change them, data of all kinds."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier

from rarelabels.datasets import make_multilabel
from rarelabels.learners import MultiLabelForest
from rarelabels.metrics import macro_auc_pr, macro_auc_roc
from rarelabels.trees import label_forest

pytest.importorskip("numba")


@pytest.fixture(scope="module")
def table():
    return make_multilabel(150, 8, 5, sparse_output=False, random_state=0)


@pytest.fixture(params=["compiled", "plain"])
def engine(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(label_forest, "find_spec", lambda name: None)
    return request.param


def test_scores_out_of_the_bag_equal_a_loop_over_trees(table):
    X, y = table
    forest = MultiLabelForest(20, random_state=0).fit(X, y)
    rng = np.random.default_rng(0)
    bags = list(label_forest.draw_bags(rng, np.ones(len(X)), 20, is_bootstrap=True))
    sums, n_trees = np.zeros(y.shape), np.zeros(len(X))
    for number, bag in enumerate(bags):
        scores = one_tree(forest, number).predict_proba(X)
        for i in range(len(X)):
            if bag.weight[i] == 0:
                sums[i] += scores[i]
                n_trees[i] += 1
    np.testing.assert_allclose(forest.oob_scores_, sums / n_trees[:, None], atol=1e-12)


def one_tree(forest, number):
    """Return a forest with one of the trees alone."""
    made = MultiLabelForest().fit(np.zeros((2, forest.n_features_in_)), np.zeros((2, 5), dtype=int))
    whole = forest._label_forest.trees
    nodes = slice(*whole.roots[number : number + 2])
    leaves = slice(whole.leaf_roots[number], whole.leaf_roots[number + 1] + 1)
    alone = whole._replace(
        roots=np.array([0, nodes.stop - nodes.start]),
        leaf_roots=np.array([0, leaves.stop - leaves.start - 1]),
        nodes=whole.nodes[nodes].copy(),
        leaf_starts=whole.leaf_starts[leaves].copy(),
    )
    made._label_forest = replace(forest._label_forest, trees=alone)
    return made


def test_two_trees_leave_out_every_sample(table, engine):
    X, y = table
    assert np.isfinite(MultiLabelForest(2, random_state=0).fit(X, y).oob_scores_).all()


def test_one_tree_warns_of_samples_without_scores(table, engine):
    X, y = table
    with pytest.warns(UserWarning, match="at least two trees"):
        forest = MultiLabelForest(1, random_state=0).fit(X, y)
    missing = np.isnan(forest.oob_scores_)
    assert (missing.any(axis=1) == missing.all(axis=1)).all()
    assert 0.5 < missing[:, 0].mean() < 0.75


def test_without_a_bootstrap_there_are_no_scores_out_of_the_bag(table, engine):
    X, y = table
    forest = MultiLabelForest(3, random_state=0).fit(X, y)
    forest.set_params(bootstrap=False).fit(X, y)
    assert not hasattr(forest, "oob_scores_")
    np.testing.assert_array_equal(forest.predict(X), y)


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n_jobs=st.integers(2, 4),
    splitter=st.sampled_from(["random", "best"]),
)
def test_threads_change_nothing(seed, n_jobs, splitter):
    X, y = make_multilabel(80, 6, 4, sparse_output=False, random_state=seed)
    forests = [
        MultiLabelForest(8, splitter=splitter, n_jobs=jobs, random_state=seed).fit(X, y)
        for jobs in (1, n_jobs)
    ]
    for name in ("oob_scores_", "feature_importances_"):
        np.testing.assert_array_equal(*(getattr(forest, name) for forest in forests))
    np.testing.assert_array_equal(*(forest.predict_proba(X) for forest in forests))


def test_the_same_seed_gives_the_same_forest_and_another_one_does_not(table, engine):
    X, y = table
    scores = [MultiLabelForest(5, random_state=s).fit(X, y).oob_scores_ for s in (0, 0, 1)]
    np.testing.assert_array_equal(*scores[:2])
    assert (scores[0] != scores[2]).any()


def test_the_order_of_labels_changes_nothing(table):
    X, y = table
    order = [3, 1, 4, 0, 2]
    one, other = (MultiLabelForest(10, random_state=0).fit(X, part) for part in (y, y[:, order]))
    np.testing.assert_array_equal(one.oob_scores_[:, order], other.oob_scores_)
    np.testing.assert_array_equal(one.predict_proba(X)[:, order], other.predict_proba(X))


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_sparse_features_give_what_dense_ones_give(share):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((120, 30)) < share, 0, rng.normal(size=(120, 30)).round(1))
    y = (rng.random((120, 4)) < 0.3).astype(int)
    forests = [
        MultiLabelForest(6, random_state=0).fit(data, y) for data in (X, sparse.csr_array(X))
    ]
    np.testing.assert_array_equal(*(forest.oob_scores_ for forest in forests))
    expected = forests[0].predict_proba(X)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        np.testing.assert_array_equal(forests[1].predict_proba(form(X)), expected)


def test_equal_weights_change_nothing(table):
    X, y = table
    plain = MultiLabelForest(6, random_state=0).fit(X, y)
    for weight in (1, 4, 2.0**-40):
        weighted = MultiLabelForest(6, random_state=0).fit(X, y, np.full(len(X), weight))
        np.testing.assert_array_equal(weighted.oob_scores_, plain.oob_scores_)


def test_a_weight_of_zero_leaves_a_sample_out(table, engine):
    X, y = table
    weight = np.ones(len(X))
    weight[50:] = 0
    y = y.copy()
    y[50:] = 1 - y[50:]
    forest = MultiLabelForest(6, random_state=0).fit(X, y, sample_weight=weight)
    assert np.isfinite(forest.oob_scores_).all()
    # All trees are out-of-bag trees of such a sample.
    np.testing.assert_allclose(forest.oob_scores_[50:], forest.predict_proba(X)[50:], atol=1e-12)


def test_weights_move_scores_towards_the_heavier_samples():
    X, y = np.zeros((20, 1)), np.arange(20)[:, None] % 2
    weight = np.where(y[:, 0] == 1, 9.0, 1.0)
    forest = MultiLabelForest(50, random_state=0).fit(X, y, sample_weight=weight)
    assert 0.85 < forest.predict_proba([[0.0]])[0, 0] < 0.95


def test_all_weights_zero_are_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="zero"):
        MultiLabelForest().fit(X, y, sample_weight=np.zeros(len(X)))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_dataframes_with_categories_and_missing_values(make, engine):
    rng = np.random.default_rng(0)
    color = rng.choice(["red", "green", "blue"], 200)
    size = np.where(rng.random(200) < 0.2, np.nan, rng.normal(size=200))
    y = np.column_stack([color == "green", np.isnan(size), rng.random(200) < 0.5]).astype(int)
    X = make({"color": color, "size": size})
    forest = MultiLabelForest(40, max_features=None, random_state=0).fit(X, y)
    assert forest.feature_names_in_.tolist() == ["color", "size"]
    # What depends on a category, or on a value being missing, is learned.
    assert (forest.predict(X)[:, :2] == y[:, :2]).all()
    new = make({"color": ["purple", "green"], "size": [0.1, None]})
    assert np.isfinite(forest.predict_proba(new)).all()


def test_categories_in_an_array_of_objects(engine):
    X = np.array([["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", None]], dtype=object)
    y = np.array([[1], [0], [1], [0]])
    forest = MultiLabelForest(30, bootstrap=False, categorical_features=[0], random_state=0).fit(
        X, y
    )
    np.testing.assert_array_equal(forest.predict(X), y)


def test_importances_sum_to_one_and_find_the_feature(table, engine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    y = (X[:, [2, 2]] > [0, 1]).astype(int)
    forest = MultiLabelForest(30, random_state=0).fit(X, y)
    assert forest.feature_importances_.sum() == pytest.approx(1)
    assert forest.feature_importances_.argmax() == 2


def test_constant_labels_and_features(engine):
    X, y = np.zeros((6, 2)), np.array([[0, 1, i % 2] for i in range(6)])
    forest = MultiLabelForest(30, random_state=0).fit(X, y)
    scores = forest.predict_proba(X[:1])[0]
    assert (scores[0], scores[1]) == (0, 1)
    assert 0.3 < scores[2] < 0.7
    assert (forest.feature_importances_ == 0).all()


def test_one_sample():
    with pytest.warns(UserWarning, match="NaN"):
        forest = MultiLabelForest(3, random_state=0).fit([[1.0]], [[1, 0]])
    np.testing.assert_array_equal(forest.predict_proba([[5.0]]), [[1, 0]])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"splitter": "worst"}, "splitter must be one of 'random', 'best'"),
        ({"criterion": "mse"}, "criterion"),
        ({"max_features": 1.5}, "max_features"),
        ({"max_features": 0}, "max_features"),
        ({"max_features": "half"}, "max_features"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"max_depth": 0}, "max_depth"),
    ],
)
def test_wrong_parameters(table, params, message):
    with pytest.raises(ValueError, match=message):
        MultiLabelForest(**params).fit(*table)


@pytest.mark.parametrize(
    ("given", "expected"), [("sqrt", 10), ("log2", 6), (None, 100), (7, 7), (200, 100), (0.25, 25)]
)
def test_max_features(given, expected):
    assert MultiLabelForest(max_features=given)._options(100).max_features == expected


@pytest.mark.parametrize(
    ("params", "theirs"),
    [
        ({}, ExtraTreesClassifier),
        ({"criterion": "entropy", "min_samples_leaf": 3}, ExtraTreesClassifier),
    ],
)
def test_as_good_as_scikit_learns(params, theirs):
    """Reference: scikit-learn's own forest of the same kind, on the same folds."""
    gaps = []
    for seed in range(3):
        X, y = make_multilabel(600, 20, 6, signal=0.6, sparse_output=False, random_state=seed)
        ours = MultiLabelForest(100, random_state=0, **params).fit(X[:300], y[:300])
        other = theirs(100, bootstrap=True, random_state=0, **params).fit(X[:300], y[:300])
        scores = [
            ours.predict_proba(X[300:]),
            np.column_stack([p[:, 1] for p in other.predict_proba(X[300:])]),
        ]
        gaps.append(
            [metric(y[300:], scores[0]) - metric(y[300:], scores[1])
             for metric in (macro_auc_roc, macro_auc_pr)]
        )  # fmt: skip
    assert (np.abs(np.mean(gaps, axis=0)) < 0.02).all()


def test_many_labels_fit_in_little_memory():
    """A leaf stores the labels that occur in it: its memory does not depend on their number."""
    rng = np.random.default_rng(0)
    X, n_labels = rng.normal(size=(300, 5)), 20_000
    columns = rng.integers(0, n_labels, (300, 3))
    y = sparse.csr_array((np.ones(900), (np.repeat(np.arange(300), 3), columns.ravel())))
    y.resize((300, n_labels))
    y.data[:] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest = MultiLabelForest(5, random_state=0).fit(X, y)
    trees = forest._label_forest.trees
    assert trees.leaf_labels.size <= 5 * 900
    assert forest.predict_proba(X[:2]).shape == (2, n_labels)


def test_a_large_fold_of_the_same_kind_without_numba(table, monkeypatch):
    X, y = table
    compiled = MultiLabelForest(60, random_state=0).fit(X, y)
    monkeypatch.setattr(label_forest, "find_spec", lambda name: None)
    plain = MultiLabelForest(60, random_state=0).fit(X, y)
    assert type(plain._label_forest).__name__ == "PlainForest"
    correlation = np.corrcoef(plain.oob_scores_.ravel(), compiled.oob_scores_.ravel())[0, 1]
    assert correlation > 0.9
