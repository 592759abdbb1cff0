"""The members of a job on its fold, each fitted once and each predicting once.

They are fitted by :mod:`rarelabels.ensemble.members`, as those of `ResampledClassifier` and
`SamplingEnsemble` are. What several methods have in common (a sampler's model is the first member
of its ensembles, and E_p's middle member is one of E's) is kept by the member's key.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib

from rarelabels._containers import Array
from rarelabels._neighbors import Neighbors, find_neighbors
from rarelabels._random import as_generator
from rarelabels.ensemble.members import Member, Recipe, timed
from rarelabels.ensemble.training_data import TrainingData
from rarelabels.experiment.evaluate._fold import Fold
from rarelabels.experiment.evaluate._memo import Memo, Recent, Stopped
from rarelabels.experiment.plan import Job, canonical_json
from rarelabels.learners.fit_params import NO_PARAMS
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
    job: Job, recipe: Recipe, fold: Fold, memo: Memo, wanted: int, stop: threading.Event
) -> JobMembers:
    """Fit the members of a job on its fold; a single model is a list of one.

    Parameters
    ----------
    job : Job
        What to fit.
    recipe : Recipe
        How the job's model gets to its predictions.
    fold : Fold
        The job's data.
    memo : Memo
        What the jobs before may have in common with this one.
    wanted : int
        The most neighbors that the jobs to come may need.
    stop : Event
        Ends the job before its next fit when it is set.
    """
    neighbors, seconds = shared_neighbors(recipe, wanted, fold, memo)
    # Members of all methods of a learner; their keys tell those with other parameters apart.
    of_learner = canonical_json([fold.identity, job.learner.identity()])
    recent: Recent = memo.get("members", of_learner, lambda: Recent(MOST_KEPT))
    members = []
    for member in recipe.members(as_generator(job.model_seed)):
        if stop.is_set():
            raise Stopped
        fit = partial(fitted, member, fold, neighbors)
        members.append(recent.get(member.key, fit))
    return JobMembers(members, seconds)


def fitted(unfitted: Any, fold: Fold, neighbors: Neighbors | None) -> FoldMember:
    """Fit a member and predict the test samples, scores and decisions in one pass."""
    params = NO_PARAMS.with_groups(fold.groups_train, unfitted.estimator)
    data = TrainingData(fold.X_train, fold.Y_train, neighbors)
    member: Member = unfitted.fit(data, params)
    n_labels = len(fold.label_names)
    (scores, decisions), seconds = timed(
        lambda: scores_and_decisions(member.estimator, fold.X_test, n_labels)
    )
    return FoldMember(
        member.estimator, scores, decisions,
        member.sampling_seconds, member.training_seconds, seconds,
    )  # fmt: skip


def shared_neighbors(
    recipe: Recipe, wanted: int, fold: Fold, memo: Memo
) -> tuple[Neighbors | None, float]:
    """Return the neighbors of the training samples, searched once for all that can share them.

    Also return the seconds of the search; None and 0 if the sampler searches itself, or not at all.
    """
    search = recipe.search()
    if search is None:
        return None, 0.0
    search["n_neighbors"] = max(search["n_neighbors"], min(wanted, fold.X_train.shape[0] - 1))
    depends_on = (fold.identity, joblib.hash(search))
    return memo.get(
        "neighbors", depends_on, lambda: timed(lambda: find_neighbors(fold.X_train, **search))
    )
