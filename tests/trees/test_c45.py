"""C4.5: cases by hand, containers, weights, what a reader sees."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from rarelabels.trees import C45Classifier
from trees.data import CATEGORICAL, make_data


def test_a_split_by_hand():
    # Feature 0 separates the classes, feature 1 is noise: one split, at the training value 2.
    X = np.array([[1.0, 5], [2, 4], [2, 5], [8, 4], [9, 5], [9, 4]])
    y = np.array(["no", "no", "no", "yes", "yes", "yes"])
    tree = C45Classifier().fit(X, y)
    assert tree.export_text() == "feature 0 <= 2: no (3)\nfeature 0 > 2: yes (3)"
    assert (tree.n_leaves_, tree.n_nodes_) == (2, 3)
    assert tree.feature_importances_.tolist() == [1, 0]
    assert tree.predict([[2.0, 0], [2.1, 0]]).tolist() == ["no", "yes"]


def test_text_names_features_and_categories():
    X = pd.DataFrame({"color": 4 * ["red", "blue"], "size": range(8)})
    tree = C45Classifier().fit(X, 4 * [1, 0])
    assert tree.export_text() == "color = blue: 0 (4)\ncolor = red: 1 (4)"
    assert tree.feature_names_in_.tolist() == ["color", "size"]


def test_few_samples_make_two_categories_many():
    # 2 is not below 0.3 × 6, and the numeric feature has no split: no feature is in the average.
    X = pd.DataFrame({"color": 3 * ["red", "blue"], "size": range(6)})
    assert C45Classifier().fit(X, 3 * [1, 0]).export_text() == "0 (6/3)"


def test_an_unseen_category_gets_the_shares_of_the_node():
    X = np.array([[0.0], [0], [0], [1], [1]])
    tree = C45Classifier(categorical_features=[0]).fit(X, [0, 0, 0, 1, 1])
    assert tree.n_leaves_ == 2
    np.testing.assert_allclose(tree.predict_proba([[7.0]]), [[0.6, 0.4]])


def test_a_missing_value_is_shared_among_the_branches():
    X = np.array([[0.0], [0], [0], [1], [1]])
    tree = C45Classifier(categorical_features=[0]).fit(X, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(tree.predict_proba([[np.nan]]), [[0.6, 0.4]])


def test_containers_give_the_same_tree():
    X, y = make_data(0, missing=0.1)
    tree = C45Classifier(categorical_features=CATEGORICAL)
    expected = tree.fit(X, y).predict_proba(X)
    columns = {f"f{j}": X[:, j] for j in range(X.shape[1])}
    for given in (
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        sparse.csr_array(X),
        sparse.csc_matrix(X),
        X.tolist(),
    ):
        np.testing.assert_array_equal(tree.fit(given, y).predict_proba(given), expected)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_text_columns_are_categories_by_dtype(library):
    X, y = make_data(1)
    names = np.array(["a", "b", "c", "d"])[X[:, 0].astype(int)]
    frame = library.DataFrame({"kind": names, "value": X[:, 3]})
    by_code = C45Classifier(categorical_features=[0]).fit(X[:, [0, 3]], y)
    by_name = C45Classifier().fit(frame, y)
    np.testing.assert_array_equal(by_name.predict_proba(frame), by_code.predict_proba(X[:, [0, 3]]))


def test_a_weight_of_two_is_two_samples():
    X, y = make_data(2, n=60)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    tree = C45Classifier(categorical_features=CATEGORICAL)
    repeated = np.repeat(np.arange(60), weight)
    # Only the rule about many categories counts samples: 4 is below 0.3 of both numbers.
    expected = tree.fit(X[repeated], y[repeated]).predict_proba(X)
    got = tree.fit(X, y, sample_weight=weight).predict_proba(X)
    np.testing.assert_allclose(got, expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_samples_leaf": 0}, "min_samples_leaf must be an int of at least 1"),
        ({"confidence": 1.5}, "confidence must be a float between 0 and 1"),
        ({"confidence": True}, "confidence must be a float between 0 and 1"),
        ({"categorical_features": "all"}, "categorical_features must be None"),
        ({"categorical_features": [9]}, "categorical_features"),
    ],
)
def test_bad_parameters_are_named(options, message):
    X, y = make_data(3)
    with pytest.raises(ValueError, match=message):
        C45Classifier(**options).fit(X, y)


def test_text_that_is_not_declared_is_refused():
    frame = pd.DataFrame({"kind": ["a", "b"] * 4})
    with pytest.raises(ValueError, match="'kind' is not numeric"):
        C45Classifier(categorical_features=None).fit(frame, [0, 1] * 4)


def test_weights_must_count():
    X, y = make_data(4)
    with pytest.raises(ValueError, match="at least one"):
        C45Classifier().fit(X, y, sample_weight=np.zeros(80))
