"""Trainers of single-label models: the interface, and the fitted models that it returns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, overload

from rarelabels._containers import Array, Matrix
from rarelabels._registry import part_of_models
from rarelabels._tasks import Tasks

NameOf = Callable[[int], str]


class FitError(ValueError):
    """Raised if a base estimator cannot be fitted; the message names the label."""


class Models(Sequence[Any]):
    """The fitted models of a batch of tasks, as a sequence of single-label classifiers."""

    @abstractmethod
    def prepare(self, X: Matrix) -> Any:
        """Return new samples in the form that the other methods accept as `data`."""

    @abstractmethod
    def probability(self, data: Any, k: int, n_jobs: int | None) -> Array:
        """Return the probability of class `k` from each model, of shape (n_samples, n_models)."""

    @abstractmethod
    def class_probabilities(self, data: Any, n_classes: int) -> Array:
        """Return the probabilities of the first model, of shape (n_samples, n_classes)."""

    @abstractmethod
    def mean_probability(
        self, data: Any, k: int, groups: Array, n_groups: int, n_jobs: int | None
    ) -> Array:
        """Return the mean probability of class `k` over the models of each group.

        The group numbers of the models are in ascending order.
        """

    @abstractmethod
    def decide(self, data: Any, n_jobs: int | None) -> Array:
        """Return the class that each model predicts, of shape (n_samples, n_models).

        A tie between two classes predicts class 1.
        """

    def decide_in_parts(self, data: Any, n_jobs: int | None) -> Iterator[tuple[slice, Array]]:
        """Yield slices of the models and the classes that `decide` returns for them."""
        yield slice(0, len(self)), self.decide(data, n_jobs)

    @abstractmethod
    def count_wins(
        self, data: Any, first: Array, second: Array, n_labels: int, n_jobs: int | None
    ) -> Array:
        """Return the number of contests that each label wins, of shape (n_samples, n_labels).

        Model t compares the labels ``first[t]`` (class 1) and ``second[t]`` (class 0).
        """


class Links(Sequence[Any]):
    """The fitted models of a chain, each of which uses the decisions of the earlier ones."""

    @abstractmethod
    def prepare(self, X: Matrix) -> Any:
        """Return new samples in the form that all chains on the same training data accept."""

    @abstractmethod
    def probability(self, data: Any) -> Array:
        """Return the probability of class 1 from each link, of shape (n_samples, n_links)."""


class Trainer(Protocol):
    """Fits single-label models to the same features."""

    def fit(self, blocks: Iterable[Tasks], seeds: Sequence[int], name_of: NameOf) -> Models:
        """Fit a model to each task.

        Parameters
        ----------
        blocks : iterable of Tasks
            The tasks, in blocks of which only one is in memory at a time.
        seeds : sequence of ints
            One seed for each task of all blocks.
        name_of : callable
            Returns the name of a task, for the error message if its model cannot be fitted.
        """
        ...

    def fit_chain(
        self,
        samples: Array,
        tasks: Tasks,
        feed: Array | None,
        seeds: Sequence[int],
        name_of: NameOf,
    ) -> Links:
        """Fit a chain whose links use the features and one more column for each earlier link.

        Parameters
        ----------
        samples : (m,) ndarray of ints
            The bootstrap sample: the sample at each position of the chain.
        tasks : Tasks
            The links in order. Their samples are positions in `samples`.
        feed : (m, n_links) ndarray or None
            The labels that later links use as features. If None, they use the predictions of each
            link. A label of -1 is unknown, and the prediction is used instead.
        seeds, name_of
            As in `fit`.
        """
        ...


@part_of_models
class PickedModels(Sequence[Any]):
    """A sequence with models at some positions and None at the others."""

    def __init__(self, models: Models, positions: Array, size: int) -> None:
        self.models, self.size = models, size
        self._number = dict(zip(positions.tolist(), range(len(models)), strict=True))

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, position: int) -> Any: ...
    @overload
    def __getitem__(self, position: slice) -> list[Any]: ...
    def __getitem__(self, position: int | slice) -> Any:
        index = range(self.size)[position]
        if isinstance(index, range):
            return [self[i] for i in index]
        return self.models[self._number[index]] if index in self._number else None
