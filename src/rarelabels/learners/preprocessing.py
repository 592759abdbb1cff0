"""Split a pipeline into its transformers and the classifier that uses their output."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from rarelabels._containers import contain
from rarelabels._random import seeded
from rarelabels._texts import TextContainer, is_texts


def split_preprocessing(estimator: Any) -> tuple[Pipeline | None, Any]:
    """Split an estimator into the transformers of its pipeline and the rest.

    Transformers that learn from labels, such as feature selection, and the steps after them belong
    to the rest.

    Parameters
    ----------
    estimator : estimator
        A pipeline, or a learner with a pipeline inside.

    Returns
    -------
    preprocessing : Pipeline or None
        The transformers, not fitted, or None without transformers.
    rest : estimator
        The pipeline without these steps, or its last step. For a learner, the learner with this
        estimator inside.
    """
    if isinstance(estimator, Pipeline):
        return _split_pipeline(estimator)
    inner = getattr(estimator, "estimator", None)
    if not isinstance(inner, Pipeline):
        return None, estimator
    preprocessing, rest = _split_pipeline(inner)
    if preprocessing is None:
        return None, estimator
    return preprocessing, clone(estimator).set_params(estimator=clone(rest))


def _split_pipeline(pipeline: Pipeline) -> tuple[Pipeline | None, Any]:
    steps, n_free = pipeline.steps, 0
    while n_free < len(steps) - 1 and not _learns_from_labels(steps[n_free][1]):
        n_free += 1
    if not n_free:
        return None, pipeline
    rest = steps[-1][1] if n_free == len(steps) - 1 else Pipeline(steps[n_free:])
    return Pipeline(steps[:n_free]), rest


def _learns_from_labels(step: Any) -> bool:
    from sklearn.feature_selection import SelectorMixin, VarianceThreshold

    if step is None or isinstance(step, str):
        return False
    if isinstance(step, SelectorMixin):
        return not isinstance(step, VarianceThreshold)
    return hasattr(step, "fit_resample") or bool(get_tags(step).target_tags.required)


def require_preprocessing(estimator: Any) -> tuple[Pipeline, Any]:
    """Split an estimator that gets texts; raise an error if it has no transformers."""
    preprocessing, rest = split_preprocessing(estimator)
    if preprocessing is None:
        raise ValueError(
            f"X contains texts, but {type(rest).__name__} requires numbers. Add a vectorizer "
            "before the classifier, for example make_pipeline(TfidfVectorizer(), "
            "LogisticRegression())."
        )
    return preprocessing, rest


def sample_container(X: Any) -> Any:
    """Return a container of X that can select samples; X may contain texts."""
    return TextContainer(X) if is_texts(X) else contain(X)


def fitted_preprocessing(preprocessing: Any, X: Any, seed: int) -> tuple[Any, Any]:
    """Return the transformers fitted to X, and the transformed X."""
    fitted = seeded(preprocessing, seed)
    return fitted, fitted.fit_transform(X)
