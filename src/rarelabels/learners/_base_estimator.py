"""The single-label classifier inside a learner: its default, its checks, and calls in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

from joblib import effective_n_jobs
from sklearn import config_context
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.parallel import Parallel, delayed

from rarelabels.learners._dataframes import is_frame


def base_estimator(estimator: Any) -> Any:
    """Return the given classifier, or by default a decision tree."""
    if estimator is not None:
        return estimator
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)


def check_estimator(estimator: Any) -> Any:
    """Return the given or default classifier; its parameters are checked once for all models."""
    classifier = base_estimator(estimator)
    if not (hasattr(classifier, "fit") and hasattr(classifier, "get_params")):
        raise TypeError(f"estimator must be a scikit-learn classifier, got {classifier!r}.")
    for part in (classifier, *classifier.get_params().values()):
        # This is private to scikit-learn, which has no public function to check parameters.
        if hasattr(part, "_parameter_constraints") and not isinstance(part, type):
            part._validate_params()
    return classifier


def checking(estimator: Any, X: Any) -> Any:
    """Return the context of a call with X, in which scikit-learn checks its values if necessary.

    Dataframes and the output of a pipeline's transformers have not been checked before.
    """
    is_unchecked = is_frame(X) or isinstance(estimator, Pipeline)
    return config_context(assume_finite=False) if is_unchecked else nullcontext()


def in_parallel(
    function: Callable[..., Any], calls: Iterable[Any], n_jobs: int | None
) -> list[Any]:
    """Call a function with each tuple of arguments in threads, and return the results in order.

    scikit-learn does not check again that the data is finite (but see `checking`) and that the
    estimator's parameters are valid.
    """
    with config_context(assume_finite=True, skip_parameter_validation=True):
        if effective_n_jobs(n_jobs) == 1:
            return [function(*arguments) for arguments in calls]
        delayed_calls = (delayed(function)(*arguments) for arguments in calls)
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed_calls))
