import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from imblearn.pipeline import Pipeline
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rarelabels.base import BaseSampler, Resample, Synthetic
from rarelabels.sampling import MLSOL, MLUL
from rarelabels.testing import check_sampler


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, :2] + 0.5 * rng.normal(size=(80, 2)) > 0.8).astype(int)
    return X, y


@pytest.fixture
def mixed():
    """A table with numbers, whole numbers, text, categories and truth values."""
    rng = np.random.default_rng(1)
    n = 60
    frame = pd.DataFrame(
        {
            "size": rng.random(n).astype(np.float32),
            "age": rng.integers(20, 70, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "grade": pd.Categorical(
                rng.choice(list("abc"), n), categories=list("cba"), ordered=True
            ),
            "member": rng.random(n) < 0.5,
        },
        index=np.arange(n) + 1000,
    )
    y = pd.DataFrame({"p": frame["colour"] == "red", "q": (rng.random(n) < 0.3).astype(int)})
    y["p"] ^= rng.random(n) < 0.15
    return frame, y


def add_a_row(X, Y, values):
    """A sampler's answer with one synthetic sample."""
    labels = sparse.csr_array(np.ones((1, Y.shape[1]), dtype=np.int8))
    return Resample(np.arange(Y.shape[0]), synthetic=Synthetic(values, labels, np.array([0])))


class Halfway(BaseSampler):
    """Adds the mean of the first two samples, in numbers."""

    def _resample(self, X, Y, rng):
        return add_a_row(X, Y, (X.matrix[:1] + X.matrix[1:2]) / 2)


class Forgetful(MLUL):
    """Breaks the contract: keeps the first samples and says nothing of where they come from."""

    def fit_resample(self, X, y):
        super().fit_resample(X, y)
        self.sample_indices_ = self.sample_indices_[::-1]
        return X[: len(self.sample_indices_)], y[: len(self.sample_indices_)]


@pytest.mark.parametrize("sampler", [MLSOL(), MLUL(), MLSOL(n_neighbors=3), Halfway()])
def test_common_checks(sampler):
    check_sampler(sampler)


def test_the_common_checks_can_fail():
    with pytest.raises(AssertionError, match="a copied sample has other features"):
        check_sampler(Forgetful())


def test_whole_numbers_become_floats_only_where_new_samples_need_them(numbers):
    X, y = np.round(numbers[0] * 10).astype(np.int32), numbers[1]
    assert MLUL(random_state=0).fit_resample(X, y)[0].dtype == np.int32
    assert MLSOL(random_state=0).fit_resample(X, y)[0].dtype == np.float64
    as_categories = MLSOL(random_state=0, categorical_features=[0, 1, 2]).fit_resample(X, y)[0]
    assert as_categories.dtype == np.int32
    assert set(np.unique(as_categories)) <= set(np.unique(X))


def test_a_mixed_pandas_frame(mixed):
    X, y = mixed
    sampler = MLSOL(sampling_ratio=0.5, categorical_features="auto", random_state=0)
    X_new, y_new = sampler.fit_resample(X, y)
    assert list(X_new.columns) == list(X.columns)
    assert list(X_new.index) == list(range(1000, 1090))
    assert (X_new.dtypes == X.dtypes).all()
    assert (y_new.dtypes == y.dtypes).all()
    for name in ("colour", "grade", "member"):
        assert set(X_new[name][60:]) <= set(X[name])
    pd.testing.assert_frame_equal(X_new[:60], X)
    assert list(sampler.feature_names_in_) == list(X.columns)


def test_a_mixed_polars_frame_gives_the_same(mixed):
    X, y = mixed
    sampler = MLSOL(sampling_ratio=0.5, categorical_features="auto", random_state=0)
    expected = sampler.fit_resample(X, y)
    X_new, y_new = sampler.fit_resample(pl.from_pandas(X), pl.from_pandas(y))
    assert isinstance(X_new, pl.DataFrame)
    assert isinstance(y_new, pl.DataFrame)
    assert X_new["grade"].dtype == pl.from_pandas(X)["grade"].dtype
    for name in X.columns:
        assert X_new[name].to_list() == expected[0][name].to_list()
    assert y_new["q"].to_list() == expected[1]["q"].to_list()


def test_a_pyarrow_table(mixed):
    X, y = mixed
    table = pa.Table.from_pandas(X[["size", "colour"]], preserve_index=False)
    sampler = MLSOL(categorical_features=["colour"], random_state=0)
    X_new, y_new = sampler.fit_resample(table, y)
    assert isinstance(X_new, pa.Table)
    assert X_new.schema.names == ["size", "colour"]
    assert X_new.num_rows == len(y_new) == 78


def test_categories_by_name_index_mask_and_dtype_are_one(mixed):
    X, y = mixed
    ways = [
        ["colour", "grade", "member"],
        [2, 3, 4],
        [-1, -2, -3],
        [False, False, True, True, True],
    ]
    first = MLSOL(categorical_features="auto", random_state=0).fit_resample(X, y)
    for way in ways:
        again = MLSOL(categorical_features=way, random_state=0).fit_resample(X, y)
        pd.testing.assert_frame_equal(again[0], first[0])


def test_text_in_an_object_array():
    X = np.array([["a", 1], ["b", 2], ["a", 3], ["b", 4], ["a", 5], ["b", 6]], dtype=object)
    y = np.array([[1], [0], [1], [0], [0], [0]])
    sampler = MLSOL(sampling_ratio=1.0, n_neighbors=3, categorical_features=[0], random_state=0)
    X_new, _ = sampler.fit_resample(X, y)
    assert X_new.dtype == object
    assert set(X_new[:, 0]) == {"a", "b"}
    X_list, _ = sampler.fit_resample(X.tolist(), y.tolist())
    assert X_list == X_new.tolist()


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr"])
@pytest.mark.parametrize("maker", [sparse.csr_array, sparse.csr_matrix])
def test_every_sparse_format_comes_back(numbers, kind, maker):
    X, y = (maker(part).asformat(kind) for part in numbers)
    X_new, y_new = MLSOL(random_state=0).fit_resample(X, y)
    assert type(X_new) is type(X)
    assert type(y_new) is type(y)
    assert y_new.dtype == y.dtype


def test_explicit_zeros_and_duplicates_in_sparse_labels(numbers):
    X, y = numbers
    samples, columns = np.nonzero(y)
    noisy = sparse.csr_array(
        (np.r_[np.ones(samples.size), 0.0], (np.r_[samples, 0], np.r_[columns, 1])), shape=y.shape
    )
    before = noisy.copy()
    expected = MLSOL(random_state=0).fit_resample(X, y)
    found = MLSOL(random_state=0).fit_resample(X, noisy)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1].toarray(), expected[1])
    assert noisy.nnz == before.nnz


