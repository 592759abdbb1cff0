"""Run some jobs of a study again, each alone, and compare their scores with those that were kept.

``python experiments/repeat_sample.py RESULTS [--jobs 30] [--seed 0] [--plan NAME]``: RESULTS is a
store or a packed one. It ends with status 1 where a score differs in any bit.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from paper_study.results import chosen_plan, open_results

from rarelabels.experiment import Job, Record, Store, run_job


def drawn(store: Store, plan: str, n_jobs: int, seed: int) -> list[tuple[Job, Record]]:
    """Return jobs of a plan that are done, drawn at random, with what was kept of each."""
    kept = {record.key: record for record in store.records() if record.status == "done"}
    done = [job for job in store.jobs(plan) if job.key in kept]
    chosen = np.random.default_rng(seed).choice(len(done), min(n_jobs, len(done)), replace=False)
    return [(done[i], kept[done[i].key]) for i in sorted(chosen)]


def differences(kept: Record, again: Record) -> list[str]:
    """Return what is not the same, in words."""
    if again.status != kept.status:
        reason, _, _ = (again.error or "").partition("\n")
        return [f"{again.status}: {reason}"]
    return [
        f"{name} {kept.scores.get(name)} -> {again.scores.get(name)}"
        for name in sorted(kept.scores)
        if kept.scores.get(name) != again.scores.get(name)
    ]


def repeat(job: Job, kept: Record) -> bool:
    """Run a job again, tell how it compares, and return whether it is the same."""
    began = time.process_time()
    found = differences(kept, run_job(job))
    title = f"{job.dataset.name} {job.learner.name} {job.method.name} fold {job.fold}"
    print(f"{title}: {'; '.join(found) or 'equal'} ({time.process_time() - began:.1f} s)")
    return not found


def main() -> None:
    """Read the command line, repeat the jobs, say how many were equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="a store, or a packed one")
    parser.add_argument("--jobs", type=int, default=30, help="how many; 30 unless told")
    parser.add_argument("--seed", type=int, default=0, help="of the draw; 0 unless told")
    parser.add_argument("--plan", help="which plan; else the paper's, or the first")
    options = parser.parse_args()
    with open_results(options.results) as store:
        jobs = drawn(store, chosen_plan(store, options.plan), options.jobs, options.seed)
    equal = [repeat(job, kept) for job, kept in jobs]
    print(f"{sum(equal)} of {len(equal)} jobs have equal scores")
    raise SystemExit(not all(equal))


if __name__ == "__main__":
    main()
