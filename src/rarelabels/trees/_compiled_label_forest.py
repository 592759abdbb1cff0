"""Trees for all labels, grown by compiled kernels on the coding of X."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._registry import part_of_models
from rarelabels.trees._coding import make_coding
from rarelabels.trees._kernels.compilation import say_if_compiling
from rarelabels.trees._kernels.multilabel.grow import (
    grow_dense_best,
    grow_dense_random,
    grow_sparse_best,
    grow_sparse_random,
)
from rarelabels.trees._kernels.multilabel.predict import (
    add_label_shares,
    add_outside_shares,
    add_sparse_label_shares,
    fill_leaves,
)
from rarelabels.trees._kernels.multilabel.structures import LabelRules, LabelTrees, SampleLabels
from rarelabels.trees._schema import Schema
from rarelabels.trees.label_forest import Bag, TreeNodes, TreeOptions, ordered_results

GROWERS = {
    ("random", False): grow_dense_random,
    ("random", True): grow_sparse_random,
    ("best", False): grow_dense_best,
    ("best", True): grow_sparse_best,
}
NO_LIMIT = 2**31
# Samples that go down the trees together: a tree and these are to stay in the cache.
BLOCK_ENTRIES = 2**18
MOST_IN_BLOCK = 1024
# The share of values other than zero up to which a sparse sample is not made dense for each block.
THIN_SHARE = 0.1


@dataclass(frozen=True)
class CompiledTree:
    """One tree; the arrays are those of `LabelTrees`.

    Attributes
    ----------
    outside, leaves : (n_outside,) int32
        The samples out of the bag, and their leaves.
    importances : (n_features,) float64
        Each feature's share of the decrease of impurity.
    """

    nodes: Array
    leaf_starts: Array
    leaf_labels: Array
    leaf_shares: Array
    outside: Array
    leaves: Array
    importances: Array

    def add_outside_scores(self, scores: Array) -> None:
        """Add the tree's scores to the rows of the samples out of its bag."""
        add_outside_shares(
            self.leaf_starts, self.leaf_labels, self.leaf_shares, self.outside, self.leaves, scores
        )


class CompiledGrower:
    """Grow trees on one coding of X."""

    def __init__(self, X: Any, schema: Schema, Y: sparse.csr_array, options: TreeOptions) -> None:
        self.coding = make_coding(X, schema)
        self.labels = sample_labels(Y)
        self.options = options
        self.kernel = GROWERS[options.splitter, bool(self.coding.codes.is_sparse)]
        say_if_compiling(self.kernel)

    def grow(self, bag: Bag, Y: sparse.csr_array | None = None) -> CompiledTree:
        """Return one tree, on other labels if some are given."""
        options, labels = self.options, self.labels if Y is None else sample_labels(Y)
        rules = LabelRules(
            max_features=options.max_features,
            min_leaf=options.min_samples_leaf,
            max_depth=NO_LIMIT if options.max_depth is None else options.max_depth,
            entropy=options.criterion == "entropy",
            is_exact=bool((bag.weight == np.floor(bag.weight)).all()),
        )
        nodes, leaf_starts, leaf_labels, leaf_shares, gains, outside, leaves = self.kernel(
            self.coding.codes, labels, bag.weight, rules, np.uint64(bag.seed)
        )
        return CompiledTree(
            nodes,
            leaf_starts,
            leaf_labels,
            leaf_shares,
            outside,
            leaves,
            self._importances(nodes, gains),
        )

    def nodes_of(self, tree: CompiledTree, numbers: Any) -> TreeNodes:
        """Return the nodes of a tree, and where samples end, given as numbers."""
        schema, nodes = self.coding.schema, tree.nodes
        is_inner = nodes["feature"] >= 0
        left = np.where(is_inner, nodes["child"], -1)
        node_of_leaf = np.empty(tree.leaf_starts.size - 1, dtype=np.int64)
        node_of_leaf[nodes["child"][~is_inner]] = np.flatnonzero(~is_inner)
        leaves = np.empty(numbers.shape[0], dtype=np.int64)
        for block in _blocks(*numbers.shape):
            rows = numbers[block]
            if sparse.issparse(rows):
                rows = schema.index_categories(rows.toarray())
            fill_leaves(nodes, schema.n_categories, np.ascontiguousarray(rows), leaves[block])
        return TreeNodes(left, np.where(is_inner, left + 1, -1), node_of_leaf[leaves])

    def with_shares(self, tree: CompiledTree, shares: Array) -> CompiledTree:
        """Return a tree whose nodes have other shares of labels, (n_nodes, n_labels)."""
        is_leaf = tree.nodes["feature"] < 0
        of_leaves = np.empty((tree.leaf_starts.size - 1, shares.shape[1]))
        of_leaves[tree.nodes["child"][is_leaf]] = shares[is_leaf]
        stored = sparse.csr_array(of_leaves)
        return replace(
            tree,
            leaf_starts=stored.indptr.astype(np.int64),
            leaf_labels=stored.indices.astype(np.int32),
            leaf_shares=stored.data.astype(np.float32),
        )

    def join(self, trees: list[CompiledTree]) -> CompiledForest:
        """Return the forest of some trees."""
        n_nodes = [tree.nodes.size for tree in trees]
        n_leaves = [tree.leaf_starts.size - 1 for tree in trees]
        n_entries = np.concatenate([np.diff(tree.leaf_starts) for tree in trees])
        joined = LabelTrees(
            roots=_starts_of(n_nodes),
            leaf_roots=_starts_of(n_leaves),
            nodes=np.concatenate([tree.nodes for tree in trees]),
            leaf_starts=_starts_of(n_entries),
            leaf_labels=np.concatenate([tree.leaf_labels for tree in trees]),
            leaf_shares=np.concatenate([tree.leaf_shares for tree in trees]),
        )
        return CompiledForest(self.coding.schema, joined, self.labels.n_labels)

    def _importances(self, nodes: Array, gains: Array) -> Array:
        is_inner = nodes["feature"] >= 0
        features = nodes["feature"][is_inner] >> 1
        sums = np.bincount(features, gains[is_inner], self.coding.n_features)
        return sums / (sums.sum() or 1.0)


