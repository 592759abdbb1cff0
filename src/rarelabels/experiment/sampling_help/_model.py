"""The model of a method, as the comparison fitted it on each fold."""

from __future__ import annotations

from typing import Any

from rarelabels._params import set_where_known
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.experiment.plan import LearnerSpec, MethodSpec


def model_of(
    learner: LearnerSpec,
    method: MethodSpec,
    *,
    categorical_features: tuple[int, ...] = (),
    seed: int | None = None,
    trusted: Any = (),
) -> Any:
    """Return the classifier of a method, not fitted.

    Fitted with the seed of a job it predicts what the job predicted.

    Parameters
    ----------
    learner, method : LearnerSpec, MethodSpec
        What is combined.
    categorical_features : tuple of int
        The categorical features, for parts that ask for them and were told nothing else.
    seed : int or None
        Its `random_state`.
    trusted : collection of str
        Packages of which base classifiers may be.
    """
    estimator = learner.build(trusted).set_params(**dict(method.learner_params))
    sampler = method.build()
    if categorical_features:
        for part in (estimator, sampler) if sampler is not None else (estimator,):
            set_where_known(part, only_unset=True, categorical_features=categorical_features)
    if not method.is_ensemble:
        return ResampledClassifier(
            estimator, sampler, threshold=method.threshold, random_state=seed
        )
    return SamplingEnsemble(
        estimator,
        sampler,
        n_estimators=method.n_estimators or 1,
        vary={name: list(values) for name, values in method.vary} or None,
        threshold=method.threshold,
        random_state=seed,
    )
