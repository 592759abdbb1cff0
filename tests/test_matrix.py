"""Every kind of container with every kind of column, in every sampler and every learner.

`SAMPLED` says how a column of a kind, in a container of a kind, comes back from a sampler, and
`LEARNED` how it reaches the estimator inside a learner.
"""

import warnings
from functools import cache
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from quick import quick_learner, seeded_sampler, uses_features, with_base_estimator
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    BinaryRelevance,
    CalibratedClassifier,
    ThresholdedClassifier,
    learner_names,
)
from rarelabels.sampling import MLROS, MLRUS, sampler_names

KINDS = ("float", "gaps", "int", "bool", "category", "text", "datetime")

# How samplers give a column back:
#   same    in its dtype, gaps where gaps may be
#   float   as floats where values are averaged, in its dtype where samples are copied or removed
#   name    refused where features are looked at, until it is named in categorical_features
#   remedy  refused where features are looked at, with what to do about it
#   -       no such thing
SAMPLED = {
    #              float   gaps    int      bool     category  text      datetime
    "numpy":      ("same", "same", "float", "float", "name",   "remedy", "remedy"),
    "sparse":     ("same", "same", "float", "float", "-",      "-",      "-"),
    "pandas":     ("same", "same", "same",  "same",  "same",   "remedy", "same"),
    "nullable":   ("same", "same", "same",  "same",  "same",   "remedy", "same"),
    "arrow":      ("same", "same", "same",  "same",  "same",   "remedy", "same"),
    "polars":     ("same", "same", "same",  "same",  "same",   "remedy", "same"),
}  # fmt: skip

# How a column reaches the estimator inside a learner:
#   same    in its dtype, in a container of the same kind
#   float   as floats
#   tagged  as it is to an estimator whose tags allow missing values, else refused
#   remedy  refused, with what to do about it
LEARNED = {
    #              float   gaps      int      bool     category  text      datetime
    "numpy":      ("same", "tagged", "float", "float", "remedy", "remedy", "remedy"),
    "sparse":     ("same", "tagged", "float", "float", "-",      "-",      "-"),
    "pandas":     ("same", "same",   "same",  "same",  "same",   "same",   "same"),
    "nullable":   ("same", "same",   "same",  "same",  "same",   "same",   "same"),
    "arrow":      ("same", "same",   "same",  "same",  "same",   "same",   "same"),
    "polars":     ("same", "same",   "same",  "same",  "same",   "same",   "same"),
}  # fmt: skip

REMEDIES = "TfidfVectorizer|to_datetime|categorical_features|in a dataframe"

N = 48


def columns():
    """Return one column of each kind."""
    rng = np.random.default_rng(0)
    number, missing = rng.normal(size=N), rng.random(N) < 0.2
    seconds = pd.to_timedelta(rng.integers(0, 10**6, N), unit="s")
    return {
        "float": number,
        "gaps": np.where(missing, np.nan, number[::-1]),
        "int": rng.poisson(3, N),
        "bool": rng.random(N) < 0.4,
        "category": pd.Categorical(rng.choice(["a", "b", "c"], N)),
        "text": [f"sample {i} says {i * i}" for i in range(N)],
        "datetime": pd.Timestamp("2024-01-31") + seconds,
    }


COLUMNS = columns()
NUMBER = np.random.default_rng(1).normal(size=N)
LABELS = np.column_stack(
    [NUMBER > 0, np.abs(NUMBER) > 1.2, np.random.default_rng(2).random(N) < 0.15]
).astype(int)


def table(container, kind):
    """Return a table of a column of a kind, named x, and a second one."""
    frame = pd.DataFrame({"x": COLUMNS[kind], "z": NUMBER}, index=[f"p{i}" for i in range(N)])
    if container == "nullable":
        return frame.convert_dtypes()
    if container == "arrow":
        return frame.convert_dtypes(dtype_backend="pyarrow")
    if container == "polars":
        return pl.from_pandas(frame)
    if container == "pandas":
        return frame
    # A table of numbers has one dtype.
    second = NUMBER > 0 if kind in ("int", "bool") else NUMBER
    is_other = kind in ("category", "text", "datetime")
    first = np.array(COLUMNS[kind], dtype=object if is_other else None)
    values = np.column_stack([first, second])
    return sparse.csr_array(values) if container == "sparse" else values


def labels(container):
    if container == "sparse":
        return sparse.csr_array(LABELS)
    if container == "numpy":
        return LABELS
    frame = pd.DataFrame(LABELS, columns=["flu", "cold", "gout"]).astype(bool)
    return pl.from_pandas(frame) if container == "polars" else frame


def dtype(X):
    """Return the dtype of the column x."""
    return X["x"].dtype if hasattr(X, "columns") else X.dtype


def cells(matrix, container):
    return [(k, how) for k, how in zip(KINDS, matrix[container], strict=True) if how != "-"]


