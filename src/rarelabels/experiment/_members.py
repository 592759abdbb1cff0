"""The models of a job: one, or the members of an ensemble, timed phase by phase.

They are those of `ResampledClassifier` and `SamplingEnsemble` with the same seed, number by number;
they are fitted here so that sampling and training can be timed apart, and the model that a sampler
and its ensemble have in common is fitted once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from rarelabels._containers import Array
from rarelabels._random import as_generator, seeded
from rarelabels.ensemble._member import draw_member_seeds
from rarelabels.experiment._fold import Fold, shared_search
from rarelabels.experiment._frozen import canonical_json
from rarelabels.experiment._job import Job
from rarelabels.experiment._memo import Memo
from rarelabels.learners import MultiLabelClassifier
from rarelabels.learners.scores import fit_multilabel, label_scores, label_votes

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Member:
    """A fitted model, what it says of the test rows, and what it took."""

    estimator: Any
    scores: Array
    sampling_seconds: float
    training_seconds: float
    prediction_seconds: float


def members_of(job: Job, fold: Fold, memo: Memo, wanted: int = 0) -> list[Member]:
    """Fit the members of a job; a single model is a list of one.

    Parameters
    ----------
    job : Job
        What to fit.
    fold : Fold
        The job's data.
    memo : Memo
        Where the last jobs left what they had in common.
    wanted : int
        Neighbours that jobs to come may need.
    """
    settings = job.method.settings()
    seeds = draw_member_seeds(as_generator(job.model_seed), len(settings))
    members = [first_member(job, fold, memo, seeds[0], settings[0], wanted)]
    for own_seeds, own_settings in zip(seeds[1:], settings[1:], strict=True):
        members.append(fit_member(job, fold, memo, own_seeds, own_settings, wanted))
    return members


def first_member(
    job: Job, fold: Fold, memo: Memo, seeds: tuple[int, int], settings: dict[str, Any], wanted: int
) -> Member:
    """Fit the first member, or take the one that a job with the same sampler has fitted."""
    sampling = {**dict(job.method.params), **settings}
    name = canonical_json(["member", job.method.identity()["sampler"], sampling])
    depends_on = canonical_json([fold.identity, job.learner.identity(), seeds])
    return memo.get(name, depends_on, lambda: fit_member(job, fold, memo, seeds, settings, wanted))


def fit_member(
    job: Job, fold: Fold, memo: Memo, seeds: tuple[int, int], settings: dict[str, Any], wanted: int
) -> Member:
    """Sample, train and predict with the seeds of sampler and learner."""
    X, Y, sampling_seconds = sampled(job, fold, memo, seeds[0], settings, wanted)
    learner = seeded(with_categories(job.learner.build(), fold), seeds[1])
    estimator, training_seconds = timed(lambda: fit_multilabel(learner, X, Y))
    scores, prediction_seconds = timed(
        lambda: label_scores(estimator, fold.X_test, len(fold.label_names))
    )
    return Member(estimator, scores, sampling_seconds, training_seconds, prediction_seconds)


def sampled(
    job: Job, fold: Fold, memo: Memo, seed: int, settings: dict[str, Any], wanted: int
) -> tuple[Any, Any, float]:
    """Resample the training rows; give them, and the seconds with those of the search."""
    if job.method.sampler is None:
        return fold.X_train, fold.Y_train, 0.0
    sampler = seeded(with_categories(job.method.build(), fold), seed, override=True)
    sampler.set_params(**settings)
    needed = getattr(sampler, "n_neighbors", 0)
    found = shared_search(sampler, needed, wanted, fold, memo)
    if found is not None:
        sampler.set_params(neighbors=found.neighbors)
    (X, Y), seconds = timed(lambda: sampler.fit_resample(fold.X_train, fold.Y_train))
    return X, Y, seconds + (found.seconds if found is not None else 0.0)


def votes_of(member: Member, fold: Fold) -> Array:
    """Give a member's decisions on the test rows."""
    decides = getattr(type(member.estimator), "_decisions", None)
    # Whoever decides by one half has said so with the scores: no need to predict twice.
    if decides is MultiLabelClassifier._decisions:
        return (member.scores > 0.5).astype(float)
    return label_votes(member.estimator, fold.X_test, len(fold.label_names))


def with_categories(thing: Any, fold: Fold) -> Any:
    """Tell samplers and learners that ask for it which features are categories."""
    if not fold.categorical_features:
        return thing
    params = thing.get_params()
    asked = [name for name in params if name.split("__")[-1] == "categorical_features"]
    unset = {name: fold.categorical_features for name in asked if params[name] is None}
    return thing.set_params(**unset)


def timed(call: Callable[[], T]) -> tuple[T, float]:
    """Give a call's result and the seconds it took."""
    started = time.perf_counter()
    result = call()
    return result, time.perf_counter() - started
