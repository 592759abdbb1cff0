"""The single-label models that learners are made of: checked, seeded and fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.parallel import Parallel, delayed

from rarelabels._containers import Array, Matrix
from rarelabels._random import seeded
from rarelabels.learners._trees import fit_options


class FitError(ValueError):
    """A base estimator could not be fitted; the message says to which label."""


class ConstantModel(ClassifierMixin, BaseEstimator):
    """The model of a target with one class: that class, whatever the row."""

    def __init__(self, value: int = 0) -> None:
        self.value = value
        self.classes_ = np.array([value])

    def predict(self, X: Matrix) -> Array:
        """Give the class for each row."""
        return np.full(X.shape[0], self.value)

    def predict_proba(self, X: Matrix) -> Array:
        """Give probability 1 of the only class."""
        return np.ones((X.shape[0], 1))


def base_estimator(estimator: Any) -> Any:
    """Give the classifier to use: the one given, or the default tree."""
    if estimator is not None:
        return estimator
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)


def check_estimator(estimator: Any) -> Any:
    """Give the classifier to use, its parameters checked once for all members."""
    chosen = base_estimator(estimator)
    if not (hasattr(chosen, "fit") and hasattr(chosen, "get_params")):
        raise TypeError(f"estimator must be a scikit-learn classifier, got {chosen!r}.")
    for part in (chosen, *chosen.get_params().values()):
        # Private to scikit-learn, but the only way to ask; others need not have it.
        if hasattr(part, "_parameter_constraints") and not isinstance(part, type):
            part._validate_params()
    return chosen


def fit_model(estimator: Any, X: Matrix, target: Array, seed: int, what: str) -> Any:
    """Fit a seeded clone, or a constant where the target has one class.

    Parameters
    ----------
    estimator : classifier
        Left as it is.
    X : (n, d) ndarray or sparse matrix
        As `ready_to_fit` gives it.
    target : (n,) ndarray of ints
        The classes.
    seed : int
        The member's own.
    what : str
        What the model is for, to be named where it fails.
    """
    if target.min() == target.max():
        return ConstantModel(int(target[0]))
    try:
        return seeded(estimator, seed).fit(X, target, **fit_options(estimator, X))
    except Exception as error:
        name = type(estimator).__name__
        raise FitError(f"{name} could not be fitted to {what}: {error}") from error


def in_parallel(
    function: Callable[..., Any], tasks: Iterable[Any], n_jobs: int | None
) -> list[Any]:
    """Call the function with the arguments of each task, in threads, and give the results in order.

    scikit-learn is told not to check again what was checked when it came in: that the data is
    finite, and the estimator's parameters.
    """
    with config_context(assume_finite=True, skip_parameter_validation=True):
        calls = (delayed(function)(*task) for task in tasks)
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(calls))


def in_chunks(items: list[Any], n_jobs: int | None, chunks_per_job: int = 8) -> list[list[Any]]:
    """Split a list into a few even parts for each of the jobs."""
    n_chunks = min(len(items), chunks_per_job * effective_n_jobs(n_jobs))
    ends = np.linspace(0, len(items), n_chunks + 1).astype(int)
    return [items[start:end] for start, end in pairwise(ends)]
