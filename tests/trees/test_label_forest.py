"""Trees for all labels: against a literal grower, and what must not change them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels.trees._compiled_label_forest import CompiledGrower
from rarelabels.trees._kernels.multilabel import grow
from rarelabels.trees._plain_label_forest import PlainGrower
from rarelabels.trees._schema import learn_schema
from rarelabels.trees.consistency import check_label_forest
from rarelabels.trees.label_forest import Bag, TreeOptions, draw_bags
from trees.literal_forest import LiteralTree


def make_data(seed, n=24, zeros=0.0, missing=0.0, n_labels=3):
    """Small data; feature 0 has categories, features 1 and 2 have ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 0], X[:, 1:3] = rng.integers(0, 4, n), rng.integers(0, 3, (n, 2))
    X[rng.random(X.shape) < zeros] = 0
    X[rng.random(X.shape) < missing] = np.nan
    X[:4, 0] = [0, 1, 2, 3]
    Y = (rng.random((n, n_labels)) < [0.1, 0.3, 0.6][:n_labels]).astype(np.int8)
    return X, Y


def options(**changes):
    made = {"splitter": "random", "criterion": "gini", "max_features": 2, "min_samples_leaf": 1,
            "max_depth": None, **changes}  # fmt: skip
    return TreeOptions(**made)


def grower(X, Y, chosen, categorical=None):
    return CompiledGrower(X, learn_schema(X, categorical), sparse.csr_array(Y), chosen)


def bag_of(seed, n):
    rng = np.random.default_rng(seed)
    weight = np.bincount(rng.integers(n, size=n), minlength=n).astype(np.float64)
    return Bag(weight, int(rng.integers(2**63)))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("splitter", ["random", "best"])
@pytest.mark.parametrize(("zeros", "missing"), [(0, 0), (0, 0.2), (0.85, 0), (0.85, 0.1)])
@pytest.mark.parametrize("min_leaf", [1, 3])
def test_a_tree_equals_the_literal_one(criterion, splitter, zeros, missing, min_leaf):
    for seed in range(10):
        X, Y = make_data(seed, n=60 if zeros else 24, zeros=zeros, missing=missing)
        chosen = options(splitter=splitter, criterion=criterion, min_samples_leaf=min_leaf)
        grown = grower(X, Y, chosen, [0])
        assert grown.coding.codes.is_sparse == (zeros > 0)
        bag = bag_of(seed, len(X))
        tree = grown.grow(bag)
        literal = LiteralTree(
            X, Y, bag.weight, bag.seed, n_drawn=2, splitter=splitter, criterion=criterion,
            min_leaf=min_leaf, categorical=[0],
        )  # fmt: skip
        expected = np.array([literal.shares(x) for x in X])
        np.testing.assert_allclose(grown.join([tree]).scores(X, None), expected, atol=1e-6)
        outside = np.zeros(Y.shape)
        tree.add_outside_scores(outside)
        np.testing.assert_allclose(
            outside, np.where(bag.weight[:, None] > 0, 0, expected), atol=1e-6
        )
        share = np.array(literal.importances) / (sum(literal.importances) or 1)
        np.testing.assert_allclose(tree.importances, share, atol=1e-9)


def test_a_tree_by_hand():
    """One feature: whatever the threshold, both sides of 1 and 2 are pure at the end."""
    X, Y = np.array([[1.0], [1.0], [2.0], [2.0]]), np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    grown = grower(X, Y, options(max_features=1))
    tree = grown.grow(Bag(np.array([1.0, 0.0, 2.0, 1.0]), 7))
    assert tree.nodes["feature"].tolist() == [0, -1, -1]  # missing values go with the larger child
    assert 1 <= tree.nodes["threshold"][0] < 2
    assert (tree.leaf_labels.tolist(), tree.leaf_shares.tolist()) == ([1, 0], [1.0, 1.0])
    assert tree.outside.tolist() == [1]
    scores = grown.join([tree]).scores(np.array([[0.0], [5.0], [np.nan]]), None)
    np.testing.assert_array_equal(scores, [[1, 0], [0, 1], [0, 1]])


