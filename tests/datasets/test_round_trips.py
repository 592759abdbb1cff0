"""Whatever is written reads back the same."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels.datasets import (
    MultiLabelDataset,
    load_csv,
    load_meka,
    load_mulan,
    load_parquet,
    load_xmc,
    save_csv,
    save_meka,
    save_mulan,
    save_parquet,
    save_xmc,
)

values = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-100, 100).map(float),
    st.sampled_from([0.0, 1.0, 0.1, 1e-300]),
)
# XML has no way to write most control characters and lone surrogates.
texts = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=8
)
name_texts = st.one_of(texts, st.text("ab'\"\\%,{}? \t\n:@-", max_size=5))


def csv_texts(text):
    return text.strip() != "" and "\r" not in text


@st.composite
def columns(draw, n_rows, category_texts, with_missing):
    """Give a feature's values and, where it is categorical, its categories."""
    missing = st.just(np.nan) if with_missing else st.nothing()
    if category_texts is None or draw(st.booleans()):
        value = values | missing
        return draw(st.lists(value, min_size=n_rows, max_size=n_rows)), None
    categories = tuple(draw(st.lists(category_texts, min_size=1, max_size=4, unique=True)))
    codes = st.integers(0, len(categories) - 1).map(float) | missing
    return draw(st.lists(codes, min_size=n_rows, max_size=n_rows)), categories


@st.composite
def data_sets(draw, names=name_texts, category_texts=name_texts, with_missing=True, is_sparse=None):
    n, d, q = draw(st.integers(1, 6)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    features = [draw(columns(n, category_texts, with_missing)) for _ in range(d)]
    X = np.array([found for found, _ in features]).T.reshape(n, d)
    Y = np.array(draw(st.lists(st.integers(0, 1), min_size=n * q, max_size=n * q))).reshape(n, q)
    categories = {j: found for j, (_, found) in enumerate(features) if found is not None}
    both = draw(st.lists(names, min_size=d + q, max_size=d + q, unique=True))
    if draw(st.booleans()) if is_sparse is None else is_sparse:
        X, Y = sparse.csr_array(X), sparse.csr_array(Y)
    return MultiLabelDataset(
        X, Y, tuple(both[:d]), tuple(both[d:]), tuple(categories), "any", categories
    )


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


@given(dataset=data_sets())
def test_mulan(folder, assert_same, dataset):
    save_mulan(dataset, folder / "any.arff")
    assert_same(load_mulan(folder / "any.arff"), dataset)


@given(dataset=data_sets())
def test_the_careful_way_reads_the_same(folder, assert_same, dataset):
    save_mulan(dataset, folder / "any.arff")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rarelabels.datasets.arff._rows._parse_at_once", lambda *_: False)
        assert_same(load_mulan(folder / "any.arff"), dataset)


@given(dataset=data_sets(names=name_texts | st.text(st.characters(codec="utf-8"), max_size=5)))
@settings(max_examples=60)
def test_meka(folder, assert_same, dataset):
    save_meka(dataset, folder / "any.arff.xz")
    assert_same(load_meka(folder / "any.arff.xz"), dataset)


@given(dataset=data_sets(category_texts=None, with_missing=False, is_sparse=True))
def test_xmc(folder, assert_same, dataset):
    save_xmc(dataset, folder / "any.txt")
    named = MultiLabelDataset(dataset.X, dataset.Y)
    assert_same(load_xmc(folder / "any.txt"), named)


@given(dataset=data_sets(names=name_texts.filter(csv_texts), category_texts=None, is_sparse=False))
def test_csv_numbers(folder, assert_same, dataset):
    save_csv(dataset, folder / "any.csv")
    assert_same(load_csv(folder / "any.csv", dataset.label_names), dataset)


@given(dataset=data_sets(name_texts.filter(csv_texts), name_texts.filter(csv_texts)))
def test_csv_categories(folder, dataset):
    """A CSV file does not say which categories there are, so values are compared and not codes."""
    save_csv(dataset, folder / "any.csv")
    categorical = [dataset.feature_names[j] for j in dataset.categorical_features]
    found = load_csv(folder / "any.csv", dataset.label_names, categorical_features=categorical)
    assert found.categorical_features == dataset.categorical_features
    for j in range(dataset.n_features):
        assert spelled(found, j) == spelled(dataset, j)


def spelled(dataset, j):
    X = dataset.X.toarray() if sparse.issparse(dataset.X) else dataset.X
    categories = dataset.categories.get(j)
    return [
        "" if value != value else (value if categories is None else categories[int(value)])
        for value in X[:, j].tolist()
    ]


@given(dataset=data_sets(category_texts=texts, is_sparse=False))
@pytest.mark.parametrize("libraries", [["polars"], ["pandas", "pyarrow"]])
@settings(max_examples=40)
def test_parquet(folder, assert_same, dataset, libraries):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rarelabels.datasets.tables._library.is_installed", libraries.__contains__)
        save_parquet(dataset, folder / "any.parquet")
        assert_same(load_parquet(folder / "any.parquet", dataset.label_names), dataset)
