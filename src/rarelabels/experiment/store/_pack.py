"""Pack a store into one small file that can be put under version control, and unpack it.

A pack is a JSON document, compressed with xz. Values stand column by column and specs once, so
that 13,000 results take about a megabyte; equal content gives equal bytes. Left out are the host,
folders (of data files, and those in tracebacks) and digits of times that are noise.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rarelabels.datasets.files import MAX_SIZE, read_bytes, replacing
from rarelabels.experiment.plan import Job, canonical_json
from rarelabels.experiment.store._database import StoreError
from rarelabels.experiment.store._results import DONE, FAILED, Record, library_versions
from rarelabels.experiment.store._store import Store, opened

FORMAT, VERSION = "rarelabels results", 1
SUFFIX = ".xz"
SPECS = ("dataset", "learner", "method")
OF_JOB = ("fold", "n_splits", "seed", "per_label")
TIMES = ("sampling_seconds", "training_seconds", "prediction_seconds", "seconds")
PLAIN = ("status", "warnings", "started", "versions", "scores", "label_scores")


@dataclass(frozen=True)
class UnpackSummary:
    """How many results unpacking added.

    Attributes
    ----------
    added : int
        Results that the store did not have, or had as failures.
    known : int
        Results that it had.

    Examples
    --------
    >>> from rarelabels.experiment import UnpackSummary
    >>> print(UnpackSummary(added=90, known=10))
    90 results added, 10 known before
    """

    added: int
    known: int

    def __str__(self) -> str:
        return f"{self.added} results added, {self.known} known before"


def pack(store: Any, path: Any) -> None:
    """Write the plans and results of a store into one small file.

    Parameters
    ----------
    store : Store or path-like
        What to pack.
    path : path-like
        The file, with a name that ends with ``.xz``; replaced when the new one is whole.

    See Also
    --------
    unpack : Read it into a store, on any machine.

    Notes
    -----
    Scores are exact, times have four digits, and of an error the first line is kept. Neither the
    host nor folders of data files are part of a pack. Equal content gives equal bytes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarelabels.experiment import Store, pack, unpack
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "results.json.xz"
    >>> with Store(":memory:") as store, Store(":memory:") as other:
    ...     pack(store, file)
    ...     print(unpack(file, other))
    0 results added, 0 known before
    """
    _check_name(path)
    with opened(store) as source:
        text = canonical_json(_document(source))
    with replacing(path) as file:
        file.write(text.encode())


def unpack(path: Any, store: Any) -> UnpackSummary:
    """Add the plans and results of a pack to a store, all or nothing.

    Parameters
    ----------
    path : path-like
        What :func:`pack` wrote.
    store : Store or path-like
        It is created if it does not exist. Its content is kept, but results replace failures.

    Returns
    -------
    UnpackSummary
        How many results were added.

    Raises
    ------
    StoreError
        If the file is not a packed store, or if both have a result of the same job with
        different scores.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarelabels.experiment import Store, pack, unpack
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with Store(":memory:") as store:
    ...     pack(store, folder / "results.json.xz")
    >>> summary = unpack(folder / "results.json.xz", folder / "results.sqlite")
    >>> print(summary)
    0 results added, 0 known before
    """
    document = _read(path)
    try:
        jobs = _jobs(document)
        records = [_record(values) for values in _rows(document["results"])]
        plans = {
            name: [jobs[place] for place in places] for name, places in document["plans"].items()
        }
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise StoreError(_no_pack(path, f"{type(error).__name__}: {error}")) from error
    with opened(store) as target, target.only_run():
        return UnpackSummary(*target.merge(plans, records))


def _document(store: Store) -> dict[str, Any]:
    by_plan = {name: store.jobs(name) for name in store.plans()}
    jobs = {
        job.key: _without_folders(job.to_dict())
        for plan_jobs in by_plan.values()
        for job in plan_jobs
    }
    keys = sorted(jobs)
    places = {key: place for place, key in enumerate(keys)}
    records = sorted(store.records(), key=lambda record: record.key)
    specs = {kind: _distinct(jobs[key][kind] for key in keys) for kind in SPECS}
    return {
        "format": FORMAT,
        "version": VERSION,
        "specs": {kind: list(by_text.values()) for kind, by_text in specs.items()},
        "jobs": _columns(_job_row(jobs[key], specs) for key in keys),
        "plans": {
            name: [places[job.key] for job in plan_jobs] for name, plan_jobs in by_plan.items()
        },
        "results": _columns(_result_row(record) for record in records),
    }


def _distinct(specs: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return specs by their text, sorted, so that their order says nothing about the plans'."""
    return dict(sorted((canonical_json(spec), spec) for spec in specs))


