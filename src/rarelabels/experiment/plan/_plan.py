"""A plan: data sets × learners × methods × folds."""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rarelabels._engines import engine_names
from rarelabels._parameter_docs import shared_parameters
from rarelabels._registry import did_you_mean
from rarelabels.experiment.plan._entries import (
    PlanError,
    check_fields,
    dataset_spec,
    learner_spec,
    method_spec,
    plan_errors,
)
from rarelabels.experiment.plan._job import Job
from rarelabels.experiment.plan._specs import DatasetSpec, LearnerSpec, MethodSpec

FIELDS = {
    "name", "datasets", "learners", "methods", "folds", "seed", "per_label", "order", "stages",
    "timeout", "memory", "engine",
}  # fmt: skip

ORDERS = ("datasets", "folds")
NO_ADDRESS = (
    "a plan cannot name a Dask scheduler, because what connects to one runs what it sends; give "
    "the address to run(engine=...) or to --engine if you trust it."
)


@shared_parameters
@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes
    ----------
    name : str
        Under which its jobs stand in a store.
    datasets, learners, methods : tuples of DatasetSpec, LearnerSpec, MethodSpec
        All of them are combined.
    n_splits, n_repeats : int
        Folds of each repetition, and repetitions.
    seed : int
        Of splits and models.
    per_label : bool
        Keep the scores of each label too.
    timeout : float or None
        Seconds after which a job is ended and counts as failed. What it shares with the jobs
        after it (reading the data, a search for neighbors) counts for the first.
    memory : float or None
        Gigabytes that a job may take, where the system can limit it (Linux and macOS).
    {engine, of a plan}
    order : {"datasets", "folds"}
        What is finished first: all folds of a data set, or a fold of all data sets.
    stages : tuple of tuples of str
        Names of methods: those of the first stage are run on all data sets and folds before those
        of the second. Empty: all methods in one stage.
    trusted : tuple of str
        Packages of which base classifiers may be, beyond scikit-learn and this one. No plan can
        name them for itself.

    See Also
    --------
    load_plan : Read a plan.
    run : Run it.

    Examples
    --------
    >>> from rarelabels.experiment import DatasetSpec, LearnerSpec, MethodSpec, Plan
    >>> plan = Plan(
    ...     "mine",
    ...     datasets=(DatasetSpec("flags"),),
    ...     learners=(LearnerSpec("BR", "br"),),
    ...     methods=(MethodSpec("Default"), MethodSpec("MLSOL", "mlsol")),
    ... )
    >>> len(plan.jobs()), str(plan.jobs()[1])
    (20, 'flags / BR / MLSOL / fold 0')
    """

    name: str
    datasets: tuple[DatasetSpec, ...]
    learners: tuple[LearnerSpec, ...]
    methods: tuple[MethodSpec, ...]
    n_splits: int = 2
    n_repeats: int = 5
    seed: int = 0
    per_label: bool = False
    timeout: float | None = None
    memory: float | None = None
    engine: str | None = None
    order: str = ORDERS[0]
    stages: tuple[tuple[str, ...], ...] = ()
    trusted: tuple[str, ...] = ()

    @classmethod
    def of_jobs(cls, name: str, jobs: Sequence[Job]) -> Plan:
        """Return the plan whose jobs these are.

        Parameters
        ----------
        name : str
            The plan's name.
        jobs : sequence of Job
            All combinations of their data sets, learners, methods and folds.

        Returns
        -------
        Plan
            Limits and the engine are left out because they are not part of the jobs.
        """
        first, methods = jobs[0], tuple(dict.fromkeys(job.method for job in jobs))
        return cls(
            name,
            datasets=tuple(dict.fromkeys(job.dataset for job in jobs)),
            learners=tuple(dict.fromkeys(job.learner for job in jobs)),
            methods=methods,
            n_splits=first.n_splits,
            n_repeats=max(job.fold for job in jobs) // first.n_splits + 1,
            seed=first.seed,
            per_label=first.per_label,
            order=_order_of(jobs),
            stages=_stages_of(jobs),
        )

    def jobs(self) -> tuple[Job, ...]:
        """Return all jobs in the order in which they are run, those that share most in a row.

        Returns
        -------
        tuple of Job
            By stage, by data set and fold or fold and data set, by learner and method.
        """
        return tuple(
            Job(dataset, learner, method, fold, self.n_splits, self.seed, self.per_label)
            for methods in self._methods_by_stage()
            for dataset, fold in self._datasets_and_folds()
            for learner in self.learners
            for method in methods
        )

    def _methods_by_stage(self) -> list[list[MethodSpec]]:
        stages = self.stages or ([method.name for method in self.methods],)
        return [[method for method in self.methods if method.name in stage] for stage in stages]

    def _datasets_and_folds(self) -> list[tuple[DatasetSpec, int]]:
        folds = range(self.n_splits * self.n_repeats)
        if self.order == "folds":
            return [(dataset, fold) for fold in folds for dataset in self.datasets]
        return [(dataset, fold) for dataset in self.datasets for fold in folds]


def load_plan(source: Any, *, trusted: Collection[str] = ()) -> Plan:
    """Read a plan, and check that everything it names is there.

    Parameters
    ----------
    source : path-like, mapping or Plan
        A TOML file, what would be in one, or a plan, which is returned unchanged. Paths in a file
        are relative to it.
    trusted : collection of str, default=()
        Packages of which base classifiers may be, beyond scikit-learn, this package and those that
        add to it by entry points. Their code runs when the plan is read.

    Returns
    -------
    Plan
        The plan; its :meth:`~Plan.jobs` are what there is to do.

    Raises
    ------
    PlanError
        For a plan that cannot be run, saying which entry is wrong and what it may be instead.

    Notes
    -----
    A plan has the lists ``datasets``, ``learners`` and ``methods``. Each entry is a name or a
    table; see :class:`DatasetSpec`, :class:`LearnerSpec` and :class:`MethodSpec` for their fields.
    The method ``"default"`` is the learner alone; one with ``n_estimators`` is an ensemble. The
    value ``"none"`` of a parameter means None, which TOML does not have.
    ``folds = {n_splits = 2, n_repeats = 5}``, ``seed``, ``per_label``, ``timeout``, ``memory``,
    ``engine``, ``order``, ``stages`` and ``name`` may be left out. A plan too long for one sitting
    has ``order = "folds"``, so that an early end leaves whole folds of all data sets, and the
    methods that matter most in the first of its ``stages``.

    A plan cannot contain code. Base classifiers are public classes of scikit-learn and this
    package; parameters that name paths, caches or functions are refused, and so is the address of
    a Dask scheduler.

    Examples
    --------
    >>> from rarelabels.experiment import load_plan
    >>> plan = load_plan({
    ...     "datasets": ["flags", {"name": "medical", "features": 0.1, "min_positive": 2}],
    ...     "learners": ["BR", {"learner": "mlknn", "params": {"n_neighbors": 5}, "name": "5NN"}],
    ...     "methods": ["default", "MLSOL", {"sampler": "MLSOL", "n_estimators": 5}],
    ... })
    >>> [method.name for method in plan.methods], len(plan.jobs())
    (['Default', 'MLSOL', 'EMLSOL'], 120)
    """
    if isinstance(source, Plan):
        return replace(source, trusted=(*source.trusted, *trusted))
    if isinstance(source, Mapping):
        return plan_of(source, Path.cwd(), "plan", trusted)
    path = Path(os.fspath(source))
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PlanError(f"{path} is not TOML: {error}") from error
    return plan_of(values, path.resolve().parent, path.stem, trusted)


def plan_of(
    values: Mapping[str, Any], folder: Path, name: str, trusted: Collection[str] = ()
) -> Plan:
    """Return the plan that plain values describe; paths are relative to `folder`."""
    # A field of another type, such as a number in place of a table, is an error of the plan.
    with plan_errors("the plan cannot be read"):
        return _checked_plan(values, folder, name, trusted)


def _checked_plan(
    values: Mapping[str, Any], folder: Path, name: str, trusted: Collection[str]
) -> Plan:
    if "scheduler" in values:
        raise PlanError(NO_ADDRESS)
    check_fields(values, FIELDS, "a plan")
    folds = values.get("folds", {})
    check_fields(folds, {"n_splits", "n_repeats"}, "folds")
    plan = Plan(
        name=str(values.get("name", name)),
        datasets=_specs(values, "datasets", lambda entry: dataset_spec(entry, folder)),
        learners=_specs(values, "learners", lambda entry: learner_spec(entry, trusted)),
        methods=_specs(values, "methods", method_spec),
        n_splits=_count("n_splits", folds.get("n_splits", 2), 2),
        n_repeats=_count("n_repeats", folds.get("n_repeats", 5), 1),
        seed=_count("seed", values.get("seed", 0), 0),
        per_label=bool(values.get("per_label", False)),
        timeout=_positive("timeout", values.get("timeout")),
        memory=_positive("memory", values.get("memory")),
        engine=_engine(values.get("engine")),
        order=str(values.get("order", ORDERS[0])),
        stages=tuple(tuple(stage) for stage in values.get("stages", ())),
        trusted=tuple(trusted),
    )
    for kind in ("datasets", "learners", "methods"):
        _check_distinct(getattr(plan, kind), kind)
    _check_order(plan)
    _check_learner_params(plan)
    return plan


def _check_learner_params(plan: Plan) -> None:
    for method in plan.methods:
        for learner in plan.learners if method.learner_params else ():
            with plan_errors(f"the method {method.name!r} does not suit {learner.name!r}"):
                learner.build(plan.trusted, method.learner_params)


def _check_order(plan: Plan) -> None:
    if plan.order not in ORDERS:
        raise PlanError(f"order must be one of {ORDERS}, got {plan.order!r}.")
    named = Counter(name for stage in plan.stages for name in stage)
    wrong = named - Counter(method.name for method in plan.methods)
    for name in wrong:
        hint = did_you_mean(name, [method.name for method in plan.methods])
        twice = named[name] > 1
        raise PlanError(f"stages names {name!r} " + ("twice." if twice else f"; {hint}"))
    left_out = [method.name for method in plan.methods if method.name not in named]
    if plan.stages and left_out:
        raise PlanError(f"stages leaves out the method {left_out[0]!r}; put it into one of them.")


def _order_of(jobs: Sequence[Job]) -> str:
    blocks = list(dict.fromkeys((job.dataset, job.fold) for job in jobs))[:2]
    is_by_fold = len(blocks) == 2 and blocks[0][1] == blocks[1][1]
    return ORDERS[1] if is_by_fold else ORDERS[0]


def _stages_of(jobs: Sequence[Job]) -> tuple[tuple[str, ...], ...]:
    """Return the methods that follow each other on the first data set, fold and learner."""
    first, stages, last = jobs[0], [[jobs[0].method.name]], 0
    for place, job in enumerate(jobs[1:], 1):
        if (job.dataset, job.fold, job.learner) == (first.dataset, first.fold, first.learner):
            if place > last + 1:
                stages.append([])
            stages[-1].append(job.method.name)
            last = place
    return tuple(map(tuple, stages)) if len(stages) > 1 else ()


def _specs(values: Mapping[str, Any], kind: str, read: Callable[[Any], Any]) -> tuple[Any, ...]:
    specs = []
    for entry in _entries(values, kind):
        with plan_errors(f"{kind} has the entry {entry!r}"):
            specs.append(read(entry))
    return tuple(specs)


def _entries(values: Mapping[str, Any], kind: str) -> list[Any]:
    entries = values.get(kind)
    if not isinstance(entries, (list, tuple)) or not entries:
        raise PlanError(f"a plan needs {kind}: a list with at least one entry, got {entries!r}.")
    return list(entries)


def _check_distinct(specs: tuple[Any, ...], kind: str) -> None:
    names = Counter(spec.name for spec in specs)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise PlanError(f"{kind} has two entries called {twice[0]!r}; give one another name.")
    for place, spec in enumerate(specs):
        for other in specs[:place]:
            if spec.identity() == other.identity():
                raise PlanError(f"{kind}: {other.name!r} and {spec.name!r} are the same.")


def _engine(value: Any) -> str | None:
    if isinstance(value, str) and "://" in value:
        raise PlanError(NO_ADDRESS)
    if value is not None and value not in engine_names():
        raise PlanError(f"engine must be one of {engine_names()}, got {value!r}.")
    return value


def _count(name: str, value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise PlanError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    if value >= 2**63:  # a store keeps 64 bits
        raise PlanError(f"{name} must be below 2**63, got {value!r}.")
    return value


def _positive(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool) or value <= 0:
        raise PlanError(f"{name} must be a number above 0, got {value!r}.")
    return float(value)
