"""Values that hide behind missing labels influence nothing.

Columns of pandas and polars and masked arrays of NumPy keep a value behind each missing entry. The
tests fit, resample, split, measure and report twice, with other values behind the same entries.
"""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from quick import quick_learner
from rarelabels import measures, sampling, weights
from rarelabels.datasets import MultiLabelDataset
from rarelabels.decisions import ThresholdDecider, threshold_report
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    BinaryRelevance,
    CalibratedClassifier,
    ThresholdedClassifier,
    learner_names,
)
from rarelabels.metrics import METRICS, multilabel_report
from rarelabels.model_selection import (
    IterativeStratifiedKFold,
    RepeatedIterativeStratifiedKFold,
    iterative_train_test_split,
    iterative_train_validation_test_split,
    time_ordered_split,
)
from rarelabels.report import data_summary, render_page

pytestmark = pytest.mark.filterwarnings("ignore")
ALLOWED = {"allow_missing_labels": True}
SEED = st.integers(0, 2**32 - 1)
KINDS = ("pandas", "polars", "masked array")
SAMPLERS = [name for name in sampling.sampler_names() if "hwr" not in name]


def base():
    return BinaryRelevance(LogisticRegression())


WRAPPERS = {
    "thresholded": lambda: ThresholdedClassifier(base(), cv=3),
    "thresholded on training scores": lambda: ThresholdedClassifier(base(), cv=None),
    "calibrated": lambda: CalibratedClassifier(base(), cv=3),
    "resampled": lambda: ResampledClassifier(base(), sampling.MLSOL(), threshold="f1"),
    "resampled without thresholds": lambda: ResampledClassifier(base(), sampling.MLSMOTE()),
    "ensemble": lambda: SamplingEnsemble(base(), sampling.MLSOL(), n_estimators=2),
    "ensemble of clones": lambda: SamplingEnsemble(base(), sampling.MLROS(), n_estimators=2),
    "ensemble out of fold": lambda: ThresholdedClassifier(
        SamplingEnsemble(base(), sampling.MLUL(), n_estimators=2, threshold=None), cv=2
    ),
}


def model_named(name):
    if name in WRAPPERS:
        made = WRAPPERS[name]()
        seed = {"random_state": 0} if "random_state" in made.get_params() else {}
        return made.set_params(**ALLOWED, **seed)
    return quick_learner(name, **ALLOWED)


