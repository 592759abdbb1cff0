import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from rarelabels.comparison import (
    corrected_t_test,
    gains_over_baseline,
    holm,
    repeats_to_detect,
    smallest_detectable_gain,
)

VALUES = np.array([0.03, 0.01, 0.04, -0.01, 0.02, 0.05, 0.0, 0.03, 0.02, 0.01])


def test_the_test_is_that_of_nadeau_and_bengio():
    found = corrected_t_test(VALUES, n_splits=5)
    error = math.sqrt(VALUES.var(ddof=1) * (1 / 10 + 1 / 4))
    assert found.pvalue == pytest.approx(2 * stats.t.sf(VALUES.mean() / error, 9))
    half = stats.t.ppf(0.975, 9) * error
    assert found.interval()[0] == pytest.approx(VALUES.mean() - half)
    # The plain paired test, which takes the folds for independent, is surer of itself.
    assert stats.ttest_1samp(VALUES, 0).pvalue < found.pvalue


def test_a_case_by_hand():
    # Mean 2, variance ((1-2)² + (3-2)²)/1 = 2; k = 2: 2 · (1/2 + 1/1) = 3; t = 2/√3, one degree of
    # freedom, whose distribution is Cauchy's: p = 2 · (1/2 − atan(t)/π).
    found = corrected_t_test([1.0, 3.0], n_splits=2)
    assert found.standard_error == pytest.approx(math.sqrt(3))
    assert found.pvalue == pytest.approx(1 - 2 * math.atan(2 / math.sqrt(3)) / math.pi)
    # P(mean > 1) = 1/2 + atan((2 − 1)/√3)/π = 1/2 + 1/6.
    assert found.probability_above(1) == pytest.approx(2 / 3)


def test_the_bayesian_test_is_the_corrected_test_seen_from_the_other_side():
    """With a flat prior P(mean <= 0) is the one-sided p-value (Benavoli et al. 2017, section 3.1).

    Their correlation ρ of folds is 1/k, and ρ/(1 − ρ) = 1/(k − 1).
    """
    found = corrected_t_test(VALUES, n_splits=10)
    assert 1 - found.probability_above(0) == pytest.approx(found.pvalue / 2)
    rho = 1 / 10
    scale = math.sqrt((1 / 10 + rho / (1 - rho)) * VALUES.var(ddof=1))
    assert found.probability_above(0.01) == pytest.approx(stats.t.sf(0.01, 9, VALUES.mean(), scale))


def test_one_fold_says_nothing_of_spread():
    found = corrected_t_test([0.5], n_splits=2)
    assert found.mean == 0.5
    assert math.isnan(found.pvalue)
    assert math.isnan(smallest_detectable_gain(found))
    (gain,) = gains_over_baseline([[0.1, 0.2]], 0, n_splits=2).values()
    assert gain.verdict == "cannot tell"
    assert "A single fold" in str(gain)


def test_folds_without_spread():
    assert corrected_t_test([0.0] * 4, n_splits=2).pvalue == 1
    assert corrected_t_test([0.1] * 4, n_splits=2).pvalue == 0
    same = gains_over_baseline({"a": [0.5, 0.6], "b": [0.5, 0.6]}, "a", n_splits=2)["b"]
    assert same.verdict == "no relevant difference"


@pytest.mark.parametrize(("n_folds", "n_splits"), [(10, 2), (25, 5), (10, 10)])
def test_the_smallest_detectable_gain_is_found_in_four_runs_of_five(n_folds, n_splits):
    """Folds that are correlated as the correction assumes, and a true gain of that size."""
    rng, rho = np.random.default_rng(0), 1 / n_splits
    noise = math.sqrt(1 - rho) * rng.normal(size=(4000, n_folds))
    noise += math.sqrt(rho) * rng.normal(size=(4000, 1))
    # The standard error that the variance 1 of a fold stands for: E[s²] = 1 − ρ.
    typical = corrected_t_test(_with_variance(n_folds, 1 - rho), n_splits=n_splits)
    gain = smallest_detectable_gain(typical)
    found = [corrected_t_test(one + gain, n_splits=n_splits).pvalue <= 0.05 for one in noise]
    assert np.mean(found) == pytest.approx(0.8, abs=0.03)
    without = [corrected_t_test(one, n_splits=n_splits).pvalue <= 0.05 for one in noise]
    assert 0.03 < np.mean(without) < 0.07


def _with_variance(n_folds, variance):
    values = np.arange(n_folds) - (n_folds - 1) / 2
    return values * math.sqrt(variance / values.var(ddof=1))