def test_leaves_hold_the_weighted_share():
    X, Y = np.zeros((3, 1)), np.array([[1, 0], [0, 0], [1, 0]])
    tree = grower(X, Y, options(max_features=1)).grow(Bag(np.array([0.5, 2.0, 1.5]), 0))
    assert tree.leaf_labels.tolist() == [0]
    assert tree.leaf_shares.tolist() == [0.5]


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    zeros=st.sampled_from([0.3, 0.85]),
    missing=st.sampled_from([0, 0.1]),
    splitter=st.sampled_from(["random", "best"]),
    n_drawn=st.integers(1, 5),
)
def test_dense_equals_sparse(seed, zeros, missing, splitter, n_drawn):
    X, Y = make_data(seed, n=40, zeros=zeros, missing=missing)
    chosen, bag = options(splitter=splitter, max_features=n_drawn), bag_of(seed, 40)
    one, other = (grower(data, Y, chosen) for data in (X, sparse.csr_array(X)))
    same_tree(one.grow(bag), other.grow(bag))
    # Shifted, nothing is zero: the same codes, with another base.
    trees = [grower(data, Y, chosen).grow(bag) for data in (X + 8, sparse.csr_array(X + 8))]
    same_tree(*trees)
    assert (trees[0].nodes["feature"] == one.grow(bag).nodes["feature"]).all()


def same_tree(one, other):
    np.testing.assert_array_equal(one.nodes, other.nodes)
    for name in ("outside", "leaves", "leaf_starts"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_allclose(one.importances, other.importances)
    # The labels of a leaf may be in another order.
    n_labels, scores = 3, []
    for tree in (one, other):
        dense = np.zeros((len(tree.leaf_starts) - 1, n_labels))
        leaf = np.repeat(np.arange(len(dense)), np.diff(tree.leaf_starts))
        dense[leaf, tree.leaf_labels] = tree.leaf_shares
        scores.append(dense)
    np.testing.assert_array_equal(*scores)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    scale=st.integers(-60, 60),
    splitter=st.sampled_from(["random", "best"]),
)
def test_weights_times_a_power_of_two_change_nothing(seed, scale, splitter):
    X, Y = make_data(seed, n=40)
    grown, bag = grower(X, Y, options(splitter=splitter)), bag_of(seed, 40)
    same_tree(grown.grow(bag), grown.grow(bag._replace(weight=bag.weight * 2.0**scale)))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), splitter=st.sampled_from(["random", "best"]))
def test_the_order_of_labels_changes_nothing(seed, splitter):
    X, Y = make_data(seed, n=40)
    order, bag = np.random.default_rng(seed).permutation(3), bag_of(seed, 40)
    chosen = options(splitter=splitter)
    plain, permuted = grower(X, Y, chosen), grower(X, Y[:, order], chosen)
    scores = [grown.join([grown.grow(bag)]).scores(X, None) for grown in (plain, permuted)]
    np.testing.assert_array_equal(scores[0][:, order], scores[1])


@settings(max_examples=50, deadline=None)
@given(n_samples=st.integers(2, 30), n_trees=st.integers(2, 12), seed=st.integers(0, 1000))
def test_every_sample_is_out_of_some_bag(n_samples, n_trees, seed):
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 1.0, 2.5], n_samples)
    weights[0] = 1.0
    bags = list(draw_bags(rng, weights, n_trees, is_bootstrap=True))
    n_kept = (weights > 0).sum()
    for bag in bags:
        counts = bag.weight[weights > 0] / weights[weights > 0]
        assert counts.sum() == n_kept
        assert (bag.weight[weights == 0] == 0).all()
    if n_kept > 1:
        assert (np.array([bag.weight for bag in bags]) == 0).any(axis=0).all()


