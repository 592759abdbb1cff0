"""A chain of trees: each link sees the features and what the links before it decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._registry import part_of_models
from rarelabels._tasks import Tasks
from rarelabels.trees._coding import Coding, NewSamples
from rarelabels.trees._forest import Forest, check_tasks, grower, kernel_weights, used_parts
from rarelabels.trees._kernels.predict.probabilities import fill_chain
from rarelabels.trees._kernels.structures import Positions, Rules
from rarelabels.trees._schema import with_links


@part_of_models
@dataclass(frozen=True)
class Chain:
    """The trees of a chain, link by link.

    Attributes
    ----------
    forest : Forest
        The links, of the samples' features and one more for each link.
    n_features : int
        Number of the samples' features.
    """

    forest: Forest
    n_features: int

    def __len__(self) -> int:
        return len(self.forest)

    def __getitem__(self, link: int) -> Any:
        """Return a link as a fitted estimator, on the features and those that links added."""
        number = range(len(self))[link]
        alone = self.forest._alone(number)
        schema = with_links(self.forest.schema, number, is_categorical=self._is_categorical)
        forest = Forest(alone.estimator, schema, alone.roots, alone.trees)
        return alone.estimator._from_forest(forest)

    @property
    def _is_categorical(self) -> bool:
        return bool(self.forest.estimator._rules().categorical_links)

    def probability(self, data: NewSamples) -> Array:
        """Return each link's probability of class 1, (n_samples, n_links).

        A link is given the decisions of those before it: 1 where their probability is at least 0.5.
        """
        out = np.empty((data.n_samples, len(self)))
        forest, n_categories = self.forest, self._n_categories()
        for block in data.blocks():
            samples = block.with_links(len(self))
            fill_chain(forest.trees, forest.roots, n_categories, samples, out[block.where])
        return out

    def _n_categories(self) -> Array:
        of_links = np.full(len(self), 2 if self._is_categorical else 0, dtype=np.int32)
        return np.concatenate([self.forest.schema.n_categories, of_links])


def chain_positions(sample_indices: Any, feed: Any, n_links: int) -> Positions:
    """Return the positions of a chain, with the true labels that links see if they are given."""
    sample = np.ascontiguousarray(sample_indices, dtype=np.int32)
    fed = np.zeros((sample.size, n_links), dtype=np.uint8)
    positive = np.empty((sample.size, n_links), dtype=np.int32)
    n_positive = np.zeros(sample.size, dtype=np.int32)
    if feed is not None:
        fed[:] = np.asarray(feed) != 0
    return Positions(sample, fed, positive, n_positive)


def grow_chain(
    estimator: Any,
    coding: Coding,
    sample_indices: Any,
    tasks: Tasks,
    feed: Any,
    rules: Rules,
    seeds: Any = None,
) -> Chain:
    """Grow the links of a chain one after the other."""
    positions = chain_positions(sample_indices, feed, len(tasks))
    check_tasks(tasks, positions.sample.size)
    if tasks.n_classes != 2:
        raise ValueError(f"a chain's links have two classes, got {tasks.n_classes}.")
    all_seeds = np.zeros(len(tasks), dtype=np.uint64) if seeds is None else np.asarray(seeds)
    mode = 1 if feed is None else 2
    weights = kernel_weights(coding, None)
    roots, trees = grower(coding, weights)(
        coding.codes, positions, rules, tasks.starts, tasks.samples, tasks.classes, weights,
        tasks.has_same_samples, 2, all_seeds.astype(np.uint64),
        *used_parts(coding, rules, mode),
    )  # fmt: skip
    return Chain(Forest(estimator, coding.schema, roots, trees), coding.n_features)