def test_repeats_to_detect_is_the_first_number_that_does():
    values = VALUES + 0.01
    found = corrected_t_test(values, n_splits=5)
    needed = repeats_to_detect(found)
    spread = values.std(ddof=1)

    def detectable(n_repeats):
        error = spread * math.sqrt(1 / (5 * n_repeats) + 1 / 4)
        df = 5 * n_repeats - 1
        critical = stats.t.isf(0.025, df)
        return stats.nct.sf(critical, df, values.mean() / error) >= 0.8

    assert needed is not None
    assert detectable(needed)
    assert needed == 1 or not detectable(needed - 1)


def test_no_number_of_repeats_shows_a_gain_that_the_data_set_hides():
    found = corrected_t_test(VALUES - VALUES.mean() + 0.001, n_splits=2)
    assert repeats_to_detect(found) is None


def test_verdicts():
    rng = np.random.default_rng(0)
    base, noise = 0.5 + rng.normal(size=10) / 50, rng.normal(size=(5, 10))
    scores = {
        "none": base,
        "much": base + 0.05 + 0.005 * noise[0],
        "little": base + 0.004 + 0.001 * noise[1],
        "harm": base - 0.05 + 0.005 * noise[2],
        "same": base + 0.002 * noise[3],
        "unclear": base + 0.02 + 0.05 * noise[4],
    }
    found = gains_over_baseline(scores, "none", n_splits=2)
    assert {name: gain.verdict for name, gain in found.items()} == {
        "much": "helps",
        "little": "helps",
        "harm": "hurts",
        "same": "no relevant difference",
        "unclear": "cannot tell",
    }
    assert [gain.is_relevant for gain in found.values()] == [True, False, True, False, False]
    assert found["unclear"].smallest_detectable > 0.02
    assert str(found["much"]).startswith("helps by a relevant amount: +0.04")
    assert "This run can detect gains of" in str(found["unclear"])


finite = st.floats(-1, 1, allow_nan=False).map(lambda x: round(x, 3))


@given(arrays(float, st.tuples(st.integers(2, 12), st.integers(2, 6)), elements=finite))
def test_intervals_agree_with_the_adjusted_p_values(scores):
    found = gains_over_baseline(scores, 0, n_splits=2)
    adjusted = holm([gain.pvalue for gain in found.values()])
    for gain, p in zip(found.values(), adjusted, strict=True):
        assert gain.adjusted_pvalue == p
        if abs(p - 0.05) > 1e-9 and gain.pvalue > 0:
            assert (gain.low > 0 or gain.high < 0) == (p < 0.05)
        assert gain.low <= gain.mean <= gain.high
        assert gain.verdict in ("helps", "hurts", "no relevant difference", "cannot tell")


@given(arrays(float, st.tuples(st.integers(2, 12), st.just(3)), elements=finite))
def test_turning_scores_around_turns_the_verdict_around(scores):
    turned = {"helps": "hurts", "hurts": "helps"}
    there = gains_over_baseline(scores, 1, n_splits=3)
    back = gains_over_baseline(-scores, 1, n_splits=3)
    for name, gain in there.items():
        assert turned.get(gain.verdict, gain.verdict) == back[name].verdict


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"baseline": "x"}, "has no column 'x'"),
        ({"margin": -1}, "margin"),
        ({"alpha": 2}, "alpha"),
        ({"n_splits": 1}, "n_splits"),
        ({"n_splits": True}, "n_splits"),
    ],
)
def test_wrong_arguments(arguments, words):
    settings = {"baseline": "a", "n_splits": 2, **arguments}
    with pytest.raises(ValueError, match=words):
        gains_over_baseline({"a": [1, 2, 3], "b": [2, 2, 2]}, **settings)


def test_missing_scores_are_refused():
    with pytest.raises(ValueError, match="finite"):
        corrected_t_test([0.1, math.nan], n_splits=2)


def test_overlapping_folds_are_allowed_for():
    """Without any difference the plain paired test finds one every other time, this one rarely."""
    rng, n_found, n_plain = np.random.default_rng(0), 0, 0
    for _ in range(300):
        samples = rng.normal(size=120)
        halves = [rng.permutation(120) for _ in range(5)]
        folds = [samples[half].mean() for order in halves for half in (order[:60], order[60:])]
        n_found += corrected_t_test(folds, n_splits=2).pvalue <= 0.05
        n_plain += stats.ttest_1samp(folds, 0).pvalue <= 0.05
    assert n_plain > 0.4 * 300
    assert n_found < 0.1 * 300


def test_a_run_of_few_wild_folds_could_have_shown_nothing():
    scores = {"none": [0.1, 0.9, 0.2], "other": [0.9, 0.2, 0.8]}
    found = gains_over_baseline(scores, "none", n_splits=3)["other"]
    assert found.smallest_detectable > 1
    assert "too small to detect any gain" in str(found)
