"""Statistics of columns: blocks that are joined equal the whole, by hand and for any blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels.learners._ridge import kernels
from rarelabels.learners._ridge.column_summary import (
    ColumnSummary,
    KnownValues,
    joined_summaries,
)
from rarelabels.learners._ridge.indicators import INDICATOR, IndicatorColumns
from rarelabels.learners._ridge.scalings import RowScaling, StandardScaling, UnitScaling


@st.composite
def tables(draw):
    """Return a table with zeros, and places to cut it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples, n_columns = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    X = rng.normal(loc=draw(st.sampled_from([0.0, 1e6])), size=(n_samples, n_columns))
    X[rng.random(X.shape) < 0.4] = 0
    if draw(st.booleans()):
        X = np.rint(X)
    cuts = st.lists(st.integers(1, n_samples - 1), max_size=3) if n_samples > 1 else st.just([])
    return X, np.unique(draw(cuts)).astype(int)


@given(tables(), st.booleans())
@settings(deadline=None)
def test_joined_blocks_have_the_statistics_of_the_whole(table, is_sparse):
    X, cuts = table
    parts = [sparse.csr_array(part) if is_sparse else part for part in np.split(X, cuts)]
    summary = joined_summaries(ColumnSummary.of(part) for part in parts)
    assert (summary.n_samples, summary.n_columns) == X.shape
    np.testing.assert_array_equal(summary.low, X.min(axis=0))
    np.testing.assert_array_equal(summary.high, X.max(axis=0))
    np.testing.assert_allclose(summary.mean, X.mean(axis=0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(summary.variance, X.var(axis=0), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(summary.n_positive, (X > 0).sum(axis=0))
    assert summary.n_nonzero == np.count_nonzero(X)
    assert summary.is_whole == bool((X == np.rint(X)).all())
    assert summary.is_nonnegative == bool((X >= 0).all())


@given(tables(), st.booleans(), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_joined_blocks_have_the_known_values_of_the_whole(table, is_sparse, seed):
    X, cuts = table
    rng = np.random.default_rng(seed)
    X[rng.random(X.shape) < 0.3] = np.nan
    categorical = rng.random(X.shape[1]) < 0.5
    parts = [sparse.csr_array(part) if is_sparse else part for part in np.split(X, cuts)]
    known = joined_summaries(KnownValues.of(part, categorical) for part in parts)
    is_known = ~np.isnan(X)
    np.testing.assert_array_equal(known.n_known, is_known.sum(axis=0))
    for j in range(X.shape[1]):
        values = X[is_known[:, j], j]
        if values.size:
            np.testing.assert_allclose(known.mean[j], values.mean(), rtol=1e-9, atol=1e-9)
        if categorical[j]:
            np.testing.assert_array_equal(known.categories[j], np.unique(values))
    assert known.categories.keys() == set(np.flatnonzero(categorical).tolist())


def test_a_large_mean_does_not_hide_the_deviations():
    # 10^9 plus 0, 1, 2, 3: mean 10^9 + 1.5 and variance 1.25.
    X = 1e9 + np.arange(4.0)[:, None]
    summary = joined_summaries(ColumnSummary.of(row[None]) for row in X)
    assert summary.mean[0] == 1e9 + 1.5
    assert summary.variance[0] == pytest.approx(1.25, rel=1e-12)


def test_large_tables_are_read_block_by_block(monkeypatch):
    monkeypatch.setattr(kernels, "ENTRIES_AT_ONCE", 10)
    X = np.random.default_rng(0).normal(size=(31, 3))
    np.testing.assert_allclose(ColumnSummary.of(X).variance, X.var(axis=0))


def test_scalings_by_hand():
    # Columns 0, 2, 4 (mean 2, variance 8/3), and a constant.
    X = np.array([[0.0, 0.1], [2.0, 0.1], [4.0, 0.1]])
    columns = ColumnSummary.of(X)
    np.testing.assert_allclose(
        UnitScaling().fit(columns).transform(X), [[-0.5, 0], [0, 0], [0.5, 0]], atol=1e-15
    )
    a = 2 / np.sqrt(8 / 3)
    np.testing.assert_allclose(
        StandardScaling().fit(columns).transform(X), [[-a, 0], [0, 0], [a, 0]], atol=1e-15
    )
    # A constant column is not blown up by rounding, in new samples neither.
    assert StandardScaling().fit(columns).divisor_[1] == 1
    counts = np.array([[3.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    scaling = RowScaling().fit(ColumnSummary.of(counts))
    assert scaling.is_count_
    np.testing.assert_allclose(scaling.weights_, np.log(4 / 3) + 1)
    np.testing.assert_allclose(scaling.transform(counts), [[1, 0], [0, 1], [0.5**0.5] * 2])


def test_values_near_the_largest_float_do_not_warn():
    X = np.array([[1e300, 1.0], [-1e300, np.nan]])
    ColumnSummary.of(X[:, :1])
    assert KnownValues.of(X, np.array([False, True])).n_known.tolist() == [2, 1]


def test_indicators_by_hand():
    # A number with a missing value (mean 2), a category of three values, one of two.
    X = np.array([[1.0, 5.0, 0.0], [3.0, 6.0, 1.0], [np.nan, 7.0, 1.0]])
    known = KnownValues.of(X, np.array([False, True, True]))
    found = IndicatorColumns.fit(known).transform(X)
    i = INDICATOR
    np.testing.assert_allclose(
        found, [[1, 0, 0, 0, i, 0, 0], [3, 0, 1, 0, 0, i, 0], [2, 0, 1, i, 0, 0, i]]
    )
