"""Decisions on scores of any model, in any container, kept in a file."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from decisions.test_rules import cases
from rarelabels.advisor import load_model, save_model
from rarelabels.decisions import (
    RULES,
    AtLeastOne,
    AtMost,
    Budget,
    Costs,
    PrecisionTarget,
    RecallTarget,
    ThresholdDecider,
    check_rule,
    choose_thresholds,
)

NAMES = ["flu", "cold", "cough"]
OBJECTS = [
    Costs(3.0),
    AtMost(2, "f1"),
    AtLeastOne(),
    Budget(3),
    Budget(0.1),
    PrecisionTarget(0.3, unreachable="conservative"),
    RecallTarget(0.3, unreachable="conservative"),
]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    Y = (rng.random((120, 3)) < [0.3, 0.1, 0.05]).astype(int)
    return Y, rng.normal(size=Y.shape) + 2 * Y


@pytest.mark.parametrize("rule", [*(rule.name for rule in RULES), *OBJECTS], ids=repr)
def test_it_decides_as_its_thresholds_say(rule, data):
    Y, scores = data
    decider = ThresholdDecider(rule).fit(scores, Y)
    np.testing.assert_array_equal(decider.thresholds_, choose_thresholds(Y, scores, rule))
    expected = check_rule(rule).decide(scores, decider.thresholds_)
    np.testing.assert_array_equal(decider.predict(scores), expected)
    assert decider.predict(scores).dtype == np.int64
    assert decider.n_positives_.tolist() == Y.sum(axis=0).tolist()
    assert clone(decider).get_params()["rule"] == rule


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_columns_are_matched_by_name(library, data):
    Y, scores = data
    frame = library.DataFrame(dict(zip(NAMES, Y.T, strict=True)))
    mixed = ["cough", "flu", "cold"]
    named = library.DataFrame({name: scores[:, NAMES.index(name)] for name in mixed})
    decider = ThresholdDecider().fit(named, frame)
    plain = ThresholdDecider().fit(scores, Y)
    np.testing.assert_array_equal(decider.thresholds_, plain.thresholds_)
    found = decider.predict(named)
    assert isinstance(found, library.DataFrame)
    assert list(found.columns) == NAMES == decider.label_names_in_.tolist()
    np.testing.assert_array_equal(found.to_numpy(), plain.predict(scores))
    with pytest.raises(ValueError, match="'cold' missing, 'rash' unknown"):
        decider.predict(pd.DataFrame(scores, columns=["flu", "rash", "cough"]))


def test_label_sets_and_pandas_rows(data):
    Y, scores = data
    sets = [[NAMES[j] for j in np.flatnonzero(row)] for row in Y]
    order = np.argsort(NAMES)
    decider = ThresholdDecider("f1").fit(scores[:, order], sets)
    found = decider.predict(scores[:, order])
    thresholds = choose_thresholds(Y, scores, "f1")
    expected = [{NAMES[j] for j in np.flatnonzero(row)} for row in scores >= thresholds]
    assert [set(labels) for labels in found] == expected
    index = [f"p{i}" for i in range(len(Y))]
    frame, named = (pd.DataFrame(table, columns=NAMES, index=index) for table in data)
    assert list(ThresholdDecider().fit(named, frame).predict(named).index) == index


@given(case=cases(), k=st.integers(1, 3))
def test_sparse_scores_with_every_entry_are_like_dense_ones(case, k):
    Y, scores, *_ = case
    scores = scores + 100.0
    decider = ThresholdDecider("f1").fit(sparse.csr_array(scores), Y)
    dense = ThresholdDecider("f1").fit(scores, Y)
    np.testing.assert_array_equal(decider.thresholds_, dense.thresholds_)
    found = decider.predict(sparse.csr_array(scores))
    np.testing.assert_array_equal(found, dense.predict(scores))


def test_the_highest_scores_of_each_sample(data):
    Y, scores = data
    top = np.where(np.argsort(np.argsort(-scores, axis=1), axis=1) < 2, scores + 10, 0)
    top = sparse.csr_matrix(top)
    decider = ThresholdDecider().fit(top, sparse.csr_matrix(Y))
    found = decider.predict(top)
    assert isinstance(found, sparse.csr_matrix)
    expected = (top.toarray() >= decider.thresholds_) & (top.toarray() != 0)
    np.testing.assert_array_equal(found.toarray(), expected)
    # A label that is always predicted is predicted where it has a score.
    full = np.column_stack([np.ones(len(Y), dtype=int), Y[:, 1:]])
    everywhere = ThresholdDecider().fit(top, full)
    assert everywhere.thresholds_[0] == -np.inf
    np.testing.assert_array_equal(everywhere.predict(top)[:, 0], top.toarray()[:, 0] != 0)


def test_budgets_and_limits_of_sparse_scores(data, monkeypatch):
    import rarelabels.decisions._decider as module

    Y, scores = data
    top = sparse.csr_array(scores + 100)
    monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 30)
    for rule in OBJECTS:
        dense = ThresholdDecider(rule).fit(scores + 100, Y).predict(scores + 100)
        found = ThresholdDecider(rule).fit(top, Y).predict(top)
        np.testing.assert_array_equal(found, dense)


def test_missing_labels(data):
    Y, scores = data
    partly = np.where(np.random.default_rng(1).random(Y.shape) < 0.8, Y, np.nan)
    with pytest.raises(ValueError, match="NaN"):
        ThresholdDecider().fit(scores, partly)
    decider = ThresholdDecider(allow_missing_labels=True).fit(scores, partly)
    expected = choose_thresholds(Y, scores, known=~np.isnan(partly))
    np.testing.assert_array_equal(decider.thresholds_, expected)


@pytest.mark.parametrize("rule", ["pooled_f1", *OBJECTS], ids=repr)
def test_saved_and_loaded(rule, data, tmp_path):
    Y, scores = data
    decider = ThresholdDecider(rule).fit(scores, pd.DataFrame(Y, columns=NAMES))
    save_model(decider, tmp_path / "decider.skops")
    again = load_model(tmp_path / "decider.skops")
    assert again.get_params() == decider.get_params()
    pd.testing.assert_frame_equal(again.predict(scores), decider.predict(scores))


def test_what_is_refused(data):
    Y, scores = data
    with pytest.raises(NotFittedError):
        ThresholdDecider().predict(scores)
    decider = ThresholdDecider().fit(scores, Y)
    with pytest.raises(ValueError, match="2 columns, but the thresholds were chosen for 3"):
        decider.predict(scores[:, :2])
    with pytest.raises(ValueError, match="label 1 "):
        decider.predict([[0.1, np.inf, 0.3]])
    wrong = scores.copy()
    wrong[4, 2] = np.nan
    with pytest.raises(ValueError, match="label '2'"):
        ThresholdDecider().fit(wrong, Y)
    with pytest.raises(ValueError, match="list of 2 arrays"):
        ThresholdDecider().fit([np.zeros((5, 2)), np.zeros((5, 2))], np.zeros((5, 2)))
    wrong = sparse.csr_array(np.array([[np.nan, 1.0], [0.5, 0.2]]))
    with pytest.raises(ValueError, match="label '0'"):
        ThresholdDecider().fit(wrong, [[0, 1], [1, 0]])