def test_bags_without_a_bootstrap_hold_all_samples():
    weights = np.array([1.0, 0.0, 3.0])
    bags = list(draw_bags(np.random.default_rng(0), weights, 2, is_bootstrap=False))
    assert [bag.weight.tolist() for bag in bags] == 2 * [weights.tolist()]
    assert bags[0].seed != bags[1].seed


def test_a_path_is_as_deep_as_there_are_samples():
    """A feature whose values double: a random threshold cuts off one or two samples each time."""
    n = 900
    X, Y = 2.0 ** np.arange(n)[:, None], (np.arange(n)[:, None] % 2).astype(np.int8)
    tree = grower(X, Y, options(max_features=1)).grow(Bag(np.ones(n), 3))
    assert (tree.nodes["feature"] < 0).sum() == n


@pytest.mark.parametrize("bound", [np.finfo(np.float64).max, 5e-324])
def test_extreme_values(bound):
    X, Y = np.array([[-bound], [0.0], [bound]]), np.eye(3, dtype=np.int8)
    grown = grower(X, Y, options(max_features=1))
    forest = grown.join([grown.grow(Bag(np.ones(3), seed)) for seed in range(5)])
    np.testing.assert_array_equal(forest.scores(X, None), np.eye(3))


def test_scikit_learns_trees_have_the_same_interface():
    X, Y = make_data(0, n=60)
    Y[:, 2] = 1
    for splitter in ("random", "best"):
        chosen, bag = options(splitter=splitter), bag_of(0, 60)
        grown = PlainGrower(X, learn_schema(X, [0]), sparse.csr_array(Y), chosen)
        tree = grown.grow(bag)
        scores = grown.join([tree, tree]).scores(X, 2)
        outside = np.zeros(Y.shape)
        tree.add_outside_scores(outside)
        np.testing.assert_array_equal(outside, np.where(bag.weight[:, None] > 0, 0, scores))
        assert (scores[:, 2] == 1).all()


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        ("nodes", {"feature": 10}, "feature"),
        ("nodes", {"feature": -3}, "feature"),
        ("nodes", {"child": 0}, "child"),
        ("nodes", {"child": 10**6}, "child"),
        ("leaf_labels", 3, "label"),
        ("leaf_labels", -1, "label"),
        ("roots", 1, "follow"),
        ("leaf_roots", -1, "follow"),
        ("leaf_starts", 10**6, "follow"),
    ],
)
def test_damaged_trees_are_refused(field, change, message):
    X, Y = make_data(0)
    grown = grower(X, Y, options())
    forest = grown.join([grown.grow(bag_of(seed, 24)) for seed in range(3)])
    check_label_forest(forest)
    array = getattr(forest.trees, field).copy()
    if isinstance(change, dict):
        for name, value in change.items():
            array[name][0] = value
    else:
        array[0] = change
    damaged = replace(forest, trees=forest.trees._replace(**{field: array}))
    with pytest.raises(ValueError, match=message):
        check_label_forest(damaged)


def test_trees_of_another_type_are_refused():
    X, Y = make_data(0)
    grown = grower(X, Y, options())
    forest = grown.join([grown.grow(bag_of(0, 24))])
    for change in (
        {"leaf_shares": forest.trees.leaf_shares.astype(np.float64)},
        {"leaf_shares": forest.trees.leaf_shares[:-1]},
        {"leaf_roots": np.append(forest.trees.leaf_roots, forest.trees.leaf_roots[-1] + 1)},
    ):
        with pytest.raises(ValueError, match=r"type|length|follow"):
            check_label_forest(replace(forest, trees=forest.trees._replace(**change)))


def test_copies_of_a_kernel_have_different_names():
    """numba confuses cached functions of one name that two processes have compiled."""
    names = ("grow_on_dense", "grow_on_sparse", "grow_best_on_dense", "grow_best_on_sparse")
    assert len({getattr(grow, name).py_func.__qualname__ for name in names}) == 4
