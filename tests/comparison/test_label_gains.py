"""Gains of labels: the test of methods, corrected over labels, and the rare ones pooled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarelabels.comparison import corrected_t_test, holm, label_gains, rare_label_gains


def two_tables(seed, n_folds=10, n_labels=6, gain=0.0, noise=0.05):
    rng = np.random.default_rng(seed)
    base = rng.random((n_folds, n_labels))
    return {"none": base, "other": base + gain + noise * rng.normal(size=base.shape)}


@given(st.integers(0, 2**32 - 1), st.integers(2, 10), st.sampled_from([0.0, 0.05, 0.3]))
def test_each_label_is_tested_as_a_method_is(seed, n_splits, gain):
    tables = two_tables(seed, gain=gain)
    found = label_gains(tables, "none", positives=[30] * 6, n_splits=n_splits)["other"]
    columns = (tables["other"] - tables["none"]).T
    tests = [corrected_t_test(column, n_splits=n_splits) for column in columns]
    np.testing.assert_allclose(found.mean, [test.mean for test in tests], atol=1e-12)
    np.testing.assert_allclose(found.pvalue, [test.pvalue for test in tests], atol=1e-9)
    np.testing.assert_allclose(found.adjusted_pvalue, holm(found.pvalue))
    is_clear = found.adjusted_pvalue <= 0.05
    np.testing.assert_array_equal((found.low > 0) | (found.high < 0), is_clear)
    expected = np.where(is_clear, np.where(found.mean > 0, "higher", "lower"), "not clear")
    assert list(found.verdict) == expected.tolist()


def test_a_fold_without_a_score_is_left_out():
    tables = two_tables(0)
    tables["other"][3, 2] = np.nan
    found = label_gains(tables, "none", positives=[30] * 6, n_splits=5)["other"]
    kept = np.delete(tables["other"][:, 2] - tables["none"][:, 2], 3)
    test = corrected_t_test(kept, n_splits=5)
    assert found.mean[2] == pytest.approx(test.mean)
    assert found.pvalue[2] == pytest.approx(test.pvalue)


def test_few_positives_are_not_judged_and_do_not_count_for_holm():
    tables = two_tables(0, gain=0.1)
    every = label_gains(tables, "none", positives=[30] * 6, n_splits=5)["other"]
    some = label_gains(tables, "none", positives=[30, 19, 20, 3, 30, 0], n_splits=5)["other"]
    judged = [0, 2, 4]
    assert [j for j, one in enumerate(some.verdict) if one == "too few to judge"] == [1, 3, 5]
    assert np.isnan(some.pvalue[[1, 3, 5]]).all()
    np.testing.assert_allclose(some.adjusted_pvalue[judged], holm(every.pvalue[judged]))
    assert some.n_higher == every.n_higher
    assert some.places("too few to judge") == sorted([1, 3, 5], key=lambda j: -abs(some.mean[j]))


def test_equal_scores_are_not_clear():
    tables = two_tables(0, noise=0.0)
    found = label_gains(tables, "none", positives=[30] * 6, n_splits=5)["other"]
    assert set(found.verdict) == {"not clear"}
    assert (found.adjusted_pvalue == 1).all()


def test_chance_alone_rarely_makes_a_label_clear():
    clear = [
        set(label_gains(two_tables(s), "none", positives=[30] * 6, n_splits=5)["other"].verdict)
        for s in range(400)
    ]
    # Folds here are independent, for which the corrected test is too careful.
    assert np.mean([verdicts != {"not clear"} for verdicts in clear]) < 0.05


def test_rare_labels_are_pooled_over_the_folds_that_score_them():
    tables = two_tables(0, gain=0.2, noise=0.01)
    for table in tables.values():
        table[0, :] = np.nan
        table[1, 0] = np.nan
    positives = [3, 5, 30, 30, 30, 30]
    found = rare_label_gains(tables, "none", positives=positives, n_splits=5)["other"]
    pooled = [np.nanmean((tables["other"] - tables["none"])[f, :2]) for f in range(1, 10)]
    assert found.mean == pytest.approx(np.mean(pooled))
    assert found.verdict == "helps"
    assert rare_label_gains(tables, "none", positives=[30] * 6, n_splits=5) == {}
    unscored = {name: np.full((4, 1), np.nan) for name in tables}
    assert rare_label_gains(unscored, "none", positives=[1], n_splits=2) == {}
