"""Fewer features, no label that is too rare."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from rarelabels.datasets import (
    MultiLabelDataset,
    drop_rare_labels,
    make_multilabel,
    select_frequent_features,
)

tables = arrays(
    np.int64,
    st.tuples(st.integers(1, 8), st.integers(1, 12)),
    elements=st.sampled_from([0, 0, 1, -3]),
)


def as_containers(array):
    import pandas as pd
    import polars as pl

    names = [f"c{j}" for j in range(array.shape[1])]
    return [
        array,
        array.tolist(),
        sparse.csr_array(array),
        sparse.csc_matrix(array),
        sparse.coo_array(array),
        pd.DataFrame(array, columns=names),
        pl.DataFrame(array, schema=names),
    ]


def as_array(table):
    if sparse.issparse(table):
        return table.toarray()
    return table.to_numpy() if hasattr(table, "to_numpy") else np.asarray(table)


@given(tables, st.floats(0.01, 1))
def test_features_by_their_definition(X, fraction):
    n_kept = int(fraction * X.shape[1])
    if n_kept == 0:
        with pytest.raises(ValueError, match="keeps none"):
            select_frequent_features(X, fraction)
        return
    kept_first = sorted(range(X.shape[1]), key=lambda j: (-np.count_nonzero(X[:, j]), j))[:n_kept]
    X_kept, kept = select_frequent_features(X, fraction)
    assert kept.tolist() == sorted(kept_first)
    np.testing.assert_array_equal(X_kept, X[:, kept])


@given(tables, st.integers(0, 3))
def test_labels_by_their_definition(table, min_positive):
    Y = (table != 0).astype(int)
    expected = np.flatnonzero(Y.sum(axis=0) >= min_positive)
    if expected.size == 0:
        with pytest.raises(ValueError, match="lower min_positive"):
            drop_rare_labels(Y, min_positive)
        return
    Y_kept, kept = drop_rare_labels(Y, min_positive)
    np.testing.assert_array_equal(kept, expected)
    np.testing.assert_array_equal(Y_kept, Y[:, expected])


@pytest.mark.parametrize("place", range(7))
def test_a_container_stays_what_it_is(place):
    array = np.array([[0, 1, 2, 0], [0, 0, 3, 1], [1, 0, 4, 0]])
    table = as_containers(array)[place]
    kept_table, kept = select_frequent_features(table, 0.5)
    assert kept.tolist() == [0, 2]
    if not isinstance(table, list):
        assert type(kept_table) is type(table)
    np.testing.assert_array_equal(as_array(kept_table), array[:, kept])
    if hasattr(table, "columns"):
        assert list(kept_table.columns) == ["c0", "c2"]
    labels, kept = drop_rare_labels(as_containers((array > 0).astype(int))[place])
    assert kept.tolist() == [2]
    np.testing.assert_array_equal(as_array(labels), np.ones((3, 1)))


def test_stored_zeros_do_not_count():
    X = sparse.csr_array((np.array([0.0, 0.0, 5.0]), np.array([0, 0, 1]), np.array([0, 1, 2, 3])))
    assert select_frequent_features(X, 0.5)[1].tolist() == [1]


def test_a_whole_data_set():
    dataset = MultiLabelDataset(
        np.array([[0, 1, 2.0], [0, 0, 1], [0, 1, 0]]),
        np.array([[1, 0], [1, 0], [0, 1]]),
        ("a", "b", "c"),
        ("l", "m"),
        (1, 2),
        "toy",
        {1: ("x", "y"), 2: ("p", "q", "r")},
    )
    fewer, kept = select_frequent_features(dataset, 0.67)
    assert kept.tolist() == [1, 2]
    assert fewer.feature_names == ("b", "c")
    assert fewer.categorical_features == (0, 1)
    assert fewer.categories == {0: ("x", "y"), 1: ("p", "q", "r")}
    fewer, kept = drop_rare_labels(fewer)
    assert kept.tolist() == [0]
    assert fewer.label_names == ("l",)
    assert fewer.name == "toy"
    assert fewer.n_features == 2


@pytest.mark.parametrize("fraction", [0, -0.5, 1.5, float("nan")])
def test_a_fraction_that_is_none(fraction):
    with pytest.raises(ValueError, match="fraction must be"):
        select_frequent_features(np.eye(3), fraction)


def test_one_dimension_is_too_few():
    with pytest.raises(ValueError, match="reshape"):
        drop_rare_labels(np.ones(3))


def test_many_labels_stay_sparse():
    dataset = make_multilabel(2000, 50, 3000, cardinality=2, random_state=0)
    fewer, kept = drop_rare_labels(dataset)
    assert sparse.issparse(fewer.Y)
    assert fewer.Y.sum(axis=0).min() >= 2
    assert 0 < kept.size < 3000
