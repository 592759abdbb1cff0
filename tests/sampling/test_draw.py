import numpy as np
import pytest
from scipy import stats

import literal
from literal import LEVEL
from rarelabels.sampling._draw import draw_with_replacement, draw_without_replacement


def test_without_replacement_has_the_law_of_drawing_one_by_one():
    weights = np.array([0.5, 1.0, 2.0, 4.0])
    rng = np.random.default_rng(0)
    n_trials = 20_000
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    seen = dict.fromkeys(pairs, 0)
    for _ in range(n_trials):
        seen[tuple(sorted(draw_without_replacement(weights, 2, rng).tolist()))] += 1
    expected = np.array([literal.probability_of_set(weights, pair) for pair in pairs]) * n_trials
    assert expected.sum() == pytest.approx(n_trials)
    assert stats.chisquare(list(seen.values()), expected).pvalue > LEVEL


def test_the_order_of_the_draws_has_that_law_too():
    weights = np.array([1.0, 3.0])
    rng = np.random.default_rng(1)
    firsts = [int(draw_without_replacement(weights, 2, rng)[0]) for _ in range(20_000)]
    assert stats.binomtest(sum(firsts), 20_000, 0.75).pvalue > LEVEL


def test_samples_of_weight_zero_come_last_and_by_chance():
    weights = np.array([0.0, 2.0, 0.0, 1.0, 0.0])
    rng = np.random.default_rng(0)
    thirds = []
    for _ in range(3000):
        drawn = draw_without_replacement(weights, 3, rng)
        assert set(drawn[:2].tolist()) == {1, 3}
        thirds.append(int(drawn[2]))
    counts = [thirds.count(i) for i in (0, 2, 4)]
    assert sum(counts) == 3000
    assert stats.chisquare(counts).pvalue > LEVEL


def test_no_weights_at_all_draw_by_chance():
    drawn = draw_without_replacement(np.zeros(10), 10, np.random.default_rng(0))
    assert sorted(drawn.tolist()) == list(range(10))
    assert drawn.tolist() != list(range(10))


def test_with_replacement_has_the_law_of_the_weights():
    weights = np.array([0.0, 1.0, 2.0, 5.0])
    drawn = draw_with_replacement(weights, 40_000, np.random.default_rng(0))
    counts = np.bincount(drawn, minlength=4)
    assert counts[0] == 0
    assert stats.chisquare(counts[1:], weights[1:] / 8 * 40_000).pvalue > LEVEL
