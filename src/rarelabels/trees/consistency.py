"""Check trees that were read from a file: the kernels follow indices without checking them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._chain import Chain
from rarelabels.trees._compiled_label_forest import CompiledForest
from rarelabels.trees._forest import Forest
from rarelabels.trees._kernels.multilabel.structures import LEAF, TREE_NODE, LabelTrees
from rarelabels.trees._kernels.structures import Trees
from rarelabels.trees._schema import Schema

DTYPES = Trees(np.int32, np.float64, np.int32, np.float64, np.float64)  # type: ignore[arg-type]

LABEL_DTYPES = (np.int64, np.int64, TREE_NODE, np.int64, np.int32, np.float32)


def check_forest(forest: Forest) -> None:
    """Check that no tree of a forest leads to a node or feature that it does not have.

    Parameters
    ----------
    forest : Forest
        The trees.

    Raises
    ------
    ValueError
        If an index is out of range.
    """
    _check_trees(forest, forest.schema.n_categories)


def check_chain(chain: Chain) -> None:
    """Check a chain, whose links also see the decisions of the links before them.

    Parameters
    ----------
    chain : Chain
        The links.

    Raises
    ------
    ValueError
        If an index is out of range, or a link sees itself or a later one.
    """
    forest, n_features = chain.forest, chain.forest.schema.n_features
    _require(chain.n_features == n_features, "a chain has another number of features")
    _check_trees(forest, chain._n_categories())
    _require(forest.n_classes == 2, "a link does not have two classes")
    link_of_node = np.repeat(np.arange(len(forest)), np.diff(forest.roots))
    _require((forest.trees.feature < n_features + link_of_node).all(), "a link sees a later one")


def check_encoder(encoder: Any, schema: Schema) -> None:
    """Check that samples are encoded as the trees expect them.

    Parameters
    ----------
    encoder : Encoder
        What reads new samples.
    schema : Schema
        The features of the trees.

    Raises
    ------
    ValueError
        If the numbers of features or categories differ.
    """
    is_same = np.array_equal(encoder.schema.n_categories, schema.n_categories)
    _require(is_same, "samples are encoded for other features than the trees have")


def check_label_forest(forest: CompiledForest) -> None:
    """Check that no tree for all labels refers to a node, leaf, label or feature that is missing.

    Parameters
    ----------
    forest : CompiledForest
        The trees.

    Raises
    ------
    ValueError
        If an index is out of range.
    """
    trees = forest.trees
    _require(isinstance(trees, LabelTrees), "trees are missing")
    for array, dtype in zip(trees, LABEL_DTYPES, strict=True):
        _require(
            isinstance(array, np.ndarray)
            and array.ndim == 1
            and array.dtype == dtype
            and array.flags.c_contiguous,
            "an array of the trees has another type",
        )
    _check_starts(trees.roots, trees.nodes.size)
    _check_starts(trees.leaf_roots, trees.leaf_starts.size - 1)
    _check_starts(trees.leaf_starts, trees.leaf_labels.size, least=0)
    _require(trees.leaf_shares.size == trees.leaf_labels.size, "leaves differ in length")
    _require(trees.roots.size == trees.leaf_roots.size, "there are other leaves than trees")
    is_label = (trees.leaf_labels >= 0) & (trees.leaf_labels < forest.n_labels)
    _require(is_label.all(), "a leaf has no such label")
    n_nodes, n_leaves = np.diff(trees.roots), np.diff(trees.leaf_roots)
    tree = np.repeat(np.arange(n_nodes.size), n_nodes)
    feature, child = trees.nodes["feature"], trees.nodes["child"].astype(np.int64)
    is_leaf, place = feature == LEAF, np.arange(tree.size) - trees.roots[tree]
    is_feature = (feature >= 0) & (feature >> 1 < forest.schema.n_features)
    _require((is_leaf | is_feature).all(), "a node has no such feature")
    has_leaf = (child >= 0) & (child < n_leaves[tree])
    has_children = (child > place) & (child + 2 <= n_nodes[tree])
    _require(np.where(is_leaf, has_leaf, has_children).all(), "a node has no such child")


def _check_starts(starts: Array, size: int, least: int = 1) -> None:
    """Check that parts follow one another up to a size, each of them at least so long."""
    is_right = starts.size > 1 and starts[0] == 0 and starts[-1] == size
    _require(is_right and (np.diff(starts) >= least).all(), "trees do not follow one another")


def _check_trees(forest: Forest, n_categories: Array) -> None:
    trees, roots = forest.trees, forest.roots
    _require(isinstance(trees, Trees), "trees are missing")
    for array, dtype in zip((*trees, roots), (*DTYPES, np.int64), strict=True):
        _require(
            isinstance(array, np.ndarray) and array.dtype == dtype and array.flags.c_contiguous,
            "an array of the trees has another type",
        )
    n_nodes = trees.feature.size
    is_flat = all(array.shape == (n_nodes,) for array in trees[:3])
    of_classes = trees.counts.shape
    is_table = len(of_classes) == 2 and of_classes[0] == n_nodes and of_classes[1] > 0
    _require(
        is_flat and is_table and trees.probability.shape == of_classes,
        "the arrays of the trees differ in length",
    )
    _require(roots.ndim == 1, "trees do not follow one another")
    _check_starts(roots, n_nodes)
    _check_nodes(trees, roots, n_categories)


def _check_nodes(trees: Trees, roots: Array, n_categories: Array) -> None:
    is_leaf = trees.feature == -1
    inner = np.flatnonzero(~is_leaf)
    feature = trees.feature[inner]
    _require(((feature >= 0) & (feature < n_categories.size)).all(), "a node has no such feature")
    by_category = np.isnan(trees.threshold[inner])
    n_branches = np.where(by_category, n_categories[feature], 2)
    _require((n_branches >= 2).all(), "a node splits a number by categories")
    n_nodes = np.diff(roots)
    tree = np.repeat(np.arange(n_nodes.size), n_nodes)[inner]
    # Children are counted from the root, and come after their parents.
    child, place = trees.child[inner].astype(np.int64), inner - roots[tree]
    is_inside = (child > place) & (child + n_branches <= n_nodes[tree])
    _require(is_inside.all(), "a node has no such child")


def _require(is_right: Any, what: str) -> None:
    if not is_right:
        raise ValueError(f"{what}.")