def test_wide_sparse_labels_are_never_dense(monkeypatch):
    # A dense n×q array of these would hold 50 million entries.
    rng = np.random.default_rng(0)
    n, q = 1000, 50_000
    columns = rng.integers(q // 100, size=3 * n)
    y = sparse.csr_array((np.ones(3 * n), (np.repeat(np.arange(n), 3), columns)), shape=(n, q))
    y.data[:] = 1
    y = (y > 0).astype(np.int8)

    def refuse(self, *args, **kwargs):
        assert np.prod(self.shape) < n * q / 10, "somebody made the labels dense"
        return original(self, *args, **kwargs)

    original = sparse.csr_array.toarray
    monkeypatch.setattr(sparse.csr_array, "toarray", refuse)
    X = rng.random((n, 8))
    for sampler in (MLSOL(random_state=0), MLUL(random_state=0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y_new = sampler.fit_resample(X, y)[1]
        assert sparse.issparse(y_new)


def test_seeds_of_every_kind(numbers):
    def first(seed):
        return MLSOL(random_state=seed).fit_resample(*numbers)[0]

    np.testing.assert_array_equal(first(3), first(np.int64(3)))
    np.testing.assert_array_equal(first(np.random.RandomState(3)), first(np.random.RandomState(3)))
    np.testing.assert_array_equal(first(np.random.default_rng(3)), first(3))
    assert not np.array_equal(first(None), first(None))
    generator = np.random.default_rng(3)
    assert not np.array_equal(first(generator), first(generator))
    for wrong in ("seed", 1.5, -1, True):
        with pytest.raises(ValueError, match="random_state must be"):
            first(wrong)


def test_parameters_are_keyword_only_and_stored():
    with pytest.raises(TypeError):
        MLSOL(0.3)
    sampler = MLSOL(sampling_ratio=0.7, random_state=1)
    assert sampler.get_params()["sampling_ratio"] == 0.7
    assert clone(sampler).set_params(n_neighbors=2).n_neighbors == 2
    assert repr(sampler) == "MLSOL(random_state=1, sampling_ratio=0.7)"


def test_pickle_after_the_call(numbers):
    sampler = MLSOL(random_state=0)
    sampler.fit_resample(*numbers)
    again = pickle.loads(pickle.dumps(sampler))
    np.testing.assert_array_equal(again.weights_, sampler.weights_)
    np.testing.assert_array_equal(
        again.fit_resample(*numbers)[0], sampler.fit_resample(*numbers)[0]
    )


def test_old_feature_names_are_forgotten(numbers):
    X, y = numbers
    sampler = MLUL(random_state=0)
    sampler.fit_resample(pd.DataFrame(X, columns=list("abc")), y)
    assert list(sampler.feature_names_in_) == list("abc")
    sampler.fit_resample(X, y)
    assert not hasattr(sampler, "feature_names_in_")


@pytest.mark.parametrize("sampler", [MLSOL(random_state=0), MLUL(random_state=0)])
def test_in_a_pipeline_and_a_grid_search(numbers, sampler):
    X, y = numbers
    steps = [
        ("scale", StandardScaler()),
        ("sample", sampler),
        ("tree", DecisionTreeClassifier(random_state=0)),
    ]
    search = GridSearchCV(
        Pipeline(steps), {"sample__sampling_ratio": [0.0, 0.2, 0.5]}, cv=3, error_score="raise"
    )
    search.fit(X, y)
    assert search.best_params_["sample__sampling_ratio"] in (0.0, 0.2, 0.5)
    assert search.predict(X).shape == y.shape


def test_in_a_text_pipeline():
    texts = [f"word{i % 7} word{i % 5} word{i % 3}" for i in range(60)]
    y = np.array([[i % 7 == 0, i % 5 == 0] for i in range(60)]).astype(int)
    pipeline = Pipeline(
        [
            ("tfidf", TfidfVectorizer()),
            ("sample", MLSOL(random_state=0)),
            ("tree", DecisionTreeClassifier(random_state=0)),
        ]
    )
    assert pipeline.fit(texts, y).predict(texts).shape == y.shape


def test_a_sampler_that_does_not_read_the_features_takes_any():
    class First(BaseSampler):
        def _resample(self, X, Y, rng):
            return Resample(kept=np.array([0]))

    X = pd.DataFrame({"text": ["a b", None], "number": [np.nan, np.inf]})
    X_new, y_new = First().fit_resample(X, [[1, 0], [0, 1]])
    assert X_new["text"].tolist() == ["a b"]
    assert y_new == [[1, 0]]


def test_changed_labels_of_kept_samples():
    class Blank(BaseSampler):
        def _resample(self, X, Y, rng):
            samples = np.arange(Y.shape[0])
            labels = sparse.csr_array((2 * samples.size, Y.shape[1]), dtype=np.int8)
            return Resample(kept=samples, clones=samples, labels=labels)

    sampler = Blank()
    X_new, y_new = sampler.fit_resample(np.eye(2), np.eye(2))
    assert X_new.shape == (4, 2)
    np.testing.assert_array_equal(y_new, np.zeros((4, 2)))
    np.testing.assert_array_equal(sampler.sample_indices_, [0, 1, 0, 1])
    assert not sampler.is_synthetic_.any()
