"""A forest whose trees each learn all labels: bags, growing, scores out of the bag.

Trees are grown by compiled kernels if numba is installed, else by scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.utils.parallel import Parallel, delayed

from rarelabels._containers import Array
from rarelabels.trees._schema import Schema, learn_schema

__all__ = [
    "Bag",
    "GrownForest",
    "KnownEntries",
    "TreeOptions",
    "draw_bags",
    "grow_label_forest",
]


@dataclass(frozen=True)
class TreeOptions:
    """How each tree is grown.

    Attributes
    ----------
    splitter : str
        "random" or "best".
    criterion : str
        "gini" or "entropy".
    max_features : int
        Features drawn at each node.
    min_samples_leaf : int
        Least number of samples in a leaf.
    max_depth : int or None
        Largest depth.
    """

    splitter: str
    criterion: str
    max_features: int
    min_samples_leaf: int
    max_depth: int | None


class Bag(NamedTuple):
    """The samples of one tree.

    Attributes
    ----------
    weight : (n_samples,) float64
        Weights; 0 for a sample out of the bag.
    seed : int
        Seed of the tree.
    """

    weight: Array
    seed: int


class KnownEntries(NamedTuple):
    """How much the labels of samples count.

    Attributes
    ----------
    table : (n_samples, n_labels) float64
        Weights of samples and labels, 0 for an unknown label.
    sample_weight : (n_samples,) float64
        The weights of samples that bags are made with.
    """

    table: Array
    sample_weight: Array


class LabelForest(Protocol):
    """Trees that return the scores of new samples."""

    def scores(self, X: Any, n_jobs: int | None) -> Array:
        """Return the mean share of each label over the trees, (n_samples, n_labels)."""
        ...


class GrownTree(Protocol):
    """A tree with what it says about the samples it was not grown on."""

    outside: Array
    importances: Array

    def add_outside_scores(self, scores: Array) -> None:
        """Add the tree's scores to the rows of the samples out of its bag."""
        ...


class TreeNodes(NamedTuple):
    """The nodes of one tree; children come after their parents.

    Attributes
    ----------
    left, right : (n_nodes,) ints
        The children of each node, -1 for a leaf.
    of_samples : (n_samples,) ints
        The leaf of each sample, as a node.
    """

    left: Array
    right: Array
    of_samples: Array


class Grower(Protocol):
    """What grows trees on one data set."""

    def grow(self, bag: Bag, Y: sparse.csr_array | None = None) -> Any:
        """Return one tree, a `GrownTree`, on other labels if some are given."""
        ...

    def nodes_of(self, tree: Any, numbers: Any) -> TreeNodes:
        """Return the nodes of a tree, and where samples end."""
        ...

    def with_shares(self, tree: Any, shares: Array) -> Any:
        """Return a tree whose nodes have other shares of labels, (n_nodes, n_labels)."""
        ...

    def join(self, trees: list[Any]) -> LabelForest:
        """Return the forest of some trees."""
        ...


@dataclass(frozen=True)
class GrownForest:
    """A forest and what was learned while it grew.

    Attributes
    ----------
    forest : LabelForest
        The trees.
    oob_scores : (n_samples, n_labels) float64
        The mean over the trees that a sample is not in the bag of; NaN if there is none.
    importances : (n_features,) float64
        Each feature's share of the decrease of impurity, the mean over the trees.
    """

    forest: LabelForest
    oob_scores: Array
    importances: Array


def draw_bags(
    rng: np.random.Generator,
    sample_weight: Array,
    n_trees: int,
    *,
    is_bootstrap: bool,
    groups: Array | None = None,
) -> Iterator[Bag]:
    """Draw the bag of each tree.

    A bootstrap draws as many samples as there are, with replacement, from those of positive weight.
    Each sample is left out of the draws for one tree, so that no sample is in all bags. The trees
    take turns, so this is one sample in `n_trees` for each tree. With groups, which are numbered
    from 0, whole groups are drawn and left out.
    """
    units, n_units = np.flatnonzero(sample_weight), sample_weight.size
    if groups is not None:
        units, n_units = np.unique(groups[units]), int(groups.max()) + 1
    seeds = rng.integers(2**63, size=n_trees)
    # The tree that a sample is left out of.
    turns = rng.permutation(units.size) % n_trees if n_trees > 1 else np.full(units.size, -1)
    for tree, child in enumerate(rng.spawn(n_trees)):
        if not is_bootstrap:
            yield Bag(sample_weight, int(seeds[tree]))
            continue
        drawable = units[turns != tree] if units.size > 1 else units
        drawn = drawable[child.integers(drawable.size, size=units.size)]
        counts = np.bincount(drawn, minlength=n_units)
        counts = counts if groups is None else counts[groups]
        yield Bag(counts * sample_weight, int(seeds[tree]))


def grow_label_forest(
    X: Any,
    Y: sparse.csr_array,
    bags: Iterator[Bag],
    options: TreeOptions,
    categorical_features: Any,
    n_jobs: int | None,
    known: KnownEntries | None = None,
) -> GrownForest:
    """Grow one tree for each bag, in threads; the result does not depend on how many."""
    schema = learn_schema(X, categorical_features)
    grower: Any = chosen_grower()(X, schema, Y, options)
    if known is not None:
        from rarelabels.trees._partly_known_forest import PartlyKnownGrower

        grower = PartlyKnownGrower(grower, schema.numbers(X), Y, known)
    sums, n_outside = np.zeros(Y.shape), np.zeros(Y.shape[0], dtype=np.int64)
    importances = np.zeros(schema.n_features)
    trees = []
    for tree in ordered_results(grower.grow, bags, n_jobs):
        tree.add_outside_scores(sums)
        n_outside[tree.outside] += 1
        importances += tree.importances
        trees.append(tree)
    sums[n_outside == 0] = np.nan
    sums /= np.maximum(n_outside, 1)[:, None]
    return GrownForest(grower.join(trees), sums, importances / len(trees))


def chosen_grower() -> Callable[[Any, Schema, sparse.csr_array, TreeOptions], Grower]:
    """Return what makes a grower: of compiled trees if numba is installed."""
    if find_spec("numba") is None:
        from rarelabels.trees._plain_label_forest import PlainGrower

        return PlainGrower
    from rarelabels.trees._compiled_label_forest import CompiledGrower

    return CompiledGrower


def ordered_results(
    call: Callable[[Any], Any],
    arguments: Iterator[Any],
    n_jobs: int | None,
    *,
    fills_arrays: bool = False,
) -> Iterator[Any]:
    """Yield the results of calls, in order. Calls that fill arrays run in this process."""
    if effective_n_jobs(n_jobs) == 1:
        return map(call, arguments)
    where = {"require": "sharedmem"} if fills_arrays else {"prefer": "threads"}
    parallel = Parallel(n_jobs=n_jobs, return_as="generator", **where)
    return parallel(delayed(call)(argument) for argument in arguments)
