"""Fit all models of a learner in one call, for estimators with the method `fit_many`.

Other estimators are fitted once for each task. Both trainers use the same tasks and seeds, so a
deterministic estimator returns the same models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from numbers import Integral
from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._random import as_generator
from rarelabels._registry import part_of_models
from rarelabels._tasks import Tasks
from rarelabels.learners._separate_trainer import SeparateTrainer
from rarelabels.learners._trainer import FitError, Links, Models, NameOf, Trainer
from rarelabels.learners.fit_params import NO_PARAMS, FitParams


def trainer_for(
    estimator: Any,
    X: Matrix,
    n_jobs: int | None,
    params: FitParams = NO_PARAMS,
    *,
    separately: bool = False,
) -> Trainer:
    """Return a trainer that fits all models in one call if the estimator can, else separately.

    `fit_many` does not accept parameters such as sample weights. `separately` is for chains with
    unknown labels, which `fit_many` does not support either.
    """
    if hasattr(estimator, "fit_many") and not params and not separately:
        return BatchTrainer(estimator, X, n_jobs)
    return SeparateTrainer(estimator, X, n_jobs, params)


class BatchTrainer:
    """Fits many models in one call; X is encoded once."""

    def __init__(self, estimator: Any, X: Matrix, n_jobs: int | None) -> None:
        self.estimator, self.n_jobs = estimator, n_jobs
        self.coding = estimator.code(X)

    def fit(self, blocks: Iterable[Tasks], seeds: Sequence[int], name_of: NameOf) -> Models:
        """Fit a model to each task, with one call for each block."""
        model_seeds, forests, done = seeds_for(self.estimator, seeds), [], 0
        for tasks in blocks:
            part = slice(done, done + len(tasks))
            try:
                forests.append(
                    self.estimator.fit_many(
                        self.coding, tasks, seeds=model_seeds[part], n_jobs=self.n_jobs
                    )
                )
            except Exception as error:
                raise self._failure(range(*part.indices(part.stop)), name_of, error) from error
            done = part.stop
        return Forests(self._encoder, forests)

    def fit_chain(
        self,
        samples: Array,
        tasks: Tasks,
        feed: Array | None,
        seeds: Sequence[int],
        name_of: NameOf,
    ) -> Links:
        """Fit a chain in one call."""
        link_seeds = seeds_for(self.estimator, seeds)
        try:
            links = self.estimator.fit_chain(self.coding, samples, tasks, feed, seeds=link_seeds)
        except Exception as error:
            raise self._failure(range(len(tasks)), name_of, error) from error
        return LinkedTrees(self._encoder, links)

    @property
    def _encoder(self) -> Any:
        """The encoder of new samples, if possible without the codes of the training data."""
        return getattr(self.coding, "encoder", self.coding)

    def _failure(self, tasks: range, name_of: NameOf, error: Exception) -> FitError:
        names = " to ".join(dict.fromkeys(name_of(t) for t in (tasks[0], tasks[-1])))
        return FitError(f"{type(self.estimator).__name__} could not be fitted to {names}: {error}")


@part_of_models
class Forests(Models):
    """Models that were fitted together: one forest for each block of tasks."""

    def __init__(self, encoder: Any, forests: list[Any]) -> None:
        self.encoder, self.forests = encoder, forests
        self._ends = list(accumulate(len(forest) for forest in forests))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, t: Any) -> Any:
        index = range(len(self))[t]
        if isinstance(index, range):
            return [self[i] for i in index]
        block = int(np.searchsorted(self._ends, index, side="right"))
        return self.forests[block][index - self._ends[block] + len(self.forests[block])]

    def prepare(self, X: Matrix) -> Any:
        return self.encoder.encode(X)

    def probability(self, data: Any, k: int, n_jobs: int | None) -> Array:
        return np.hstack([forest.probability(data, k, n_jobs=n_jobs) for forest in self.forests])

    def class_probabilities(self, data: Any, n_classes: int) -> Array:
        forest = self.forests[0]
        if hasattr(forest, "all_probabilities"):
            return forest.all_probabilities(data)
        return np.column_stack([forest.probability(data, k)[:, 0] for k in range(n_classes)])

    def mean_probability(
        self, data: Any, k: int, groups: Array, n_groups: int, n_jobs: int | None
    ) -> Array:
        means = []
        for forest, models in self._parts():
            # No group is divided between blocks.
            block_groups = groups[models] - groups[models][0]
            n_block_groups = int(block_groups[-1]) + 1
            means.append(
                forest.mean_probability(data, k, block_groups, n_block_groups, n_jobs=n_jobs)
            )
        return np.hstack(means)

    def decide(self, data: Any, n_jobs: int | None) -> Array:
        return np.hstack([forest.decide(data, n_jobs=n_jobs) for forest in self.forests])

    def decide_in_parts(self, data: Any, n_jobs: int | None) -> Iterator[tuple[slice, Array]]:
        for forest, models in self._parts():
            yield models, forest.decide(data, n_jobs=n_jobs)

    def count_wins(
        self, data: Any, first: Array, second: Array, n_labels: int, n_jobs: int | None
    ) -> Array:
        total: Any = None
        for forest, models in self._parts():
            wins = forest.count_wins(data, first[models], second[models], n_labels, n_jobs=n_jobs)
            total = wins if total is None else np.add(total, wins, out=total)
        return total

    def _parts(self) -> Iterator[tuple[Any, slice]]:
        """Yield each forest and the slice of its models."""
        for forest, end in zip(self.forests, self._ends, strict=True):
            yield forest, slice(end - len(forest), end)


@part_of_models
class LinkedTrees(Links):
    """A chain that was fitted in one call."""

    def __init__(self, encoder: Any, links: Any) -> None:
        self.encoder, self.links = encoder, links

    def __len__(self) -> int:
        return len(self.links)

    def __getitem__(self, link: Any) -> Any:
        index = range(len(self))[link]
        return [self.links[i] for i in index] if isinstance(index, range) else self.links[index]

    def prepare(self, X: Matrix) -> Any:
        return self.encoder.encode(X)

    def probability(self, data: Any) -> Array:
        return self.links.probability(data)


def seeds_for(estimator: Any, seeds: Sequence[int]) -> Array:
    """Return the seed of each model; they are all equal if the estimator has a `random_state`."""
    state = getattr(estimator, "random_state", None)
    if state is None:
        return np.asarray(seeds, dtype=np.int64)
    seed = state if isinstance(state, Integral) else as_generator(state).integers(2**31 - 1)
    return np.full(len(seeds), int(seed), dtype=np.int64)
