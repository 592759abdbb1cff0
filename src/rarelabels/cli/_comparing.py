"""Compare methods on one data set, store the results, and save the recommended model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rarelabels.cli._errors import Failure, Misuse, as_misuse, say

BASELINE = "none"


@dataclass(frozen=True)
class Model:
    """The model to compare: a learner by name, its base classifier, or an object of a module."""

    learner: str = "br"
    estimator: str | None = None
    place: str | None = None
    trust: tuple[str, ...] = ()


def make_question(
    entry: dict[str, Any],
    samplers: list[str],
    *,
    model: Model,
    ensemble: int,
    cv: str,
    metric: str,
    margin: float,
    seed: int,
    all_folds: bool = False,
    max_samples: int | None = None,
    tell: Callable[[str], None] = say,
) -> Any:
    """Return the comparison to run, checked."""
    from rarelabels._wording import command_option
    from rarelabels.advisor.methods import methods_of, weight_params
    from rarelabels.advisor.question import Question
    from rarelabels.experiment import PlanError

    chosen = list(dict.fromkeys(name.lower() for name in samplers if name.lower() != BASELINE))
    with as_misuse(PlanError, ValueError, TypeError):
        plan = _plan(entry, model, cv, seed)
        weights = weight_params(plan.learners[0].build(plan.trusted))
        methods = methods_of(chosen, ensemble, weights)
    return Question(
        replace(plan, methods=methods), metric, margin, tell, all_folds=all_folds,
        max_samples=max_samples, option=command_option,
    )  # fmt: skip


def _plan(entry: dict[str, Any], model: Model, cv: str, seed: int) -> Any:
    from rarelabels.advisor.methods import explicit_learner
    from rarelabels.advisor.question import read_folds
    from rarelabels.experiment import load_plan

    try:
        folds = read_folds(cv)
    except ValueError as error:
        raise Misuse(f"--{error}") from None
    learner = {"learner": model.learner}
    if model.estimator is not None:
        learner["estimator"] = model.estimator
    values = {
        "name": "compare",
        "datasets": [entry],
        "learners": [learner],
        "methods": ["default"],
        "folds": folds,
        "seed": seed,
        "per_label": True,
    }
    plan = load_plan(values, trusted=model.trust)
    used = explicit_learner(plan.learners[0]) if model.place is None else _held(model.place)
    return replace(plan, learners=(used,))


def _held(place: str) -> Any:
    from rarelabels.advisor.methods import as_multilabel
    from rarelabels.experiment.plan import in_memory_learner

    return in_memory_learner(as_multilabel(imported(place)), place)


def imported(place: str) -> Any:
    """Return the object that ``module:object`` names; importing it runs the module's code."""
    from importlib import import_module

    module, _, name = place.partition(":")
    if not module or not name:
        raise Misuse(f"--model must be like module:object, got {place!r}.")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        # As with `python -m`, modules of the current folder can be imported.
        sys.path.insert(0, str(Path.cwd()))
    try:
        given = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise Misuse(f"--model {place}: {error}.") from error
    return given() if isinstance(given, type) else given


def check_metric(metric: str) -> None:
    """Raise an error if the metric is unknown."""
    from rarelabels.metrics import find_metric

    try:
        find_metric(metric)
    except ValueError as error:
        raise Misuse(f"--metric: {error}") from None


def answer_into(question: Any, store: Any, jobs: int, max_minutes: float | None = None) -> Any:
    """Run what is missing and return the answer; report progress if the run is interrupted."""
    engine = "inline" if jobs == 1 and max_minutes is None else None
    how = {"n_jobs": jobs, "engine": engine, "max_minutes": max_minutes}
    try:
        return question.answered(store, progress=sys.stderr.isatty(), **how)
    except KeyboardInterrupt:
        jobs_of_plan = question.plan.jobs()
        n_done = len(jobs_of_plan) - len(store.pending(jobs_of_plan))
        raise Failure(
            f"interrupted: {n_done} of {len(jobs_of_plan)} fits are done and kept in {store.path}; "
            "run the same command again to continue."
        ) from None


def report_failures(failures: Mapping[str, tuple[int, str]]) -> int:
    """Name the methods that failed, each with its first reason, and count the failures.

    Parameters
    ----------
    failures : mapping of str to (int, str)
        The number of folds and the first reason, for each method that failed.
    """
    for method, (count, reason) in failures.items():
        say(f"note: {method} failed on {count} folds: {reason}")
    return sum(count for count, _ in failures.values())


def failed(n_failed: int, store: Any, what: str = "jobs") -> Failure:
    """Return the error of a run with failures, which says how to run them again."""
    return Failure(
        f"{n_failed} {what} failed, see above. Once the cause is removed, rarelabels retry "
        f"--store {store} runs them again."
    )


def store_place(data: str, report: str | None, store: str | None) -> Path:
    """Return the path of the store: as given, next to the page, or named after the data."""
    if store is not None:
        return Path(store)
    if report not in (None, "-"):
        return Path(str(report)).with_suffix(".sqlite")
    return Path(f"compare-{Path(data).name.split('.')[0]}.sqlite")


def save_best(answer: Any, path: str) -> None:
    """Fit the recommended method to all data, and write the model and its model card."""
    from rarelabels.advisor.columns import columns_learned_from
    from rarelabels.advisor.model_file import is_skops, model_bytes
    from rarelabels.cli._files import write_bytes, write_text

    model = answer.fit_best()
    # What `rarelabels predict` needs to know of the columns.
    model.columns_ = columns_learned_from(answer.data)
    write_bytes(path, model_bytes(model, path))
    card = card_place(path)
    write_text(card, answer.card(model))
    trust = "load_model loads it" if is_skops(path) else "a pickle: load it only if you trust it"
    say(f"model: {path} ({answer.best}; {trust}), card: {card}")


def check_model_place(path: str | None) -> None:
    """Raise an error before any work if the format of the model cannot be written."""
    from rarelabels.advisor.model_file import is_skops

    if path is not None and is_skops(path) and find_spec("skops") is None:
        raise Failure(
            f'--save {path} needs skops: pip install "rarelabels[models]"; .joblib does not.'
        )


def card_place(path: str) -> Path:
    """Return the path of a model card."""
    return Path(path).with_suffix(".md")


def loading_lines(data: str, entry: dict[str, Any]) -> str:
    """Return the code that reads DATA.

    >>> print(loading_lines("t.csv", {"path": "/t.csv", "labels": "y_", "drop": ["id"]}))
    from rarelabels.datasets import load
    <BLANKLINE>
    X, y = load('/t.csv', labels='y_', drop=['id'])
    """
    unwanted = entry.get("drop_labels")
    function, place = ("load", entry["path"]) if "path" in entry else ("fetch_mulan", data)
    more = {name: entry[name] for name in entry if name not in ("path", "name", "drop_labels")}
    given = "".join(f", {name}={value!r}" for name, value in more.items())
    read, functions = f"{function}({place!r}{given})", function
    if unwanted:
        read, functions = f"drop_labels({read}, {unwanted!r})", f"drop_labels, {function}"
    lines = f"X, y = {read}"
    if "groups" in more:
        lines = f"data = {read}\nX, y, groups = data.X, data.Y, data.groups"
    return f"from rarelabels.datasets import {functions}\n\n{lines}"
