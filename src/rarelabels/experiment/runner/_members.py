"""The members of a job on its fold, each fitted once and each predicting once.

They are fitted by :mod:`rarelabels.ensemble.members`, as those of `ResampledClassifier` and
`SamplingEnsemble` are. What several methods have in common (a sampler's model is the first member
of its ensembles, and E_p's middle member is one of E's) is kept by the member's key.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import joblib

from rarelabels._containers import Array
from rarelabels._neighbors import Neighbors, find_neighbors
from rarelabels._params import set_where_known
from rarelabels._random import as_generator
from rarelabels.ensemble.members import Member, search_arguments, timed, unfitted_members
from rarelabels.experiment.plan import Job, canonical_json
from rarelabels.experiment.runner._fold import Fold
from rarelabels.experiment.runner._memo import Memo, Recent
from rarelabels.learners.scores import label_scores, scores_and_decisions

# A member's predictions take some 15 MB on the largest data set of the paper.
MOST_KEPT = 32


@dataclass(eq=False)
class FoldMember:
    """A member's predictions on a fold, and the seconds that each step took.

    The fitted model is dropped when nothing is left to predict.
    """

    model: Any
    scores: Array
    decisions: Array
    sampling_seconds: float
    training_seconds: float
    prediction_seconds: float
    on_training: tuple[Array, float] | None = None

    def training_scores(self, fold: Fold) -> tuple[Array, float]:
        """Return the scores of the training samples, and the seconds it takes to predict them."""
        if self.on_training is None:
            n_labels = len(fold.label_names)
            self.on_training = timed(lambda: label_scores(self.model, fold.X_train, n_labels))
            self.model = None
        return self.on_training


@dataclass(frozen=True, eq=False)
class JobMembers:
    """The members of a job, and the seconds of the neighbor search that they share."""

    members: list[FoldMember]
    search_seconds: float


def members_of(
    job: Job, fold: Fold, memo: Memo, wanted: int = 0, trusted: Collection[str] = ()
) -> JobMembers:
    """Fit the members of a job on its fold; a single model is a list of one.

    Parameters
    ----------
    job : Job
        What to fit.
    fold : Fold
        The job's data.
    memo : Memo
        What the jobs before may have in common with this one.
    wanted : int
        The most neighbors that the jobs to come may need.
    trusted : collection of str
        Packages of which base classifiers may be, beyond scikit-learn and this one.
    """
    sampler, settings = with_categories(job.method.build(), fold), job.method.settings()
    learner = job.learner.build(trusted).set_params(**dict(job.method.learner_params))
    estimator = with_categories(learner, fold)
    found, seconds = shared_neighbors(sampler, settings, wanted, fold, memo)
    # Members of all methods of a learner; their keys tell those with other parameters apart.
    of_learner = canonical_json([fold.identity, job.learner.identity()])
    kept: Recent = memo.get("members", of_learner, lambda: Recent(MOST_KEPT))
    members = [
        kept.get(member.key, lambda member=member: fitted(member, fold, found))  # type: ignore[misc]
        for member in unfitted_members(estimator, sampler, settings, as_generator(job.model_seed))
    ]
    return JobMembers(members, seconds)


def fitted(unfitted: Any, fold: Fold, neighbors: Neighbors | None) -> FoldMember:
    """Fit a member and predict the test samples, scores and decisions in one pass."""
    member: Member = unfitted.fit(fold.X_train, fold.Y_train, neighbors)
    n_labels = len(fold.label_names)
    (scores, decisions), seconds = timed(
        lambda: scores_and_decisions(member.estimator, fold.X_test, n_labels)
    )
    return FoldMember(
        member.estimator, scores, decisions,
        member.sampling_seconds, member.training_seconds, seconds,
    )  # fmt: skip


def shared_neighbors(
    sampler: Any, settings: Any, wanted: int, fold: Fold, memo: Memo
) -> tuple[Neighbors | None, float]:
    """Return the neighbors of the training samples, searched once for all that can share them.

    With them the seconds of the search; None and 0 where the sampler searches by itself, if at all.
    """
    search = search_arguments(sampler, settings)
    if search is None:
        return None, 0.0
    search["n_neighbors"] = max(search["n_neighbors"], min(wanted, fold.X_train.shape[0] - 1))
    depends_on = (fold.identity, joblib.hash(search))
    return memo.get(
        "neighbors", depends_on, lambda: timed(lambda: find_neighbors(fold.X_train, **search))
    )


def with_categories(estimator: Any, fold: Fold) -> Any:
    """Set `categorical_features` where a sampler or learner has the parameter.

    Also of what is inside it: a tree that takes categories, a sampler in a chain.
    """
    if estimator is None or not fold.categorical_features:
        return estimator
    categories = fold.categorical_features
    return set_where_known(estimator, only_unset=True, categorical_features=categories)
