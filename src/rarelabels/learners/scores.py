"""The one door for what a fitted classifier says, whatever shape it says it in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import delayed

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._validation import check_labels
from rarelabels.learners._base_estimator import checking
from rarelabels.learners._tree_shortcuts import predict_options
from rarelabels.learners.base import MultiLabelClassifier
from rarelabels.learners.known_labels import allowing_unknown, outer_model_warns


def class_probabilities(model: Any, X: Matrix) -> Array:
    """Return a single-label model's probabilities, one column for each of its ``classes_``.

    A model without `predict_proba` is asked for its `decision_function`, squashed by the logistic
    function (two classes) or softmax, so that its order and its decisions stay; one without either
    for its votes.
    """
    with checking(model, X):
        return _class_probabilities(model, X)


def _class_probabilities(model: Any, X: Matrix) -> Array:
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X, **predict_options(model, X)))
    if hasattr(model, "decision_function"):
        decision = np.asarray(model.decision_function(X))
        if decision.ndim == 2:
            return softmax(decision, axis=1)
        return np.column_stack([expit(-decision), expit(decision)])
    return (np.reshape(model.predict(X), (-1, 1)) == classes_of_model(model)).astype(float)


def classes_of_model(model: Any) -> Array:
    """Return a single-label model's classes; 0 and 1 if it does not say which it saw.

    Learners fit no model to a single class, so a model of two classes has seen both.
    """
    return np.asarray(getattr(model, "classes_", (0, 1)))


def class_probability(model: Any, X: Matrix, wanted: int = 1) -> Array:
    """Return the probability of one class, 0 where the model never saw it."""
    column = np.flatnonzero(classes_of_model(model) == wanted)
    if not column.size:
        return np.zeros(X.shape[0])
    return class_probabilities(model, X)[:, column[0]]


def predicted_classes(model: Any, X: Matrix) -> Array:
    """Return a single-label model's decisions."""
    with checking(model, X):
        return np.asarray(model.predict(X, **predict_options(model, X)))


def inner_model(model: Any, labels: Labels) -> Any:
    """Return a model that a wrapper fits, which may have to learn from unknown labels."""
    return allowing_unknown(model) if labels.has_gaps and hasattr(model, "get_params") else model


def fit_multilabel(estimator: Any, X: Any, y: Any, **params: Any) -> Any:
    """Fit a multi-label classifier: this package's takes any y, others get a dense 0/1 array.

    Warnings about labels that no sample knows are left to the caller.
    """
    if isinstance(estimator, MultiLabelClassifier):
        with outer_model_warns():
            return estimator.fit(X, y, **params)
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        raise TypeError(
            "estimator must be a multi-label classifier, like rarelabels.learners.BinaryRelevance, "
            f"got {estimator!r}."
        )
    values = check_labels(y, allow_missing_labels=True).values
    takes_table = isinstance(estimator, Pipeline) and isinstance(
        estimator[-1], MultiLabelClassifier
    )
    if values.unknown is not None and takes_table:
        with outer_model_warns():
            return estimator.fit(X, values.with_nan().toarray(), **params)
    require_plain_targets(estimator, values, params)
    targets = values.positives.toarray().astype(np.int64)
    is_column = targets.shape[1] == 1 and not takes_table
    with explained_for_single_label(estimator, targets.shape[1]):
        return estimator.fit(X, targets[:, 0] if is_column else targets, **params)


def learns_several_labels(tags: Any) -> bool:
    """Return whether the tags of an estimator say that it takes an indicator matrix as y."""
    of_classifier = tags.classifier_tags
    return bool(tags.target_tags.multi_output or (of_classifier and of_classifier.multi_label))


@contextmanager
def explained_for_single_label(estimator: Any, n_labels: int) -> Iterator[None]:
    """Say how a classifier of a single label is used, if it could not be fitted to several."""
    try:
        yield
    except ValueError as error:
        tags = estimator.__sklearn_tags__() if hasattr(estimator, "__sklearn_tags__") else None
        if n_labels == 1 or tags is None or learns_several_labels(tags):
            raise
        name = type(estimator).__name__
        raise ValueError(
            f"{name} could not be fitted to {n_labels} labels at once ({error}). If it learns a "
            f"single label, use BinaryRelevance({name}(...))."
        ) from error


