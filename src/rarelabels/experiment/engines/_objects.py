"""Data, models and samplers that were given in memory, in a folder for the worker processes.

Jobs go to worker processes as plain values, which do not hold objects. These are written once for
all processes of a run; large arrays are mapped into memory rather than read by each process.
"""

from __future__ import annotations

import pickle
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib

from rarelabels.ensemble.members import cloudpickle
from rarelabels.experiment.engines._schedule import Schedule
from rarelabels.experiment.plan import Job, canonical_json

PARTS = ("dataset", "learner", "method")
DATA, MODELS = "data.joblib", "models.pickle"


@contextmanager
def objects_folder(tasks: Schedule) -> Iterator[str | None]:
    """Write the objects of all jobs to a folder that exists during a run; None without any."""
    jobs = [job for task in tasks.tasks for job in task.jobs]
    parts = {name: _parts_in_memory(jobs, name) for name in PARTS}
    if not any(parts.values()):
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="rarelabels-") as folder:
        joblib.dump(parts.pop("dataset"), Path(folder) / DATA)
        content = cloudpickle().dumps({"path": sys.path, **parts})
        (Path(folder) / MODELS).write_bytes(content)
        yield folder


def _parts_in_memory(jobs: list[Job], name: str) -> dict[str, Any]:
    specs = {id(spec): spec for spec in (getattr(job, name) for job in jobs)}
    in_memory = [spec for spec in specs.values() if getattr(spec, "in_memory", None) is not None]
    return {canonical_json(spec.identity()): spec for spec in in_memory}


class Objects:
    """The objects of a folder, in a worker process.

    Parameters
    ----------
    folder : str
        A folder that the run wrote for its own processes.
    """

    def __init__(self, folder: str) -> None:
        # Written by the run that started this process, in a separate folder that only this user
        # can read and write.
        models = pickle.loads((Path(folder) / MODELS).read_bytes())  # noqa: S301
        sys.path.extend(place for place in models.pop("path") if place not in sys.path)
        data = joblib.load(Path(folder) / DATA, mmap_mode="r")
        self._parts = {"dataset": data, **models}

    def restored(self, job: Job) -> Job:
        """Return a job with its objects."""
        specs = {}
        for name in PARTS:
            spec = self._parts[name].get(canonical_json(getattr(job, name).identity()))
            if spec is not None:
                specs[name] = replace(spec, name=getattr(job, name).name)
        return replace(job, **specs)
