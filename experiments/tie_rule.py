"""Score single models by F where a score of exactly 0.5 is a yes, and where it is a no.

``python experiments/tie_rule.py [TARGET]`` fits the learner alone and the six samplers with the
learners that decide at 0.5, on the first repetition of ``paper.toml``, and writes a line a job, by
default to ``experiments/results/tie_rule.csv``. What the file has already is not repeated.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from threading import Event

from paper_study.paper import SAMPLERS
from paper_study.rules import TIES

from rarelabels.ensemble.members import recipe_of
from rarelabels.experiment import Job, load_plan
from rarelabels.experiment.evaluate._fold import fold_of
from rarelabels.experiment.evaluate._members import members_of
from rarelabels.experiment.evaluate._memo import Memo
from rarelabels.experiment.plan import model_of
from rarelabels.metrics import macro_f1

PLAN = Path(__file__).parent / "paper.toml"
LEARNERS = ("BR", "MLkNN", "RAkEL")
HEADER = ("learner", "dataset", "method", "fold", "yes", "no", "ties")


def scored(job: Job, memo: Memo) -> tuple[str, ...]:
    """Fit a job; return its F by either rule, and the share of ties among what is a yes."""
    fold = fold_of(job, memo)
    recipe = recipe_of(model_of(job.learner, job.method, fold.categorical_features, ()))
    (member,) = members_of(job, recipe, fold, memo, 0, Event()).members
    is_tie = member.scores == 0.5
    by_rule = (
        macro_f1(fold.Y_test, said.astype(int))
        for said in (member.decisions, member.decisions & ~is_tie)
    )
    ties = (is_tie & member.decisions).sum() / max(member.decisions.sum(), 1)
    return (*names_of(job), *(repr(float(f)) for f in by_rule), f"{ties:.4f}")


def names_of(job: Job) -> tuple[str, ...]:
    """Return what a line begins with."""
    return job.learner.name, job.dataset.name, job.method.name, str(job.fold)


def wanted() -> Iterable[Job]:
    """Return the jobs, by learner and data set."""
    jobs = [
        job
        for job in load_plan(PLAN).jobs()
        if job.fold < job.n_splits
        and job.learner.name in LEARNERS
        and job.method.name in ("Default", *SAMPLERS)
    ]
    return sorted(
        jobs, key=lambda job: (LEARNERS.index(job.learner.name), job.dataset.name, job.fold)
    )


def main() -> None:
    """Score the jobs that the file does not have, and write them to it."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TIES
    known = set()
    if target.is_file():
        with target.open(encoding="utf-8", newline="") as file:
            known = {tuple(row[:4]) for row in csv.reader(file)}
    with target.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not known:
            writer.writerow(HEADER)
        for _, jobs in groupby(wanted(), key=lambda job: (job.dataset.name, job.fold)):
            memo = Memo()
            for job in jobs:
                if names_of(job) not in known:
                    writer.writerow(scored(job, memo))
                    file.flush()


if __name__ == "__main__":
    main()
