"""All models of a learner on one coding of X, by estimators that can fit many at once.

Such an estimator is recognised by its method `fit_many`; any other is fitted once per task. Both
ways take the same tasks and seeds, so that a deterministic estimator gives the same models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from numbers import Integral
from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._random import as_generator
from rarelabels._tasks import Tasks
from rarelabels.learners._models import FitError, Links, Models, NameOf, Trainer
from rarelabels.learners._one_by_one import OneByOne
from rarelabels.learners.fit_params import NO_PARAMS, FitParams


def trainer_for(
    estimator: Any,
    X: Matrix,
    n_jobs: int | None,
    params: FitParams = NO_PARAMS,
    *,
    one_by_one: bool = False,
) -> Trainer:
    """Return what fits an estimator's models to X: all at once if it can, else one by one.

    Parameters of its fit, such as sample weights, are for `fit` alone, and so are chains that see
    unknown labels (`one_by_one`).
    """
    if hasattr(estimator, "fit_many") and not params and not one_by_one:
        return AllAtOnce(estimator, X, n_jobs)
    return OneByOne(estimator, X, n_jobs, params)


class AllAtOnce:
    """Fits many models in one call, on one coding of X."""

    def __init__(self, estimator: Any, X: Matrix, n_jobs: int | None) -> None:
        self.estimator, self.n_jobs = estimator, n_jobs
        self.coding = estimator.code(X)

    def fit(self, blocks: Iterable[Tasks], seeds: Sequence[int], name_of: NameOf) -> Models:
        """Fit a model to each task, a block in one call."""
        own_seeds, forests, done = seeds_for(self.estimator, seeds), [], 0
        for tasks in blocks:
            part = slice(done, done + len(tasks))
            try:
                forests.append(
                    self.estimator.fit_many(
                        self.coding, tasks, seeds=own_seeds[part], n_jobs=self.n_jobs
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
        own_seeds = seeds_for(self.estimator, seeds)
        try:
            links = self.estimator.fit_chain(self.coding, samples, tasks, feed, seeds=own_seeds)
        except Exception as error:
            raise self._failure(range(len(tasks)), name_of, error) from error
        return LinkedTrees(self._encoder, links)

    @property
    def _encoder(self) -> Any:
        """What prepares new samples, if possible without the codes of the training data."""
        return getattr(self.coding, "encoder", self.coding)

    def _failure(self, tasks: range, name_of: NameOf, error: Exception) -> FitError:
        names = " to ".join(dict.fromkeys(name_of(t) for t in (tasks[0], tasks[-1])))
        return FitError(f"{type(self.estimator).__name__} could not be fitted to {names}: {error}")


class Forests(Models):
    """Models that were fitted together, in one forest for each block of tasks."""

    def __init__(self, encoder: Any, forests: list[Any]) -> None:
        self.encoder, self.forests = encoder, forests
        self._ends = list(accumulate(len(forest) for forest in forests))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, t: Any) -> Any:
        place = range(len(self))[t]
        if isinstance(place, range):
            return [self[one] for one in place]
        block = int(np.searchsorted(self._ends, place, side="right"))
        return self.forests[block][place - self._ends[block] + len(self.forests[block])]

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
        found = []
        for forest, models in self._parts():
            own = groups[models]
            # A block holds whole groups.
            n_own = int(own[-1] - own[0]) + 1
            found.append(forest.mean_probability(data, k, own - own[0], n_own, n_jobs=n_jobs))
        return np.hstack(found)

    def decide(self, data: Any, n_jobs: int | None) -> Array:
        return np.hstack([forest.decide(data, n_jobs=n_jobs) for forest in self.forests])

    def decide_in_parts(self, data: Any, n_jobs: int | None) -> Iterator[tuple[slice, Array]]:
        for forest, own in self._parts():
            yield own, forest.decide(data, n_jobs=n_jobs)

    def count_wins(
        self, data: Any, first: Array, second: Array, n_labels: int, n_jobs: int | None
    ) -> Array:
        total: Any = None
        for forest, own in self._parts():
            wins = forest.count_wins(data, first[own], second[own], n_labels, n_jobs=n_jobs)
            total = wins if total is None else np.add(total, wins, out=total)
        return total

    def _parts(self) -> Iterator[tuple[Any, slice]]:
        """Yield each forest and its models."""
        for forest, end in zip(self.forests, self._ends, strict=True):
            yield forest, slice(end - len(forest), end)


class LinkedTrees(Links):
    """A chain that was fitted in one call."""

    def __init__(self, encoder: Any, links: Any) -> None:
        self.encoder, self.links = encoder, links

    def __len__(self) -> int:
        return len(self.links)

    def __getitem__(self, place: Any) -> Any:
        chosen = range(len(self))[place]
        return (
            [self.links[one] for one in chosen] if isinstance(chosen, range) else self.links[chosen]
        )

    def prepare(self, X: Matrix) -> Any:
        return self.encoder.encode(X)

    def probability(self, data: Any) -> Array:
        return self.links.probability(data)


def seeds_for(estimator: Any, seeds: Sequence[int]) -> Array:
    """Return the seed of each model: its own, unless the estimator was given one."""
    chosen = getattr(estimator, "random_state", None)
    if chosen is None:
        return np.asarray(seeds, dtype=np.int64)
    one = chosen if isinstance(chosen, Integral) else as_generator(chosen).integers(2**31 - 1)
    return np.full(len(seeds), int(one), dtype=np.int64)
