"""Run the benchmark, and show its leaderboard.

``python -m rare_labels_today run STORE [--repetitions 1] [--max-folds N] [--methods NAME …]
[--datasets NAME …] [--max-minutes 60] [--skip-packed]`` runs the jobs that are not done yet in
STORE, a file with one JSON record in each line; ``--skip-packed`` also leaves out the jobs of the
packed results.
``show [PACKED]`` prints the leaderboard. ``pack STORE PACKED`` compresses a store.
``check PACKED [--jobs 30]`` runs jobs drawn at random again and compares their scores. ``measure``
measures the local imbalance of the labels.

``add STORE NAME MODULE:FUNCTION`` runs a method of your own on all data sets and shows its row next
to the others: FUNCTION() returns a multi-label classifier.

Data sets are looked for in the folders of the environment variable RARELABELS_DATA, separated as in
PATH. ``data`` lists where each is, or where to get it. ``--download`` downloads those of the Mulan
project, and checks their SHA-256 sums.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Iterator
from pathlib import Path

from scipy import sparse

from rare_labels_today.datasets import (
    DATASETS,
    DataSet,
    is_downloadable,
    is_present,
    list_of_data,
)
from rare_labels_today.evaluate import evaluated
from rare_labels_today.leaderboard import leaderboard
from rare_labels_today.local_imbalance import measure
from rare_labels_today.methods import (
    ENSEMBLE,
    METHODS,
    MODEL,
    SAMPLER,
    WEIGHTS,
    Method,
    as_numbers,
    out_of_fold,
)
from rare_labels_today.store import PACKED, add_record, differing_jobs, pack, read_records
from rarelabels.datasets import make_multilabel
from rarelabels.learners import BinaryRelevance, MultiLabelForest
from rarelabels.trees import C45Classifier


def run(store: Path, options: argparse.Namespace, methods: tuple[Method, ...] = METHODS) -> None:
    """Run what is missing, one repetition of all data sets after the other."""
    warm_up()
    known = [*read_records(store), *(read_records(PACKED) if options.skip_packed else [])]
    done = {
        (record["dataset"], record["fold"], record["method"])
        for record in known
        if record["status"] == "done"
    }
    ends = time.monotonic() + 60 * options.max_minutes
    for dataset, fold, method in jobs(options.repetitions, methods):
        job = (dataset.name, fold, method.name)
        is_wanted = method.name in (options.methods or [method.name]) and dataset.name in (
            options.datasets or [dataset.name]
        )
        is_available = is_present(dataset) or (options.download and is_downloadable(dataset))
        if (
            fold >= options.max_folds
            or job in done
            or not (is_wanted and is_available and method.is_installed)
        ):
            continue
        if time.monotonic() > ends:
            return
        record = evaluated(method, dataset, fold)
        add_record(store, record)
        print(*job, record["status"], record.get("cpu_seconds", ""), flush=True)


def jobs(repetitions: int, methods: tuple[Method, ...]) -> Iterator[tuple[DataSet, int, Method]]:
    """Return the jobs in their order: models first, then what is added to them."""
    for fold in range(repetitions * max(dataset.n_splits for dataset in DATASETS)):
        for groups in ((MODEL, WEIGHTS), (SAMPLER, ENSEMBLE)):
            for dataset in DATASETS:
                if fold >= repetitions * dataset.n_splits:
                    continue
                for method in methods:
                    is_left_out = dataset.is_for_models_only and method.group != MODEL
                    if method.group in groups and not is_left_out:
                        yield dataset, fold, method


def warm_up() -> None:
    """Compile the trees before anything is timed."""
    X, Y = make_multilabel(60, 5, 3, signal=0.5, sparse_output=False, random_state=0)
    for features in (X, sparse.csr_array((X > 0).astype(float))):
        MultiLabelForest(n_estimators=5, random_state=0).fit(features, Y)
        BinaryRelevance(C45Classifier()).fit(features, Y).predict(features)


def own_method(name: str, place: str) -> Method:
    """Return a method of the user from ``module:function``."""
    module, _, function = place.partition(":")
    make = getattr(importlib.import_module(module), function)
    return Method(name, out_of_fold(lambda _: make(), as_numbers))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "add"):
        command = commands.add_parser(name)
        command.add_argument("store", type=Path)
        if name == "add":
            command.add_argument("name")
            command.add_argument("place", metavar="MODULE:FUNCTION")
        command.add_argument("--repetitions", type=int, default=1)
        command.add_argument("--max-folds", type=float, default=float("inf"))
        command.add_argument("--methods", nargs="+")
        command.add_argument("--datasets", nargs="+")
        command.add_argument("--skip-packed", action="store_true")
        command.add_argument("--download", action="store_true")
        command.add_argument("--max-minutes", type=float, default=float("inf"))
    commands.add_parser("data")
    commands.add_parser("show").add_argument("packed", type=Path, nargs="?", default=PACKED)
    commands.add_parser("measure").add_argument("--repetitions", type=int, default=1)
    packing = commands.add_parser("pack")
    packing.add_argument("store", type=Path)
    packing.add_argument("packed", type=Path, nargs="?", default=PACKED)
    checking = commands.add_parser("check")
    checking.add_argument("packed", type=Path, nargs="?", default=PACKED)
    checking.add_argument("--jobs", type=int, default=30)
    checking.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    """Do what the command line asks."""
    options = arguments()
    if options.command == "run":
        run(options.store, options)
    elif options.command == "add":
        run(options.store, options, (own_method(options.name, options.place),))
        print(leaderboard([*read_records(PACKED), *read_records(options.store)]))
    elif options.command == "data":
        print(list_of_data())
    elif options.command == "show":
        print(leaderboard(read_records(options.packed)))
    elif options.command == "measure":
        measure(options.repetitions)
    elif options.command == "pack":
        pack(options.store, options.packed)
    else:
        differing = differing_jobs(options.packed, options.jobs, options.seed)
        print(f"{options.jobs - len(differing)} of {options.jobs} jobs have equal scores.")
        for job in differing:
            print("differs:", *job)
        raise SystemExit(1 if differing else 0)


if __name__ == "__main__":
    main()
