"""One job: everything that determines one result, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rarelabels.experiment.plan._frozen import stable_key
from rarelabels.experiment.plan._specs import (
    DatasetSpec,
    LearnerSpec,
    MethodSpec,
    as_dict,
    check_types,
    from_dict,
)

JOB_TYPES = {"fold": (int,), "n_splits": (int,), "seed": (int,), "per_label": (bool,)}


@dataclass(frozen=True)
class Job:
    """One learner with one method on one fold of one data set.

    Attributes
    ----------
    dataset : DatasetSpec
        The data set and its preprocessing.
    learner : LearnerSpec
        The learner.
    method : MethodSpec
        The sampler or ensemble around it.
    fold : int
        Which split, from 0: those of the first repetition come first.
    n_splits : int
        Folds of a repetition.
    seed : int
        The plan's seed, of splits and models.
    per_label : bool
        Whether the scores of each label are kept too.

    Examples
    --------
    >>> from rarelabels.experiment import Job, load_plan
    >>> plan = load_plan({"datasets": ["flags"], "learners": ["br"], "methods": ["mlsol"]})
    >>> job = plan.jobs()[0]
    >>> job.fold, len(job.key)
    (0, 24)
    >>> Job.from_dict(job.to_dict()) == job
    True
    """

    dataset: DatasetSpec
    learner: LearnerSpec
    method: MethodSpec
    fold: int
    n_splits: int = 2
    seed: int = 0
    per_label: bool = False

    def __post_init__(self) -> None:
        check_types(self, JOB_TYPES)

    @cached_property
    def key(self) -> str:
        """A hash of what determines the result, the same on every machine and in every session.

        Display names and the folders of files are not part of it. Neither is the number of
        repetitions, so that a run can be extended by more of them, nor versions, which are
        recorded with the result.
        """
        return stable_key(
            {
                "dataset": self.dataset.identity(),
                "learner": self.learner.identity(),
                "method": self.method.identity(),
                "fold": self.fold,
                "n_splits": self.n_splits,
                "seed": self.seed,
                "per_label": self.per_label,
            }
        )

    @property
    def model_seed(self) -> int:
        """The seed of the models: one for each fold, shared by all methods and learners.

        So methods differ by what they do rather than by luck, and a sampler alone is the first
        member of its ensemble.
        """
        return int(np.random.SeedSequence([self.seed, self.fold]).generate_state(1)[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the job as plain values, ready for JSON.

        Returns
        -------
        dict
            What :meth:`from_dict` takes.
        """
        return {
            "dataset": as_dict(self.dataset),
            "learner": as_dict(self.learner),
            "method": as_dict(self.method),
            "fold": self.fold,
            "n_splits": self.n_splits,
            "seed": self.seed,
            "per_label": self.per_label,
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Job:
        """Return the job that :meth:`to_dict` describes.

        Parameters
        ----------
        values : dict
            Plain values, such as those read from JSON.

        Returns
        -------
        Job
            The same job, with the same key.
        """
        parts = {"dataset": DatasetSpec, "learner": LearnerSpec, "method": MethodSpec}
        specs = {name: from_dict(kind, values[name]) for name, kind in parts.items()}
        return cls(**{**values, **specs})

    def __str__(self) -> str:
        return f"{self.dataset.name} / {self.learner.name} / {self.method.name} / fold {self.fold}"
