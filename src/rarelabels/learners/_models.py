"""Single-label models that learners are made of: what each fit asks for and gives back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Protocol, overload

from joblib import effective_n_jobs
from sklearn import config_context
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.parallel import Parallel, delayed

from rarelabels._containers import Array, Matrix
from rarelabels._tasks import Tasks
from rarelabels.learners._frames import is_frame

NameOf = Callable[[int], str]


class FitError(ValueError):
    """A base estimator could not be fitted; the message says to which label."""


class Models(Sequence[Any]):
    """The fitted models of a batch of tasks, as a sequence of single-label classifiers."""

    @abstractmethod
    def prepare(self, X: Matrix) -> Any:
        """Return new samples in the form that the other methods take, as `data`."""

    @abstractmethod
    def probability(self, data: Any, k: int, n_jobs: int | None) -> Array:
        """Return each model's probability of class `k`, of shape (n_samples, n_models)."""

    @abstractmethod
    def class_probabilities(self, data: Any, n_classes: int) -> Array:
        """Return the first model's probabilities, of shape (n_samples, n_classes)."""

    @abstractmethod
    def mean_probability(
        self, data: Any, k: int, groups: Array, n_groups: int, n_jobs: int | None
    ) -> Array:
        """Return the mean probability of class `k` over the models of each group.

        The groups of the models are numbers in ascending order.
        """

    @abstractmethod
    def decide(self, data: Any, n_jobs: int | None) -> Array:
        """Return each model's class, of shape (n_samples, n_models).

        Of two classes a tie is a yes, class 1.
        """

    def decide_in_parts(self, data: Any, n_jobs: int | None) -> Iterator[tuple[slice, Array]]:
        """Yield some models at a time and their classes, as `decide` has them."""
        yield slice(0, len(self)), self.decide(data, n_jobs)

    @abstractmethod
    def count_wins(
        self, data: Any, first: Array, second: Array, n_labels: int, n_jobs: int | None
    ) -> Array:
        """Return how many of the contests each label wins, of shape (n_samples, n_labels).

        Model t is a contest of the labels ``first[t]`` (class 1) and ``second[t]`` (class 0).
        """


class Links(Sequence[Any]):
    """The fitted models of a chain, each fed the decisions of those before it."""

    @abstractmethod
    def prepare(self, X: Matrix) -> Any:
        """Return new samples in the form that every chain on the same training data takes."""

    @abstractmethod
    def probability(self, data: Any) -> Array:
        """Return each link's probability of class 1, of shape (n_samples, n_links)."""


class Trainer(Protocol):
    """Fits models to one training X."""

    def fit(self, blocks: Iterable[Tasks], seeds: Sequence[int], name_of: NameOf) -> Models:
        """Fit a model to each task.

        Parameters
        ----------
        blocks : iterable of Tasks
            The tasks, in blocks that fit the memory one at a time.
        seeds : sequence of ints
            One for each task, over all blocks.
        name_of : callable
            Returns what a task is for, to be named where its model cannot be fitted.
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
        """Fit a chain whose links see the features and one more for each link before.

        Parameters
        ----------
        samples : (m,) ndarray of ints
            The sample at each position of the chain, a bootstrap.
        tasks : Tasks
            The links in order; their samples are positions.
        feed : (m, n_links) ndarray or None
            What later links see of each link: these labels, or what it predicts (None). A label
            of -1 is unknown; there, later links see what the link predicts.
        seeds, name_of
            As in `fit`.
        """
        ...


class PickedModels(Sequence[Any]):
    """Models at their places among those that have none, which are None."""

    def __init__(self, models: Models, places: Array, size: int) -> None:
        self.models, self.size = models, size
        self._number = dict(zip(places.tolist(), range(len(models)), strict=True))

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        chosen = range(self.size)[place]
        if isinstance(chosen, range):
            return [self[one] for one in chosen]
        return self.models[self._number[chosen]] if chosen in self._number else None


def base_estimator(estimator: Any) -> Any:
    """Return the classifier to use: the one given, or the default tree."""
    if estimator is not None:
        return estimator
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)


def check_estimator(estimator: Any) -> Any:
    """Return the classifier to use, its parameters checked once for all members."""
    chosen = base_estimator(estimator)
    if not (hasattr(chosen, "fit") and hasattr(chosen, "get_params")):
        raise TypeError(f"estimator must be a scikit-learn classifier, got {chosen!r}.")
    for part in (chosen, *chosen.get_params().values()):
        # Private to scikit-learn, but the only way to ask; others need not have it.
        if hasattr(part, "_parameter_constraints") and not isinstance(part, type):
            part._validate_params()
    return chosen


def checking(estimator: Any, X: Any) -> Any:
    """Return the context of a call that gets X, where its values may have to be checked.

    A dataframe was not, and what a pipeline makes of X was not either.
    """
    is_unchecked = is_frame(X) or isinstance(estimator, Pipeline)
    return config_context(assume_finite=False) if is_unchecked else nullcontext()


def in_parallel(
    function: Callable[..., Any], calls: Iterable[Any], n_jobs: int | None
) -> list[Any]:
    """Return the function's results for each tuple of arguments, in order, computed in threads.

    scikit-learn does not check again what was checked before: that the data is finite (but see
    `checking`), and the estimator's parameters.
    """
    with config_context(assume_finite=True, skip_parameter_validation=True):
        if effective_n_jobs(n_jobs) == 1:
            return [function(*arguments) for arguments in calls]
        delayed_calls = (delayed(function)(*arguments) for arguments in calls)
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed_calls))
