"""The correction, against its definition."""

from itertools import chain, combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarelabels.comparison._corrections import (
    bergmann_hommel,
    exhaustive_sets,
    holm,
    set_partitions,
)


def is_exhaustive(pairs, n_methods):
    """Whether no equality that is left out follows from those that are in."""
    block = list(range(n_methods))
    for a, b in pairs:
        old, new = block[b], block[a]
        block = [new if number == old else number for number in block]
    implied = {(a, b) for a, b in combinations(range(n_methods), 2) if block[a] == block[b]}
    return implied == set(pairs)


def exhaustive_by_closure(n_methods):
    """All sets of hypotheses, tried one by one."""
    pairs = list(combinations(range(n_methods), 2))
    subsets = chain.from_iterable(combinations(pairs, size) for size in range(1, len(pairs) + 1))
    return {frozenset(subset) for subset in subsets if is_exhaustive(subset, n_methods)}


def partitions_by_recursion(items):
    """All ways to put things into blocks: the first thing alone, or in any block of the rest."""
    if not items:
        yield []
        return
    first, *rest = items
    for partition in partitions_by_recursion(rest):
        yield [[first], *partition]
        for i, block in enumerate(partition):
            yield [*partition[:i], [first, *block], *partition[i + 1 :]]


def exhaustive_by_partitions(n_methods):
    sets = {
        frozenset(chain.from_iterable(combinations(sorted(block), 2) for block in partition))
        for partition in partitions_by_recursion(list(range(n_methods)))
    }
    return sets - {frozenset()}


def adjusted_by_definition(p_values, sets, n_methods):
    """García and Herrera's: min(1, max{|I| · min{p_j : j in I} : I exhaustive, i in I})."""
    p_of = dict(zip(combinations(range(n_methods), 2), p_values, strict=True))
    return [
        min(
            1.0, max(len(found) * min(p_of[pair] for pair in found) for found in sets if i in found)
        )
        for i in p_of
    ]


def as_sets(n_methods):
    pairs = np.array(list(combinations(range(n_methods), 2)))
    return [frozenset(map(tuple, pairs[row].tolist())) for row in exhaustive_sets(n_methods)]


def p_values_of(n_methods, seed):
    # Powers spread them over orders of magnitude, as real ones are.
    return np.random.default_rng(seed).random(comb(n_methods, 2)) ** 4


@pytest.mark.parametrize("n_methods", [2, 3, 4, 5])
def test_sets_are_those_closed_under_equality(n_methods):
    found = as_sets(n_methods)
    assert len(found) == len(set(found))
    assert set(found) == exhaustive_by_closure(n_methods)


@pytest.mark.parametrize("n_methods", [3, 4, 5, 6, 7])
def test_adjusts_as_brute_force_over_all_partitions(n_methods):
    sets = exhaustive_by_partitions(n_methods)
    assert set(as_sets(n_methods)) == sets
    for seed in range(5):
        p_values = p_values_of(n_methods, seed)
        expected = adjusted_by_definition(p_values, sets, n_methods)
        np.testing.assert_allclose(bergmann_hommel(p_values, n_methods), expected, rtol=1e-14)


def test_partitions_are_counted_by_the_bell_numbers():
    # OEIS A000110.
    counts = [len(set_partitions(n)) for n in range(1, 10)]
    assert counts == [1, 2, 5, 15, 52, 203, 877, 4140, 21147]


@pytest.mark.parametrize(
    ("n_methods", "sizes"),
    [(3, {1, 3}), (4, {1, 2, 3, 6}), (5, {1, 2, 3, 4, 6, 10}), (6, {1, 2, 3, 4, 6, 7, 10, 15})],
)
def test_numbers_of_hypotheses_that_can_be_true(n_methods, sizes):
    # Shaffer 1986, Modified Sequentially Rejective Multiple Test Procedures, by his recursion.
    assert {len(found) for found in as_sets(n_methods)} == sizes


def test_three_methods_by_hand():
    # Either all three are equal, or one pair, or none: 3 times the smallest, or the p-value itself.
    np.testing.assert_allclose(
        bergmann_hommel(np.array([0.01, 0.02, 0.5]), 3), [0.03, 0.03, 0.5], rtol=1e-14
    )


def test_four_methods_by_hand():
    # Pairs 01, 02, 03, 12, 13, 23. For 01 the sets are: all six (6 · 0.001), {01, 23} (2 · 0.001),
    # {01, 02, 12} and {01, 03, 13} (3 · 0.02), {01}.
    p_values = np.array([0.02, 0.03, 0.04, 0.05, 0.06, 0.001])
    adjusted = bergmann_hommel(p_values, 4)
    assert adjusted[0] == pytest.approx(0.06)
    assert adjusted[5] == pytest.approx(0.006)


@given(st.integers(2, 6), st.integers(0, 1000))
def test_lies_between_the_single_test_and_holm(n_methods, seed):
    p_values = p_values_of(n_methods, seed)
    adjusted = bergmann_hommel(p_values, n_methods)
    assert (adjusted >= p_values).all()
    assert (adjusted <= holm(p_values) + 1e-15).all()


def test_holm_by_hand():
    np.testing.assert_allclose(
        holm(np.array([0.04, 0.01, 0.03, 0.6])), [0.09, 0.04, 0.09, 0.6], rtol=1e-14
    )
