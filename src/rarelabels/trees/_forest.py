"""Trees that were grown together: flat arrays, and predictions by all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from rarelabels._containers import Array
from rarelabels._registry import part_of_models
from rarelabels._tasks import Tasks
from rarelabels.trees._coding import Coding, NewBlock, NewSamples
from rarelabels.trees._kernels.compilation import say_if_compiling
from rarelabels.trees._kernels.grow.batches import (
    grow_dense_trees,
    grow_sparse_trees,
    grow_weighted_trees,
)
from rarelabels.trees._kernels.predict.decisions import fill_wins
from rarelabels.trees._kernels.predict.probabilities import (
    fill_all_probabilities,
    fill_classes,
    fill_mean_probability,
    fill_probability,
)
from rarelabels.trees._kernels.structures import Positions, Rules, Trees
from rarelabels.trees._schema import Schema


@part_of_models
@dataclass(frozen=True)
class Forest:
    """Trees on one coding.

    Attributes
    ----------
    estimator : classifier
        The estimator that grew them, not fitted.
    schema : Schema
        The features.
    roots : (n_trees + 1,) int64
        Where each tree begins.
    trees : Trees
        The nodes.
    """

    estimator: Any
    schema: Schema
    roots: Array
    trees: Trees

    def __len__(self) -> int:
        return self.roots.size - 1

    def __getitem__(self, tree: int) -> Any:
        """Return one tree as a fitted estimator."""
        return self.estimator._from_forest(self._alone(range(len(self))[tree]))

    def with_unit(self, unit: float) -> Forest:
        """Return the forest with weights of the training samples in another unit."""
        trees = self.trees._replace(counts=self.trees.counts * unit)
        return Forest(self.estimator, self.schema, self.roots, trees)

    @property
    def n_classes(self) -> int:
        """Number of classes over all trees."""
        return self.trees.counts.shape[1]

    def probability(self, data: NewSamples, k: int, n_jobs: int | None = None) -> Array:
        """Return the probability of class k by each tree, (n_samples, n_trees)."""
        check_range("class", [k], self.n_classes)
        out = np.empty((data.n_samples, len(self)))

        def fill(block: NewBlock) -> None:
            fill_probability(*self._arguments(block), k, out[block.where])

        over_blocks(fill, data, n_jobs)
        return out

    def mean_probability(
        self, data: NewSamples, k: int, groups: Any, n_groups: int, n_jobs: int | None = None
    ) -> Array:
        """Return the mean probability of class k over each group's trees, (n_samples, n_groups).

        A group without trees has 0.
        """
        out = np.empty((data.n_samples, n_groups))
        of = np.ascontiguousarray(groups, dtype=np.int64)
        check_range("class", [k], self.n_classes)
        check_range("group", of, n_groups, len(self))

        def fill(block: NewBlock) -> None:
            means = np.zeros((n_groups, block.n_samples))
            fill_mean_probability(*self._arguments(block), k, of, means)
            out[block.where] = means.T

        over_blocks(fill, data, n_jobs)
        return out

    def decide(self, data: NewSamples, n_jobs: int | None = None) -> Array:
        """Return each tree's most probable class, (n_samples, n_trees).

        Ties go to the lowest class; of two classes, to the second.
        """
        out = np.empty((data.n_samples, len(self)), dtype=np.intp)

        def fill(block: NewBlock) -> None:
            fill_classes(*self._arguments(block), out[block.where])

        over_blocks(fill, data, n_jobs)
        return out

    def count_wins(
        self,
        data: NewSamples,
        first: Any,
        second: Any,
        n_labels: int,
        n_jobs: int | None = None,
    ) -> Array:
        """Return the contests that each label wins, (n_samples, n_labels).

        Tree t is a contest of labels first[t], whose class is 1, and second[t].
        """
        self._check_two_classes("count_wins")
        out = np.empty((data.n_samples, n_labels), dtype=np.int32)
        pairs = [np.ascontiguousarray(labels, dtype=np.int64) for labels in (first, second)]
        for labels in pairs:
            check_range("label", labels, n_labels, len(self))

        def fill(block: NewBlock) -> None:
            wins = np.zeros((n_labels, block.n_samples), dtype=np.int32)
            fill_wins(*self._arguments(block), *pairs, wins)
            out[block.where] = wins.T

        over_blocks(fill, data, n_jobs)
        return out

    def all_probabilities(self, data: NewSamples) -> Array:
        """Return the probabilities of all classes by the first tree, (n_samples, n_classes)."""
        out = np.empty((data.n_samples, self.n_classes))

        def fill(block: NewBlock) -> None:
            fill_all_probabilities(*self._arguments(block), out[block.where])

        over_blocks(fill, data, None)
        return out

    def _arguments(self, block: NewBlock) -> tuple[Any, ...]:
        return self.trees, self.roots, self.schema.n_categories, block.samples

    def _alone(self, tree: int) -> Forest:
        start, end = self.roots[tree], self.roots[tree + 1]
        nodes = Trees(*(array[start:end].copy() for array in self.trees))
        return Forest(self.estimator, self.schema, np.array([0, end - start]), nodes)

    def _check_two_classes(self, what: str) -> None:
        if self.n_classes != 2:
            raise ValueError(f"{what} needs trees of two classes, got {self.n_classes}.")


def check_range(what: str, numbers: Any, size: int, length: int | None = None) -> None:
    """Check that numbers are from 0 to below a size: the kernels do not."""
    if length is not None and len(numbers) != length:
        raise ValueError(f"expected one {what} for each of {length} trees, got {len(numbers)}.")
    if len(numbers) and not 0 <= min(numbers) <= max(numbers) < size:
        raise ValueError(f"a {what} is outside of 0 … {size - 1}.")


def over_blocks(fill: Callable[[NewBlock], None], data: NewSamples, n_jobs: int | None) -> None:
    """Call `fill` for blocks of the samples, in threads; blocks begin at multiples of 64."""
    n_threads = effective_n_jobs(n_jobs)
    for block in data.blocks():
        n_parts = min(n_threads, max(1, block.n_samples // 64))
        if n_parts == 1:
            fill(block)
            continue
        step = block.n_samples // n_parts // 64 * 64
        ends = [*range(0, n_parts * step, step), block.n_samples]
        parts = [block.part(start, end) for start, end in pairwise(ends)]
        # Other processes would fill copies.
        Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(fill)(part) for part in parts)


def plain_positions(n_samples: int) -> Positions:
    """Return positions that are the samples themselves."""
    nothing = np.zeros((0, 0), dtype=np.int32)
    return Positions(
        np.arange(n_samples, dtype=np.int32),
        np.zeros((0, 0), dtype=np.uint8),
        nothing,
        np.zeros(0, dtype=np.int32),
    )


def grow_forest(
    estimator: Any,
    coding: Coding,
    tasks: Tasks,
    rules: Rules,
    seeds: Any = None,
    n_jobs: int | None = None,
    sample_weight: Array | None = None,
) -> Forest:
    """Grow one tree for each task."""
    check_tasks(tasks, coding.n_samples)
    all_seeds = np.zeros(len(tasks), dtype=np.int64) if seeds is None else np.asarray(seeds)
    positions = plain_positions(coding.n_samples)
    weights = kernel_weights(coding, sample_weight)
    grow_trees = grower(coding, weights)
    parts_used = used_parts(coding, rules)

    def grow(start: int, end: int) -> tuple[Array, Trees]:
        starts = tasks.starts[start : end + 1]
        is_shared = tasks.has_same_samples
        samples = tasks.samples if is_shared else tasks.samples[starts[0] : starts[-1]]
        classes = tasks.classes[starts[0] : starts[-1]]
        return grow_trees(
            coding.codes, positions, rules, starts - starts[0], samples, classes, weights,
            is_shared, tasks.n_classes, all_seeds[start:end].astype(np.uint64), *parts_used,
        )  # fmt: skip

    parts = task_blocks(tasks, effective_n_jobs(n_jobs))
    if len(parts) == 1:
        grown = [grow(*parts[0])]
    else:
        grown = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(grow)(*part) for part in parts)
    return Forest(estimator, coding.schema, *_joined(grown))


def grower(coding: Coding, weights: Array) -> Any:
    """Return the kernel that grows trees on such features and weights."""
    if weights.size:
        kernel = grow_weighted_trees
    else:
        kernel = grow_sparse_trees if coding.codes.is_sparse else grow_dense_trees
    say_if_compiling(kernel)
    return kernel


class UsedParts(NamedTuple):
    """The last arguments of a grower: None for each part that need not be compiled, else a number.

    Attributes
    ----------
    chain : int or None
        1 if later links of a chain see the decisions of earlier ones, 2 if they see true labels.
    pruning : int or None
        If trees are collapsed or pruned.
    many_categories : int or None
        If a feature has more than two categories.
    with_lists : int or None
        If a sparse feature has more than two values.
    """

    chain: int | None
    pruning: int | None
    many_categories: int | None
    with_lists: int | None = None


def used_parts(coding: Coding, rules: Rules, chain: int | None = None) -> UsedParts:
    """Return which parts of a grower are used on some features."""
    codes, has_many = coding.codes, coding.schema.n_categories.max(initial=0) > 2
    has_lists = codes.is_sparse and not codes.all_two_valued
    return UsedParts(chain, _used(rules.collapse or rules.prune), _used(has_many), _used(has_lists))


def _used(is_used: Any) -> int | None:
    return 1 if is_used else None


def kernel_weights(coding: Coding, sample_weight: Array | None) -> Array:
    """Return the samples' weights; none where all are 1 and no value is missing.

    Then samples can be counted, which is quicker.
    """
    if sample_weight is not None and not (sample_weight == 1).all():
        return np.ascontiguousarray(sample_weight, dtype=np.float64)
    return np.ones(coding.n_samples if coding.has_missing else 0)


def check_tasks(tasks: Tasks, n_samples: int) -> None:
    """Check that all samples are there: kernels do not."""
    if tasks.samples.size and not 0 <= tasks.samples.min() <= tasks.samples.max() < n_samples:
        raise ValueError(f"tasks name samples outside of 0 … {n_samples - 1}.")
    most = tasks.n_classes
    if tasks.classes.size and not 0 <= tasks.classes.min() <= tasks.classes.max() < most:
        raise ValueError(f"tasks have classes outside of 0 … {most - 1}.")
    if (np.diff(tasks.starts) < 1).any():
        raise ValueError("every task needs at least one sample.")


def task_blocks(tasks: Tasks, n_jobs: int) -> list[tuple[int, int]]:
    """Return ranges of tasks with about as many samples each, a few for each job."""
    n_tasks = len(tasks)
    n_blocks = 1 if n_jobs == 1 else min(n_tasks, 4 * n_jobs)
    goals = np.linspace(0, tasks.starts[-1], n_blocks + 1)[1:-1]
    ends = np.unique([0, *np.searchsorted(tasks.starts, goals), n_tasks])
    return [(int(start), int(end)) for start, end in pairwise(ends)] or [(0, n_tasks)]


def _joined(parts: list[tuple[Array, Trees]]) -> tuple[Array, Trees]:
    if len(parts) == 1:
        return parts[0]
    shifts = np.cumsum([0, *(roots[-1] for roots, _ in parts)])
    roots = np.concatenate(
        [[0], *(roots[1:] + shift for (roots, _), shift in zip(parts, shifts, strict=False))]
    )
    arrays = zip(*(trees for _, trees in parts), strict=True)
    return roots, Trees(*(np.concatenate(each) for each in arrays))
