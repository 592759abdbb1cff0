"""Read the entries of a plan: short forms, checks, and errors that say what to write instead."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from rarelabels._formats import format_of_suffix
from rarelabels._registry import did_you_mean
from rarelabels.datasets.mulan import is_known, known_names
from rarelabels.decisions import check_rule
from rarelabels.experiment.plan._frozen import Pairs, frozen_pairs
from rarelabels.experiment.plan._specs import DatasetSpec, LearnerSpec, MethodSpec

DEFAULT = "default"
OF_DATASET = {field.name for field in fields(DatasetSpec)} - {"sha256"}


class PlanError(ValueError):
    """A plan that cannot be run; the message says which entry and why."""


def check_fields(values: Mapping[str, Any], known: set[str], what: str) -> None:
    """Refuse fields that mean nothing, naming those that were likely meant."""
    for name in values:
        if name not in known:
            hint = did_you_mean(name, sorted(known))
            raise PlanError(f"{what} has no field {name!r}; {hint}")


def dataset_spec(entry: Any, folder: Path) -> DatasetSpec:
    """Read a data set: a known name, a path, or a table with more about it."""
    values = dict(_table(entry, "path" if _is_path(entry) else "name", "a data set"))
    check_fields(values, OF_DATASET, "a data set")
    if "path" not in values:
        _check_known(str(values.get("name", "")))
        return DatasetSpec(**values)
    path = (folder / Path(values.pop("path")).expanduser()).resolve()
    if not path.is_file():
        raise PlanError(f"the data set's file {path} does not exist.")
    values.setdefault("name", path.name.split(".")[0])
    labels = values.pop("labels", None)
    if isinstance(labels, str) and labels.lower().endswith(".xml"):
        labels = str((folder / labels).resolve())
    return DatasetSpec(path=str(path), labels=labels, sha256=_content_sum(path, labels), **values)


def learner_spec(entry: Any, trusted: Collection[str]) -> LearnerSpec:
    """Read a learner: its name, or a table with parameters and a display name."""
    values = dict(_table(entry, "learner", "a learner"))
    check_fields(values, {field.name for field in fields(LearnerSpec)}, "a learner")
    if "learner" not in values:
        values["learner"] = values.get("name", "")
    values.setdefault("name", values["learner"])
    for name in ("params", "estimator_params"):
        values[name] = _pairs(values.get(name))
    spec = LearnerSpec(**values)
    with plan_errors(f"the learner {spec.name!r} cannot be made"):
        spec.build(trusted)
    return spec


def method_spec(entry: Any) -> MethodSpec:
    """Read a method: "default", a sampler's name, or a table that describes an ensemble too."""
    values = dict(_table(entry, "sampler", "a method"))
    check_fields(values, {field.name for field in fields(MethodSpec)}, "a method")
    sampler = str(values.get("sampler") or values.get("name", DEFAULT))
    is_default = sampler.lower() == DEFAULT
    is_ensemble = "n_estimators" in values or "vary" in values
    vary = frozen_pairs(values.get("vary"))
    spec = MethodSpec(
        name=values.get("name", "Default" if is_default else "E" * is_ensemble + sampler),
        sampler=None if is_default else sampler,
        params=_pairs(values.get("params")),
        n_estimators=values.get("n_estimators", _n_varied(vary)) if is_ensemble else None,
        vary=vary,
        threshold=_or_none(values.get("threshold", "f1" if is_ensemble else None)),
        threshold_cv=values.get("threshold_cv"),
        threshold_members=values.get("threshold_members"),
        learner_params=_pairs(values.get("learner_params")),
        learner=values.get("learner"),
    )
    with plan_errors(f"the method {_checked_members(spec).name!r} cannot be made"):
        if spec.threshold is not None:
            check_rule(spec.threshold)
        built = spec.build()
        for settings in spec.settings() if built is not None else ():
            built.set_params(**settings)
    return spec


@contextmanager
def plan_errors(what: str) -> Iterator[None]:
    """Turn what an estimator says of its parameters into an error of the plan."""
    try:
        yield
    except PlanError:
        raise
    except (AttributeError, OSError, TypeError, ValueError) as error:
        raise PlanError(f"{what}: {error}") from error


def _table(entry: Any, short_for: str, what: str) -> Mapping[str, Any]:
    if isinstance(entry, (str, os.PathLike)):
        return {short_for: os.fspath(entry)}
    if isinstance(entry, Mapping):
        return entry
    raise PlanError(f"{what} must be a name or a table of fields, got {entry!r}.")


def _is_path(entry: Any) -> bool:
    return isinstance(entry, os.PathLike) or (isinstance(entry, str) and bool(Path(entry).suffix))


def _check_known(name: str) -> None:
    if is_known(name):
        return
    hint = did_you_mean(name, known_names())
    raise PlanError(f"no data set is called {name!r}; {hint} To use a file, pass its path.")


def _content_sum(path: Path, labels: Any) -> str:
    """Return the checksum of the file, with that of its label file unless the plan has labels."""
    with path.open("rb") as file:
        total = hashlib.file_digest(file, "sha256")
    for file_of_labels in _files_of_labels(path, labels):
        if file_of_labels.is_file():
            total.update(file_of_labels.read_bytes())
    return total.hexdigest()


def _files_of_labels(path: Path, labels: Any) -> list[Path]:
    if str(labels).lower().endswith(".xml"):
        return [Path(labels)]
    file_format = format_of_suffix(path)
    return file_format.files(path)[1:] if file_format is not None and labels is None else []


def _n_varied(vary: Any) -> int:
    """Return as many members as there are values, or the paper's five."""
    return len(vary[0][1]) if vary and isinstance(vary[0][1], tuple) else 5


def _pairs(params: Mapping[str, Any] | None) -> Pairs:
    return frozen_pairs({name: _or_none(value) for name, value in (params or {}).items()})


def _or_none(given: Any) -> Any:
    """Return None for "none", since TOML has no null."""
    return None if isinstance(given, str) and given.lower() == "none" else given


def _checked_members(spec: MethodSpec) -> MethodSpec:
    if spec.is_ensemble and spec.sampler is None:
        raise PlanError(f"the method {spec.name!r} is an ensemble without a sampler; name one.")
    if spec.is_ensemble and (not isinstance(spec.n_estimators, int) or spec.n_estimators < 1):
        raise PlanError(f"the method {spec.name!r} needs at least 1 member: n_estimators = 5.")
    for name, given in spec.vary:
        if not isinstance(given, tuple) or len(given) != spec.n_estimators:
            raise PlanError(
                f"the method {spec.name!r} varies {name!r} by {given!r}; give a list with one "
                f"value for each of its {spec.n_estimators} members."
            )
    return spec