def _job_row(values: dict[str, Any], specs: dict[str, Any]) -> dict[str, Any]:
    of_specs = {kind: list(specs[kind]).index(canonical_json(values[kind])) for kind in SPECS}
    return {**of_specs, **{name: values[name] for name in OF_JOB}}


def _result_row(record: Record) -> dict[str, Any]:
    values = record.to_dict()
    return {
        "key": record.key,
        **{name: values[name] for name in PLAIN},
        **{name: _rounded(values[name]) for name in TIMES},
        "error": record.error.splitlines()[0] if record.error else record.error,
        "megabytes": None if record.peak_memory is None else round(record.peak_memory / 2**20),
    }


def _record(values: dict[str, Any]) -> Record:
    megabytes = values.pop("megabytes")
    memory = None if megabytes is None else megabytes * 2**20
    record = Record(**values, peak_memory=memory, host="")
    _check_record(record)
    return record


def _check_record(record: Record) -> None:
    """Refuse a result whose values have other types than results have."""
    texts = [record.key, record.started, *record.versions.values()]
    texts += [text for text in (record.error, record.warnings) if text is not None]
    by_label = [score for scores in record.label_scores.values() for score in scores.values()]
    times = [getattr(record, name) for name in TIMES]
    numbers = [*record.scores.values(), *by_label, *times, record.peak_memory]
    names = [*record.scores, *record.label_scores, *record.versions]
    names += [name for scores in record.label_scores.values() for name in scores]
    is_right = (
        record.status in (DONE, FAILED)
        and all(isinstance(text, str) for text in (*texts, *names))
        and all(number is None or _is_number(number) for number in numbers)
        and set(library_versions()) <= set(record.versions)
    )
    if not is_right:
        raise ValueError(f"the result {record.key!r} has values of the wrong type")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _jobs(document: dict[str, Any]) -> list[Job]:
    specs = document["specs"]
    return [
        Job.from_dict({**row, **{kind: specs[kind][row[kind]] for kind in SPECS}})
        for row in _rows(document["jobs"])
    ]


def _columns(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Turn rows into columns; a column of dicts becomes several columns."""
    all_rows = list(rows)
    columns: dict[str, Any] = {"rows": len(all_rows)}
    for name in all_rows[0] if all_rows else ():
        values = [row[name] for row in all_rows]
        columns[name] = _table(values) if isinstance(values[0], dict) else values
    return columns


def _table(dicts: list[dict[str, Any]]) -> dict[str, Any]:
    """Turn dicts into a list of values for each name that occurs."""
    names = sorted({name for values in dicts for name in values})
    return {
        name: [[place, values[name]] for place, values in enumerate(dicts) if name in values]
        for name in names
    }


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    n_rows = columns["rows"]
    lengths = {len(values) for values in columns.values() if isinstance(values, list)}
    if lengths - {n_rows} or (n_rows and not lengths):
        raise ValueError(f"columns of {sorted(lengths)} values for {n_rows} rows")
    rows: list[dict[str, Any]] = [{} for _ in range(n_rows)]
    for name, values in columns.items():
        if name == "rows":
            continue
        for place, value in enumerate(_cells(values, len(rows))):
            rows[place][name] = value
    return rows


def _cells(values: Any, n_rows: int) -> Iterator[Any]:
    if not isinstance(values, dict):
        if len(values) != n_rows:
            raise ValueError(f"{len(values)} values for {n_rows} rows")
        yield from values
        return
    dicts: list[dict[str, Any]] = [{} for _ in range(n_rows)]
    for name, entries in values.items():
        for place, value in entries:
            dicts[place][name] = value
    yield from dicts


def _without_folders(values: dict[str, Any]) -> dict[str, Any]:
    dataset = dict(values["dataset"])
    for name in ("path", "labels"):
        if isinstance(dataset[name], str) and os.sep in dataset[name]:
            dataset[name] = Path(dataset[name]).name
    return {**values, "dataset": dataset}


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else float(f"{seconds:.4g}")


def _read(path: Any) -> dict[str, Any]:
    try:
        # A small file can unpack to anything: `read_bytes` has a limit.
        document = json.loads(read_bytes(path, MAX_SIZE).decode("utf-8"))
    except (RecursionError, ValueError) as error:
        raise StoreError(_no_pack(path, str(error))) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise StoreError(_no_pack(path, "it does not say that it is one"))
    if document.get("version") != VERSION:
        raise StoreError(
            f"{path} was packed by a newer version of rarelabels; upgrade rarelabels to unpack it."
        )
    return document


def _no_pack(path: Any, why: str) -> str:
    return f"{Path(path).name} is not a packed store ({why}); rarelabels pack writes one."


def _check_name(path: Any) -> None:
    if not os.fspath(path).endswith(SUFFIX):
        raise ValueError(f"a store is packed into a file like results.json{SUFFIX}, got {path}.")