def problem(seed):
    """Return features, labels and which labels are unknown; some samples know everything."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = (X @ rng.normal(size=(3, 3)) + rng.normal(scale=0.5, size=(60, 3)) > 0.3).astype(int)
    y[0], y[1] = 0, 1
    mask = rng.random(y.shape) < 0.4
    mask[:20] = False
    return X, y, mask


def pandas_column(values, mask):
    return pd.arrays.IntegerArray(values.astype(np.int8), mask.copy())


def polars_column(values, mask):
    known = pa.py_buffer(np.packbits(~mask, bitorder="little").tobytes())
    stored = pa.py_buffer(values.astype(np.int64).tobytes())
    return pl.from_arrow(pa.Array.from_buffers(pa.int64(), len(values), [known, stored]))


def hidden(kind, y, mask, behind):
    """Return labels with values behind the missing entries."""
    table = np.where(mask, behind, y)
    if kind == "masked array":
        return np.ma.array(table, mask=mask)
    column, frame = {
        "pandas": (pandas_column, pd.DataFrame),
        "polars": (polars_column, pl.DataFrame),
    }[kind]
    return frame({name: column(table[:, j], mask[:, j]) for j, name in enumerate("abc")})


def both(kind, seed):
    """Return features, and labels with different values behind the same entries."""
    X, y, mask = problem(seed)
    flipped = np.random.default_rng(seed).integers(0, 2, y.shape)
    return X, *(hidden(kind, y, mask, behind) for behind in (flipped, 1 - flipped))


def stored_values(table):
    """Return all values that a container stores, those behind missing entries, too."""
    if isinstance(table, np.ma.MaskedArray):
        return np.asarray(table.data)
    if isinstance(table, pd.DataFrame):
        return np.column_stack([table[name].array._data for name in table])
    buffers = (table[name].to_arrow().buffers()[1] for name in table.columns)
    return np.column_stack([np.frombuffer(one, dtype=np.int64)[: len(table)] for one in buffers])


def same(first, second):
    return joblib.hash(first) == joblib.hash(second)


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_hidden_values_that_differ(kind):
    _, y, mask = problem(0)
    _, first, second = both(kind, 0)
    differs = stored_values(first) != stored_values(second)
    np.testing.assert_array_equal(differs, mask)
    # Another known value would be noticed.
    assert measures.irlbl(first, **ALLOWED).tolist() != measures.irlbl(1 - y).tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*learner_names(), *WRAPPERS])
@settings(max_examples=2, deadline=None)
@given(seed=SEED)
def test_models(name, kind, seed):
    X, *given_labels = both(kind, seed)
    first, second = (model_named(name).fit(X, y) for y in given_labels)
    assert same(vars(first), vars(second))
    for method in ("predict", "predict_proba"):
        one, other = (np.asarray(getattr(model, method)(X)) for model in (first, second))
        np.testing.assert_array_equal(one, other)
    assert first.score(X, given_labels[0]) == first.score(X, given_labels[1])


@pytest.mark.parametrize("name", ["br", "kernel_ridge"])
def test_a_known_value_does_change_a_model(name):
    X, y, mask = problem(0)
    other = y.copy()
    other[5] = 1 - other[5]
    first, second = (model_named(name).fit(X, hidden("pandas", t, mask, 0)) for t in (y, other))
    assert not np.array_equal(first.predict_proba(X), second.predict_proba(X))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers(name, kind):
    X, *given_labels = both(kind, 3)
    made = sampling.sampler(name, **ALLOWED)
    if "random_state" in made.get_params():
        made.set_params(random_state=0)
    found = []
    for y in given_labels:
        one = clone(made)
        X_new, y_new = one.fit_resample(X, y)
        numbers = measures.label_cardinality(y_new, **ALLOWED)
        found.append((X_new, numbers, one.sample_indices_, one.is_synthetic_))
    assert same(*found)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5, deadline=None)
@given(seed=SEED)
def test_splits_and_metrics(kind, seed):
    X, *given_labels = both(kind, seed)
    scores = np.random.default_rng(seed).random((60, 3))
    decided = (scores > 0.5).astype(int)
    groups = np.random.default_rng(seed).integers(0, 20, 60)
    found = []
    for y in given_labels:
        splitter = IterativeStratifiedKFold(3, shuffle=True, random_state=0, **ALLOWED)
        repeated = RepeatedIterativeStratifiedKFold(n_splits=2, random_state=0, **ALLOWED)
        rows = np.arange(60)[:, None]
        halves = iterative_train_test_split(rows, y, random_state=0, **ALLOWED)
        thirds = iterative_train_validation_test_split(rows, y, random_state=0, **ALLOWED)
        in_time = time_ordered_split(rows, y, times=np.arange(60), **ALLOWED)
        found.append(
            [
                list(splitter.split(X, y)),
                list(splitter.split(X, y, groups)),
                list(repeated.split(X, y)),
                halves[:2],
                thirds[:3],
                in_time[:2],
                [metric.score(y, y_pred=decided, y_score=scores, **ALLOWED) for metric in METRICS],
                repr(multilabel_report(y, decided, scores, **ALLOWED)),
                threshold_report(y, scores, n_resamples=5, random_state=0).labels,
                ThresholdDecider(**ALLOWED).fit(scores, y).thresholds_,
            ]
        )
    assert same(*found)


@pytest.mark.parametrize("kind", KINDS)
def test_measures_descriptions_pages_and_weights(kind):
    X, *given_labels = both(kind, 5)
    found = []
    for y in given_labels:
        table = np.asarray(hidden_as_nan(y))
        page = render_page(data_summary(MultiLabelDataset(X, table), random_state=0))
        described = measures.describe(X, y, **ALLOWED)
        found.append(
            [
                repr(described),
                described.labels,
                measures.scumble(y, **ALLOWED),
                measures.local_imbalance(X, y, **ALLOWED),
                measures.label_types(X, y, **ALLOWED),
                weights.local_weights(X, y, **ALLOWED),
                weights.distribution_balanced_weights(y, **ALLOWED),
                weights.class_balanced_sample_weights(y, **ALLOWED),
                weights.logit_bias(y, **ALLOWED),
                page,
            ]
        )
    assert same(*found)


def hidden_as_nan(y):
    """Return labels as a data set holds them."""
    from rarelabels._validation import check_labels

    return check_labels(y, allow_missing_labels=True).values.with_nan().toarray()
