"""Trees for all labels, grown by scikit-learn, where numba is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier, ExtraTreeClassifier

from rarelabels._containers import Array, Matrix
from rarelabels._registry import part_of_models
from rarelabels.trees._schema import Schema
from rarelabels.trees.label_forest import Bag, TreeNodes, TreeOptions, ordered_results


@dataclass(frozen=True)
class PlainTree:
    """One tree of scikit-learn's.

    Attributes
    ----------
    tree : BaseDecisionTree
        The tree.
    outside : (n_outside,) ints
        The samples out of the bag.
    outside_scores : (n_outside, n_labels) float64
        Their scores.
    importances : (n_features,) float64
        Each feature's share of the decrease of impurity.
    shares : (n_nodes, n_labels) float64 or None
        The share of each label in each node, if it is not that of the tree's own labels.
    """

    tree: BaseDecisionTree
    outside: Array
    outside_scores: Array
    importances: Array
    shares: Array | None = None

    def add_outside_scores(self, scores: Array) -> None:
        """Add the tree's scores to the rows of the samples out of its bag."""
        scores[self.outside] += self.outside_scores


class PlainGrower:
    """Grow trees on one table of numbers, where categories are their indices."""

    def __init__(self, X: Any, schema: Schema, Y: sparse.csr_array, options: TreeOptions) -> None:
        self.schema, self.options = schema, options
        self.numbers, self.targets = plain_numbers(schema, X), Y.toarray()

    def grow(self, bag: Bag, Y: sparse.csr_array | None = None) -> PlainTree:
        """Return one tree, on other labels if some are given."""
        options, targets = self.options, self.targets if Y is None else Y.toarray()
        make = ExtraTreeClassifier if options.splitter == "random" else DecisionTreeClassifier
        tree = make(
            criterion=options.criterion,
            max_features=options.max_features,
            min_samples_leaf=options.min_samples_leaf,
            max_depth=options.max_depth,
            random_state=bag.seed % 2**32,
        )
        tree.fit(self.numbers, targets, sample_weight=bag.weight)
        outside = np.flatnonzero(bag.weight == 0)
        scores = np.zeros((outside.size, self.targets.shape[1]))
        if outside.size:
            scores = positive_shares(tree, self.numbers[outside])
        return PlainTree(tree, outside, scores, tree.feature_importances_)

    def nodes_of(self, tree: PlainTree, numbers: Any) -> TreeNodes:
        """Return the nodes of a tree, and where the training samples end."""
        grown = tree.tree
        return TreeNodes(
            grown.tree_.children_left, grown.tree_.children_right, grown.apply(self.numbers)
        )

    def with_shares(self, tree: PlainTree, shares: Array) -> PlainTree:
        """Return a tree whose nodes have other shares of labels, (n_nodes, n_labels)."""
        scores = tree.outside_scores
        if tree.outside.size:
            scores = shares[tree.tree.apply(self.numbers[tree.outside])]
        return replace(tree, shares=shares, outside_scores=scores)

    def join(self, trees: list[PlainTree]) -> PlainForest:
        """Return the forest of some trees."""
        return PlainForest(self.schema, tuple((each.tree, each.shares) for each in trees))


@part_of_models
@dataclass(frozen=True)
class PlainForest:
    """Trees of scikit-learn's, each for all labels.

    Attributes
    ----------
    schema : Schema
        The features.
    trees : tuple of pairs
        The trees, and the shares of labels in their nodes if these are not their own.
    """

    schema: Schema
    trees: tuple[tuple[BaseDecisionTree, Array | None], ...]

    def scores(self, X: Any, n_jobs: int | None) -> Array:
        """Return the mean share of each label over the trees, (n_samples, n_labels)."""
        numbers = plain_numbers(self.schema, X)

        def shares(pair: tuple[BaseDecisionTree, Array | None]) -> Array:
            tree, of_nodes = pair
            if of_nodes is None:
                return positive_shares(tree, numbers)
            return of_nodes[tree.apply(numbers)]

        each: Iterator[Array] = ordered_results(shares, iter(self.trees), n_jobs)
        return sum(each, start=np.zeros(1)) / len(self.trees)


def plain_numbers(schema: Schema, X: Any) -> Matrix:
    """Return X as floats, with the index of each category."""
    numbers = schema.numbers(X)
    if sparse.issparse(numbers) and schema.n_categories.any():
        return schema.index_categories(numbers.toarray())
    return numbers


def positive_shares(tree: BaseDecisionTree, numbers: Matrix) -> Array:
    """Return the share of positive samples in each leaf, (n_samples, n_labels)."""
    probabilities = tree.predict_proba(numbers)
    classes = tree.classes_
    if not isinstance(probabilities, list):
        probabilities, classes = [probabilities], [classes]
    shares = [
        probability[:, list(known).index(1)] if 1 in known else np.zeros(numbers.shape[0])
        for probability, known in zip(probabilities, classes, strict=True)
    ]
    return np.column_stack(shares)