def sample_labels(Y: sparse.csr_array) -> SampleLabels:
    """Return the labels of each sample in the form that kernels take."""
    return SampleLabels(Y.indptr.astype(np.int64), Y.indices.astype(np.int32), int(Y.shape[1]))


@part_of_models
@dataclass(frozen=True)
class CompiledForest:
    """Trees for all labels.

    Attributes
    ----------
    schema : Schema
        The features.
    trees : LabelTrees
        The trees.
    n_labels : int
        Number of labels.
    """

    schema: Schema
    trees: LabelTrees
    n_labels: int

    def scores(self, X: Any, n_jobs: int | None) -> Array:
        """Return the mean share of each label over the trees, (n_samples, n_labels)."""
        numbers = self.schema.numbers(X)
        n_samples, n_features = numbers.shape
        scores = np.zeros((n_samples, self.n_labels))
        is_thin = sparse.issparse(numbers) and not self.schema.n_categories.any()
        is_thin = is_thin and numbers.nnz <= THIN_SHARE * n_samples * n_features
        n_entries = numbers.nnz / max(n_samples, 1) if is_thin else n_features

        def fill(block: slice) -> None:
            add = self._add_sparse if is_thin else self._add_dense
            add(numbers[block], scores[block])

        for _ in ordered_results(fill, _blocks(n_samples, n_entries), n_jobs, fills_arrays=True):
            pass
        scores /= self.trees.roots.size - 1
        return scores

    def _add_dense(self, rows: Any, scores: Array) -> None:
        if sparse.issparse(rows):
            rows = self.schema.index_categories(rows.toarray())
        add_label_shares(self.trees, self.schema.n_categories, np.ascontiguousarray(rows), scores)

    def _add_sparse(self, rows: sparse.csr_array, scores: Array) -> None:
        add_sparse_label_shares(
            self.trees,
            rows.shape[1],
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data,
            scores,
        )


def _blocks(n_samples: int, n_entries: float) -> Iterator[slice]:
    """Return blocks of samples that have so many values each."""
    size = int(min(max(1, BLOCK_ENTRIES // max(n_entries, 1)), MOST_IN_BLOCK))
    return (slice(start, start + size) for start in range(0, n_samples, size))


def _starts_of(sizes: Any) -> Array:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
