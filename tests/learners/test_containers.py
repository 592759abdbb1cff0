"""Predictions come out in the kind of container that y came in."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from rarelabels.learners import COCOA, BinaryRelevance, MLkNN

NAMES = ["rain", "snow", "hail", "fog"]


@pytest.fixture
def plain(data):
    X, y = data
    return BinaryRelevance(random_state=0).fit(X, y).predict(X)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse(make, data, plain):
    X, y = data
    found = BinaryRelevance(random_state=0).fit(X, make(y)).predict(X)
    assert type(found) is (sparse.csr_matrix if make is sparse.csr_matrix else sparse.csr_array)
    assert found.dtype.kind == "i"
    np.testing.assert_array_equal(found.toarray(), plain)


def test_pandas_keeps_names_and_the_rows_of_X(data, plain):
    X, y = data
    rows = [f"row {i}" for i in range(len(X))]
    frame = pd.DataFrame(X, columns=list("abcde"), index=rows)
    learner = BinaryRelevance(random_state=0).fit(frame, pd.DataFrame(y, columns=NAMES))
    found = learner.predict(frame)
    assert list(found.columns) == NAMES
    assert list(found.index) == rows
    np.testing.assert_array_equal(found.to_numpy(), plain)
    np.testing.assert_array_equal(learner.label_names_in_, NAMES)
    np.testing.assert_array_equal(learner.feature_names_in_, list("abcde"))


def test_pandas_with_numbers_as_names(data):
    X, y = data
    found = BinaryRelevance().fit(X, pd.DataFrame(y, columns=[3, 2, 1, 0])).predict(X)
    assert list(found.columns) == [3, 2, 1, 0]


def test_polars(data, plain):
    X, y = data
    found = BinaryRelevance(random_state=0).fit(X, pl.DataFrame(y, schema=NAMES)).predict(X)
    assert isinstance(found, pl.DataFrame)
    assert found.columns == NAMES
    np.testing.assert_array_equal(found.to_numpy(), plain)


def test_pyarrow(data, plain):
    X, y = data
    table = pa.table(dict(zip(NAMES, y.T, strict=True)))
    found = BinaryRelevance(random_state=0).fit(X, table).predict(X)
    assert found.column_names == NAMES
    np.testing.assert_array_equal(np.column_stack(found.columns), plain)


@pytest.mark.parametrize("kind", [list, float])
def test_lists_and_floats_give_an_array_of_ints(kind, data, plain):
    X, y = data
    given = y.tolist() if kind is list else y.astype(kind)
    found = BinaryRelevance(random_state=0).fit(X, given).predict(X)
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        sparse.csr_array,
        lambda y: pd.DataFrame(y, columns=NAMES),
        lambda y: pl.DataFrame(y, schema=NAMES),
    ],
)
def test_booleans_give_booleans(make, data, plain):
    X, y = data
    found = BinaryRelevance(random_state=0).fit(X, make(y.astype(bool))).predict(X)
    assert type(found) is type(make(y))
    values = found.toarray() if sparse.issparse(found) else np.asarray(found)
    assert values.dtype == np.bool_
    np.testing.assert_array_equal(values, plain)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("learner", [BinaryRelevance(random_state=0), MLkNN(n_neighbors=3)])
def test_scores_have_the_names_of_the_labels(make, learner, data):
    X, y = data
    rows = [f"row {i}" for i in range(len(X))]
    frame = pd.DataFrame(X, columns=list("abcde"), index=rows)
    expected = learner.fit(frame, y).predict_proba(frame)
    assert isinstance(expected, np.ndarray)
    found = learner.fit(frame, make(dict(zip(NAMES, y.T, strict=True)))).predict_proba(frame)
    assert isinstance(found, make)
    assert list(found.columns) == NAMES
    np.testing.assert_array_equal(found.to_numpy(), expected)
    if make is pd.DataFrame:
        assert list(found.index) == rows


def test_columns_that_were_not_there_at_fit(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcde"))
    learner = COCOA(n_couples=1).fit(frame, y)
    with pytest.raises(ValueError, match="feature names"):
        learner.predict(frame.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="feature names"):
        learner.predict(frame[list("abcd")])
    with pytest.raises(ValueError, match="expecting 5 features"):
        BinaryRelevance().fit(X, y).predict(X[:, :3])


def test_text_features_of_mlknn():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(["red", "blue", "green"], 60), "x": rng.random(60)})
    y = np.column_stack([frame["colour"] == "red", frame["x"] > 0.5]).astype(int)
    learner = MLkNN(n_neighbors=3, categorical_features=["colour"]).fit(frame, y)
    assert (learner.predict(frame)[:, 0] == y[:, 0]).mean() > 0.95
    # New samples are coded as the old ones, whatever comes first in them and whatever is new.
    shuffled = frame.iloc[::-1]
    np.testing.assert_array_equal(
        learner.predict_proba(shuffled), learner.predict_proba(frame)[::-1]
    )
    new = pd.DataFrame({"colour": ["purple"], "x": [0.9]})
    assert np.isfinite(learner.predict_proba(new)).all()


def test_pipelines_and_searches(data):
    from sklearn.model_selection import GridSearchCV, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    X, y = data
    pipe = make_pipeline(StandardScaler(), BinaryRelevance(DecisionTreeClassifier(random_state=0)))
    grid = {"binaryrelevance__estimator__max_depth": [1, 3]}
    search = GridSearchCV(pipe, grid, scoring="f1_macro", cv=3).fit(X, y)
    assert search.predict(X).shape == y.shape
    scores = cross_val_predict(pipe, X, y, cv=3, method="predict_proba")
    assert scores.shape == y.shape
