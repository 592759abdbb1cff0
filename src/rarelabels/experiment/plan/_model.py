"""The model of a learner and a method: the one that a job fits, and that a user gets."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from rarelabels._params import set_where_known
from rarelabels._random import seeded
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.experiment.plan._specs import LearnerSpec, MethodSpec
from rarelabels.learners import ThresholdedClassifier


def model_of(
    learner: LearnerSpec,
    method: MethodSpec,
    categorical_features: tuple[int, ...] = (),
    trusted: Any = (),
    *,
    seed: int | None = None,
) -> Any:
    """Return the classifier of a method, not fitted.

    Fitted with the seed of a job it predicts what the job predicted.

    Parameters
    ----------
    learner, method : LearnerSpec, MethodSpec
        What is combined.
    categorical_features : tuple of int
        The categorical features, for the parts that have such a parameter and no value for it; also
        for what is inside a part, such as a tree in a learner or a sampler in a chain.
    seed : int or None
        Its `random_state`.
    trusted : collection of str
        Packages of which base classifiers may be.
    """
    used = learner if method.learner is None else LearnerSpec(method.learner, method.learner)
    estimator = used.build(trusted, method.learner_params)
    sampler = method.build()
    if categorical_features:
        for part in (estimator, sampler) if sampler is not None else (estimator,):
            set_where_known(part, only_unset=True, categorical_features=categorical_features)
    tunes_out_of_fold = method.threshold_cv is not None
    shared: dict[str, Any] = {
        "threshold": None if tunes_out_of_fold else method.threshold,
        "random_state": seed,
    }
    model: Any = ResampledClassifier(estimator, sampler, **shared)
    if method.is_ensemble:
        vary = {name: list(values) for name, values in method.vary} or None
        n_members = method.n_estimators or 1
        model = SamplingEnsemble(estimator, sampler, n_estimators=n_members, vary=vary, **shared)
    if tunes_out_of_fold:
        fewer = method.threshold_members if method.is_ensemble else None
        model = ThresholdedClassifier(
            model,
            rule=method.threshold,
            cv=method.threshold_cv,
            fold_params=None if fewer is None else {"n_estimators": fewer},
            random_state=seed,
        )
    preprocessing = preprocessing_of(learner, seed)
    return (
        model
        if preprocessing is None
        else Pipeline([*preprocessing.steps, ("multilabel_model", model)])
    )


def preprocessing_of(learner: LearnerSpec, seed: int | None) -> Any:
    """Return the transformers before a learner, not fitted; None if there are none."""
    preprocessing = getattr(learner, "in_memory_preprocessing", None)
    return None if preprocessing is None else seeded(preprocessing, seed or 0)
