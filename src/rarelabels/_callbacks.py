"""Callbacks of scikit-learn, from version 1.9 on: they follow fits that consist of others.

With an older version, estimators have no `set_callbacks`, and nothing here has an effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import Any, TypeVar, cast

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as torn_down
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Replace scikit-learn's class, which this version does not have."""

    def torn_down(method: Any) -> Any:
        """Return a method unchanged."""
        return method


F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "CallbackSupportMixin",
    "fit_begins",
    "fit_ends",
    "fit_task",
    "followed_fit",
    "with_callbacks",
]


def with_callbacks(method: F) -> F:
    """Return a method after which callbacks end, however it ends."""
    return cast("F", torn_down(method))


def fit_begins(estimator: Any, X: Any, y: Any, n_tasks: int | None = 0) -> None:
    """Report to the callbacks of an estimator that its fit begins.

    Parameters
    ----------
    estimator : estimator
        The estimator whose `fit` is decorated with `with_callbacks`.
    X, y : data
        The data that were passed to `fit`.
    n_tasks : int or None
        Fits that its fit consists of; 0 if callbacks do not follow them, None if it is not known.
    """
    if hasattr(estimator, "_init_callback_context"):
        context = estimator._init_callback_context(max_subtasks=n_tasks, sequential_subtasks=False)
        context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)


def fit_ends(estimator: Any, X: Any, y: Any) -> None:
    """Say to the callbacks of an estimator that its fit has ended."""
    context = getattr(estimator, "_callback_fit_ctx", None)
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator, X=X, y=y)


def followed_fit(method: F) -> F:
    """Return a method that fits an estimator to X and y, followed by the estimator's callbacks.

    Estimators whose fit consists of others, which callbacks can follow, say how many these are:
    their `_n_fit_tasks` returns the number, or None if it is not known.
    """

    @with_callbacks
    @wraps(method)
    def fit(estimator: Any, X: Any, y: Any, *args: Any, **params: Any) -> Any:
        n_tasks = estimator._n_fit_tasks() if hasattr(estimator, "_n_fit_tasks") else 0
        fit_begins(estimator, X, y, n_tasks)
        result = method(estimator, X, y, *args, **params)
        fit_ends(estimator, X, y)
        return result

    return cast("F", fit)


@contextmanager
def fit_task(owner: Any, place: int, name: str, estimator: Any = None) -> Iterator[None]:
    """Let the callbacks of `owner` follow one of the fits that its fit consists of.

    Parameters
    ----------
    owner : estimator or None
        Whose fit it belongs to; nothing follows the fit of None.
    place : int
        Tells this fit from the others.
    name : str
        What is fitted.
    estimator : estimator, optional
        The estimator that is fitted. It gets the callbacks if it supports them.
    """
    context = getattr(owner, "_callback_fit_ctx", None)
    if context is None or context.max_subtasks == 0:
        yield
        return
    task = context.subcontext(task_name=name, task_id=place)
    takes_callbacks = hasattr(estimator, "set_callbacks")
    with task.propagate_callback_context(estimator) if takes_callbacks else nullcontext():
        task.call_on_fit_task_begin(estimator=owner)
        yield
        task.call_on_fit_task_end(estimator=owner)