def require_plain_targets(estimator: Any, values: LabelMatrix, params: dict[str, Any]) -> None:
    """Refuse unknown labels, and weights of labels, for a classifier of another package."""
    name = type(estimator).__name__
    if values.unknown is not None:
        raise ValueError(
            f"y has {values.unknown.nnz} unknown labels, from which {name} cannot learn; use "
            f"BinaryRelevance({name}(), allow_missing_labels=True), or another learner of "
            "rarelabels."
        )
    if np.ndim(params.get("sample_weight", 0)) == 2 and not isinstance(estimator, Pipeline):
        raise ValueError(
            f"sample_weight has a weight for each sample and label, but {name} takes one for each "
            f"sample; use BinaryRelevance({name}()), which passes them on label by label."
        )


def label_scores(model: Any, X: Any, n_labels: int) -> Array:
    """Return a multi-label model's scores of shape (n_samples, n_labels).

    Taken from `predict_proba`, an array or a list with an array for each label; else from
    `decision_function`, squashed by the logistic function; else from its votes.
    """
    if isinstance(model, MultiLabelClassifier):
        return _as_table(model.predict_proba(X), n_labels)
    if hasattr(model, "predict_proba"):
        return _positive_columns(model.predict_proba(X), getattr(model, "classes_", None), n_labels)
    if hasattr(model, "decision_function"):
        return expit(_as_table(model.decision_function(X), n_labels))
    return label_votes(model, X, n_labels)


def scores_of_clones(models: list[Any], X: Any, n_labels: int, run: Any) -> list[Array]:
    """Return the scores of models that were fitted as clones of one, each as `label_scores` does.

    They check X alike, so the first one checks it for all. `run` is a `joblib.Parallel`.
    """
    first = models[0]
    # Models that were fitted to texts have a vocabulary each.
    is_shared = (
        isinstance(first, MultiLabelClassifier)
        and type(first).predict_proba is MultiLabelClassifier.predict_proba
        and not hasattr(first, "preprocessing_")
    )
    if not is_shared:
        return list(run(delayed(label_scores)(model, X, n_labels) for model in models))
    features = first._read(X, reset=False)
    scores = run(delayed(model._scores)(features) for model in models)
    return [_as_table(table, n_labels) for table in scores]


def scores_and_decisions(model: Any, X: Any, n_labels: int) -> tuple[Array, Array]:
    """Return a multi-label model's scores (floats) and decisions (bools), if it can from one pass.

    Models of other packages predict twice, unless their scores are their votes.
    """
    if isinstance(model, MultiLabelClassifier):
        return model.scores_and_decisions(X)
    votes = label_votes(model, X, n_labels)
    if not (hasattr(model, "predict_proba") or hasattr(model, "decision_function")):
        return votes, votes == 1
    return label_scores(model, X, n_labels), votes == 1


def label_votes(model: Any, X: Any, n_labels: int) -> Array:
    """Return a multi-label model's predictions as floats of shape (n_samples, n_labels)."""
    return _as_table(model.predict(X), n_labels)


def _positive_columns(output: Any, classes: Any, n_labels: int) -> Array:
    if isinstance(output, list):
        per_label = [_positive_column(output[j], _classes_of(classes, j)) for j in range(n_labels)]
        return np.column_stack(per_label)
    if n_labels == 1 and output.shape[1] == np.size(classes) and not isinstance(classes, list):
        return _positive_column(output, classes)[:, None]
    return _as_table(output, n_labels)


def _positive_column(output: Any, classes: Any) -> Array:
    """Pick the column of class 1; where a class is missing, `classes` says which one."""
    output = np.asarray(output, dtype=float)
    if classes is None:
        return output[:, -1]
    column = np.flatnonzero(np.asarray(classes) == 1)
    return output[:, column[0]] if column.size else np.zeros(output.shape[0])


def _classes_of(classes: Any, j: int) -> Any:
    """Return the classes of label `j`, None where the model does not have them by label."""
    return classes[j] if isinstance(classes, list) else None


def _as_table(output: Any, n_labels: int) -> Array:
    table = output.toarray() if sparse.issparse(output) else np.asarray(output)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] != n_labels:
        raise ValueError(
            f"the estimator answers with shape {table.shape} where one column for each of the "
            f"{n_labels} labels was expected; it must be a multi-label classifier."
        )
    return table.astype(float)
