"""Ranks, tests and correlations of tables of scores."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from rarelabels.comparison import (
    average_ranks,
    friedman_test,
    pearson_correlation,
    pearson_critical_value,
    wilcoxon_bergmann_hommel,
)


def tables(most_datasets=15, most_methods=6):
    values = st.sampled_from([0.1, 0.2, 0.35, 0.5, 0.9])
    shapes = st.tuples(st.integers(2, most_datasets), st.integers(3, most_methods))
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=values))


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    values = rng.random((13, 1)) + np.array([0.3, 0.2, 0.1, 0]) + rng.normal(0, 0.02, (13, 4))
    names = [f"data {i}" for i in range(13)]
    return pd.DataFrame(values, columns=["a", "b", "c", "d"], index=names)


def test_ranks_by_hand():
    table = pd.DataFrame({"x": [0.9, 0.5], "y": [0.8, 0.5], "z": [0.1, 0.7]})
    ranks = average_ranks(table)
    assert isinstance(ranks, pd.Series)
    assert ranks.to_dict() == {"x": (1 + 2.5) / 2, "y": (2 + 2.5) / 2, "z": (3 + 1) / 2}


@given(tables())
def test_ranks_are_shared_out(values):
    n_methods = values.shape[1]
    ranks = average_ranks(values)
    assert ranks.sum() == pytest.approx(n_methods * (n_methods + 1) / 2)
    assert ranks.min() >= 1
    assert ranks.max() <= n_methods


@given(tables())
def test_friedman_is_scipys(values):
    found = friedman_test(values)
    if (values == values[:, :1]).all():
        assert (found.statistic, found.pvalue) == (0.0, 1.0)
    else:
        expected = stats.friedmanchisquare(*values.T)
        assert (found.statistic, found.pvalue) == (expected.statistic, expected.pvalue)


def test_wilcoxon_is_scipys(scores):
    found = wilcoxon_bergmann_hommel(scores)
    for a in scores:
        for b in scores:
            if a != b:
                assert found.p_values.loc[a, b] == stats.wilcoxon(scores[a], scores[b]).pvalue


# SciPy goes through all signs of tied differences one by one, so they are few here.
@settings(max_examples=25)
@given(tables(most_datasets=7, most_methods=3))
def test_wilcoxon_is_scipys_with_ties(values):
    found = wilcoxon_bergmann_hommel(values).p_values
    differences = values[:, 0] - values[:, 1]
    if differences.any():
        expected = stats.wilcoxon(differences, method=stats.PermutationMethod()).pvalue
        assert found[0, 1] == pytest.approx(expected, rel=1e-12)


def test_wins_and_losses(scores):
    found = wilcoxon_bergmann_hommel(scores)
    assert found.wins.to_dict() == {"a": 3, "b": 2, "c": 1, "d": 0}
    assert found.losses.to_dict() == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert found.correction == "bergmann-hommel"
    assert wilcoxon_bergmann_hommel(scores, alpha=1e-6).wins.sum() == 0


@given(tables())
def test_the_matrix_is_symmetric_and_wins_match_losses(values):
    found = wilcoxon_bergmann_hommel(values, alpha=0.2)
    adjusted = found.adjusted_p_values
    np.testing.assert_array_equal(adjusted, adjusted.T)
    np.testing.assert_array_equal(np.diag(adjusted), 1)
    assert (adjusted >= found.p_values).all()
    n_significant = (adjusted <= 0.2).sum() / 2
    assert found.wins.sum() == found.losses.sum() == n_significant


def test_equal_methods_do_not_differ():
    column = np.linspace(0, 1, 8)
    found = wilcoxon_bergmann_hommel(np.column_stack([column, column]))
    assert found.adjusted_p_values.tolist() == [[1, 1], [1, 1]]


def test_ties_on_single_data_sets_are_dropped():
    a, b = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0]), np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    found = wilcoxon_bergmann_hommel({"a": a, "b": b})
    assert found.p_values["a"]["b"] == stats.wilcoxon(a[1:], b[1:]).pvalue


def test_ten_methods_fall_back_to_holm_and_say_so(scores):
    rng = np.random.default_rng(0)
    values = rng.random((13, 1)) + np.arange(10) * 0.1 + rng.normal(0, 0.01, (13, 10))
    with pytest.warns(UserWarning, match="10 methods have too many .* Holm's is used instead"):
        found = wilcoxon_bergmann_hommel(values)
    assert found.correction == "holm"
    assert found.wins.tolist() == list(range(10))


def test_nine_methods_are_exhaustive():
    values = np.random.default_rng(0).random((13, 9))
    assert wilcoxon_bergmann_hommel(values).correction == "bergmann-hommel"


def test_results_come_in_the_callers_kind_of_container(scores):
    values = scores.to_numpy()
    in_pandas = wilcoxon_bergmann_hommel(scores)
    in_numpy = wilcoxon_bergmann_hommel(values)
    in_polars = wilcoxon_bergmann_hommel(pl.from_pandas(scores))
    assert list(in_pandas.adjusted_p_values.index) == list(scores.columns)
    np.testing.assert_array_equal(in_pandas.adjusted_p_values, in_numpy.adjusted_p_values)
    assert in_polars.adjusted_p_values["a"]["b"] == in_numpy.adjusted_p_values[0, 1]
    assert in_polars.wins == in_pandas.wins.to_dict()
    assert average_ranks(scores.to_dict("list")) == average_ranks(scores).to_dict()
    assert average_ranks(values.tolist()).tolist() == average_ranks(values).tolist()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"a": [1.0, np.nan], "b": [1.0, 2.0]}, "nan in row 1, column 'a' .* every data set"),
        ({"a": [1.0, np.inf], "b": [1.0, 2.0]}, "inf in row 1, column 'a'"),
        ({"name": ["x", "y"], "b": [1.0, 2.0]}, "column 'name' is not numeric; if it has"),
        ({"a": [1.0, 2.0], "b": [1.0]}, "columns of equal length, got lengths {'a': 2, 'b': 1}"),
        ({"a": [1.0, 2.0]}, r"at least 2 columns, got a table of shape \(2, 1\)"),
        (np.empty((0, 3)), "must have a row for each data set"),
        (np.zeros(3), "scores: expected a table"),
    ],
)
def test_errors_say_what_is_wrong(table, message):
    with pytest.raises(ValueError, match=message):
        wilcoxon_bergmann_hommel(table)


def test_a_missing_score_is_named_by_its_row(scores):
    scores.iloc[3, 2] = np.nan
    with pytest.raises(ValueError, match="nan in row 'data 3', column 'c'"):
        average_ranks(scores)


def test_two_methods_are_too_few_for_friedman(scores):
    with pytest.raises(ValueError, match="at least 3 methods, got 2; for two, use wilcoxon"):
        friedman_test(scores[["a", "b"]])
    with pytest.raises(ValueError, match="alpha must be between 0 and 1, got 5"):
        wilcoxon_bergmann_hommel(scores, alpha=5)


def test_correlation_is_scipys(scores):
    performance = np.random.default_rng(1).random((13, 2))
    found = pearson_correlation(scores, performance)
    assert list(found.correlation.columns) == list(scores.columns)
    for i in range(2):
        for measure in scores:
            expected = stats.pearsonr(scores[measure], performance[:, i])
            assert found.correlation.loc[i, measure] == pytest.approx(expected.statistic)
            assert found.pvalue.loc[i, measure] == pytest.approx(expected.pvalue)
    assert (found.significant == (found.pvalue < 0.01)).all(axis=None)


def test_critical_value_is_the_papers():
    # Liu, Blekas & Tsoumakas, Multi-Label Sampling based on Local Label Imbalance: 13 data sets,
    # alpha = 0.01, critical values ±0.684.
    assert round(pearson_critical_value(13, alpha=0.01), 3) == 0.684
    # The table of critical values in most textbooks: 8 degrees of freedom, 5 %.
    assert round(pearson_critical_value(10, alpha=0.05), 3) == 0.632


def test_a_single_column_may_come_on_its_own(scores):
    found = pearson_correlation(scores[["a"]], scores["b"])
    assert found.correlation.loc["b", "a"] == pytest.approx(
        np.corrcoef(scores["a"], scores["b"])[0, 1]
    )
    plain = pearson_correlation(scores["a"].tolist(), scores["b"].to_numpy())
    assert plain.correlation.shape == (1, 1)


def test_a_constant_measure_has_no_correlation():
    found = pearson_correlation(np.ones((5, 1)), np.arange(5.0))
    assert np.isnan(found.correlation[0, 0])
    assert not found.significant[0, 0]


def test_correlation_errors(scores):
    with pytest.raises(ValueError, match="measures has 13 rows and performance 12"):
        pearson_correlation(scores, scores.iloc[1:])
    with pytest.raises(ValueError, match="different row names"):
        pearson_correlation(scores, scores.iloc[::-1])
    with pytest.raises(ValueError, match="at least 3 data sets, got 2"):
        pearson_correlation(scores.iloc[:2], scores.iloc[:2])
    with pytest.raises(ValueError, match="alpha must be between"):
        pearson_critical_value(13, alpha=0)


@pytest.mark.parametrize("kind", ["pandas", "dict", "array"])
def test_the_result_in_a_notebook_escapes_names(scores, kind):
    named = scores.rename(columns={scores.columns[0]: "<b>best</b>"})
    given = {"pandas": named, "dict": named.to_dict("list"), "array": named.to_numpy()}[kind]
    result = wilcoxon_bergmann_hommel(given)
    page = result._repr_html_()
    assert page.count("<tr>") == 1 + scores.shape[1]
    assert "<b>" not in page
    assert ("&lt;b&gt;best" in page) == (kind != "array")
