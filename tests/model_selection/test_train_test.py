"""One split in two."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rarelabels.model_selection import iterative_train_test_split


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 3)), (rng.random((80, 4)) < [0.5, 0.25, 0.1, 0.05]).astype(int)


@pytest.mark.parametrize(
    ("test_size", "n_test"), [(0.25, 20), (0.1, 8), (0.51, 41), (30, 30), (0.999, 79)]
)
def test_sizes_are_scikit_learns(data, test_size, n_test):
    _, X_test, _, Y_test = iterative_train_test_split(*data, test_size=test_size, random_state=0)
    assert len(X_test) == len(Y_test) == n_test


def test_each_label_keeps_its_share(data):
    _, _, Y_train, Y_test = iterative_train_test_split(*data, random_state=0)
    wanted = (Y_train.sum(axis=0) + Y_test.sum(axis=0)) / 4
    assert np.abs(Y_test.sum(axis=0) - wanted).max() <= 1


def test_a_label_with_one_sample_is_trained_on():
    Y = np.eye(12, dtype=int)[:, :3]
    for seed in range(5):
        _, _, Y_train, _ = iterative_train_test_split(Y, Y, random_state=seed)
        assert Y_train.sum(axis=0).tolist() == [1, 1, 1]


def test_everything_is_split_alike_in_its_own_container(data):
    X, Y = data
    frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(80) + 100)
    labels = pl.DataFrame(Y, schema=list("wxyz"))
    names = [f"row {i}" for i in range(80)]
    parts = iterative_train_test_split(frame, labels, names, sparse.coo_array(X), random_state=3)
    X_train, X_test, Y_train, Y_test, names_train, names_test, sparse_train, sparse_test = parts
    assert isinstance(X_train, pd.DataFrame)
    assert isinstance(Y_test, pl.DataFrame)
    assert sparse.issparse(sparse_test)
    samples = X_test.index.to_numpy() - 100
    assert (np.diff(samples) > 0).all()
    assert Y_test.to_numpy().tolist() == Y[samples].tolist()
    assert names_test == [names[sample] for sample in samples]
    assert sparse_test.toarray().tolist() == X[samples].tolist()
    assert len(X_train) == len(Y_train) == len(names_train) == sparse_train.shape[0] == 60


@given(
    st.lists(st.integers(1, 30), min_size=2, max_size=8),
    st.floats(0.05, 0.95),
    st.integers(0, 20),
)
def test_groups_are_never_torn_and_both_parts_have_samples(sizes, test_size, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    Y = (np.random.default_rng(seed).random((len(groups), 3)) < 0.3).astype(int)
    train, test = iterative_train_test_split(
        groups, Y, test_size=test_size, random_state=seed, groups=groups
    )[:2]
    assert len(train)
    assert len(test)
    assert not set(train) & set(test)


def test_both_parts_have_samples_where_every_group_wants_the_same():
    # Each group has a label of its own, and the training part wants most of each; the groups of
    # 20 and 30 leave it open for the one of 50.
    groups = np.repeat([0, 1, 2], [20, 30, 50])
    Y = np.eye(3, dtype=int)[groups]
    train, test = iterative_train_test_split(groups, Y, groups=groups, random_state=0)[:2]
    assert (len(train), len(test)) == (80, 20)


@pytest.mark.parametrize("test_size", [0, 0.0, 1.0, 80, -1, "a", None, True])
def test_a_wrong_test_size(data, test_size):
    with pytest.raises(
        ValueError, match=r"test_size must be a float between .* an int from 1 to 79"
    ):
        iterative_train_test_split(*data, test_size=test_size)


def test_other_errors(data):
    X, Y = data
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        iterative_train_test_split(X[:-1], Y)
    with pytest.raises(ValueError, match="a split in two needs at least 2 groups, got 1"):
        iterative_train_test_split(X, Y, groups=np.zeros(80))
    with pytest.raises(ValueError, match="0/1 indicator"):
        iterative_train_test_split(X, Y[:, 0])
