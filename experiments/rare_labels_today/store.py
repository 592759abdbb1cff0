"""Records of jobs in a file: JSON lines while the benchmark runs, compressed when it is packed."""

from __future__ import annotations

import json
import lzma
import os
import random
from pathlib import Path
from typing import Any

PACKED = Path(__file__).parents[1] / "results" / "rare_labels_today.jsonl.xz"
# What a repeated job must give again.
SCORES = ("macro_f1", "macro_auc_roc", "macro_auc_pr", "entries", "label_f1", "label_auc_pr")


def read_records(place: Path) -> list[dict[str, Any]]:
    """Return the records of a store, packed or not; none if there is no such file."""
    if not place.exists():
        return []
    data = place.read_bytes()
    lines = (lzma.decompress(data) if place.suffix == ".xz" else data).decode().splitlines()
    return [json.loads(line) for line in lines]


def add_record(place: Path, record: dict[str, Any]) -> None:
    """Append a record, so that nothing is lost when the run is stopped."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, separators=(",", ":")) + "\n")
        file.flush()
        os.fsync(file.fileno())


def pack(store: Path, packed: Path) -> None:
    """Add the records of a store to a packed file. Of a job in both, the store's record is kept."""
    jobs = {
        (record["dataset"], record["fold"], record["method"]): record
        for place in (packed, store)
        for record in read_records(place)
    }
    lines = "".join(json.dumps(job, separators=(",", ":")) + "\n" for job in jobs.values())
    partial = packed.with_suffix(".part")
    partial.write_bytes(lzma.compress(lines.encode(), preset=9))
    partial.replace(packed)


def differing_jobs(packed: Path, n_jobs: int, seed: int) -> list[tuple[str, int, str]]:
    """Run jobs drawn at random again, and return those whose scores differ."""
    from rare_labels_today.datasets import DATASETS
    from rare_labels_today.evaluate import evaluated
    from rare_labels_today.methods import METHODS

    datasets = {dataset.name: dataset for dataset in DATASETS}
    methods = {method.name: method for method in METHODS}
    records = [record for record in read_records(packed) if record["status"] == "done"]
    # Nothing secret is drawn.
    drawn = random.Random(seed).sample(records, min(n_jobs, len(records)))  # noqa: S311
    differing = []
    for record in drawn:
        job = (record["dataset"], record["fold"], record["method"])
        again = evaluated(methods[record["method"]], datasets[record["dataset"]], record["fold"])
        if any(again[name] != record[name] for name in SCORES):
            differing.append(job)
    return differing