@pytest.fixture(autouse=True)
def quietly():
    """Leave out the warnings that so few samples bring."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.parametrize("container", SAMPLED)
@pytest.mark.parametrize("name", sampler_names())
def test_samplers(name, container):
    y = labels(container)
    for kind, how in cells(SAMPLED, container):
        X, made = table(container, kind), seeded_sampler(name)
        takes_missing_values = made.__sklearn_tags__().input_tags.allow_nan
        if uses_features(made) and (
            how in ("name", "remedy") or (kind == "gaps" and not takes_missing_values)
        ):
            remedy = "Impute" if kind == "gaps" else REMEDIES
            with pytest.raises(ValueError, match=rf"column (0|'x').*({remedy})"):
                made.fit_resample(X, y)
            continue
        X_new, y_new = made.fit_resample(X, y)
        assert (type(X_new), type(y_new)) == (type(X), type(y)), kind
        is_averaged = how == "float" and averages(name) and made.is_synthetic_.any()
        assert dtype(X_new) == (np.float64 if is_averaged else dtype(X)), kind
        check_rows(made, X, X_new, kind)


@cache
def averages(name):
    """Whether synthetic samples of a sampler differ from those they were generated from."""
    rng, made = np.random.default_rng(0), seeded_sampler(name)
    X = rng.normal(size=(200, 3))
    X_new, _ = made.fit_resample(X, X + rng.normal(size=X.shape) > 1.5)
    return bool((X_new != X[made.sample_indices_]).any())


def check_rows(made, X, X_new, kind):
    """Compare samples that were copied with where they came from; names and row labels too."""
    copied, sources = ~made.is_synthetic_, made.sample_indices_
    before, after = (as_array(one) for one in (X, X_new))
    np.testing.assert_array_equal(after[copied], before[sources[copied]], err_msg=kind)
    if hasattr(X, "columns"):
        assert list(X_new.columns) == ["x", "z"]
    if isinstance(X, pd.DataFrame):
        # A sample that comes out keeps its row label; copies and synthetic ones are numbered on.
        assert X_new.index.is_unique
        for label, source, is_copied in zip(X_new.index, sources, copied, strict=True):
            assert label == f"p{source}" if label.startswith("p") else int(label) >= N
            assert is_copied or not label.startswith("p")


def as_array(X):
    if sparse.issparse(X):
        return X.toarray()
    if isinstance(X, np.ndarray):
        return X
    column = X["x"].to_list()
    return np.array([str(value) for value in column])


class Watcher(ClassifierMixin, BaseEstimator):
    """Keeps the dtypes and types of what it is given; may say that it takes missing values."""

    given: ClassVar = []

    def __init__(self, allow_nan=False):
        self.allow_nan = allow_nan

    def fit(self, X, y):
        self.given.append((type(X), dtype(X)))
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        self.given.append((type(X), dtype(X)))
        return np.full((X.shape[0], self.classes_.size), 1 / self.classes_.size)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan, tags.input_tags.sparse = self.allow_nan, True
        return tags


LEARNERS = {
    **{
        name: lambda estimator, name=name: quick_learner(name, estimator=estimator)
        for name in with_base_estimator()
    },
    "thresholded": lambda estimator: ThresholdedClassifier(BinaryRelevance(estimator), cv=2),
    "calibrated": lambda estimator: CalibratedClassifier(BinaryRelevance(estimator), cv=2),
    "ensemble": lambda estimator: SamplingEnsemble(
        BinaryRelevance(estimator), MLRUS(), n_estimators=2
    ),
    "resampled": lambda estimator: ResampledClassifier(BinaryRelevance(estimator), MLROS()),
}
# Learners without an estimator inside, which read categories and missing values themselves.
READERS = {name: quick_learner(name) for name in learner_names() if name not in LEARNERS}


@pytest.mark.parametrize("container", LEARNED)
@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
def test_learners(make, container):
    y = labels(container)
    for kind, how in cells(LEARNED, container):
        X = table(container, kind)
        if how in ("remedy", "tagged"):
            with pytest.raises((TypeError, ValueError), match=f"{REMEDIES}|contains NaN"):
                make(Watcher()).fit(X, y)
        if how == "remedy":
            continue
        Watcher.given.clear()
        learner = make(Watcher(allow_nan=how == "tagged")).fit(X, y)
        found, scores = learner.predict(X), learner.predict_proba(X)
        expected = (type(X), np.dtype(float) if how == "float" else dtype(X))
        assert {*Watcher.given} == {expected}, kind
        check_predictions(found, scores, X, y)


def check_predictions(found, scores, X, y):
    """Labels come out as they went in: container, names, booleans, and the rows of X."""
    assert type(found) is type(y)
    assert np.asarray(scores).shape == (N, 3)
    if hasattr(y, "columns"):
        assert [*found.columns] == [*scores.columns] == ["flu", "cold", "gout"]
        assert all(found[name].dtype == y[name].dtype for name in found.columns)
    if isinstance(X, pd.DataFrame):
        assert [*found.index] == [*X.index]


@pytest.mark.parametrize("container", LEARNED)
@pytest.mark.parametrize("learner", READERS.values(), ids=READERS)
def test_learners_that_read_categories(learner, container):
    for kind, how in cells(LEARNED, container):
        X, y = table(container, kind), labels(container)
        if how == "remedy" or kind == "text":
            with pytest.raises((TypeError, ValueError), match=REMEDIES):
                learner.fit(X, y)
            continue
        learner.fit(X, y)
        check_predictions(learner.predict(X), learner.predict_proba(X), X, y)
