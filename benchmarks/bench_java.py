"""MLSOL and MLUL beside the authors' own program, which is a part of Mulan, in Java.

Skipped unless the environment variable ``RARELABELS_MULAN`` is a class path that has Mulan and
Weka, and Java is installed. Both programs read the same data; CPU-seconds without reading, the best
of three runs, so that Java has compiled what it runs; one thread here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks._measure import DATA, SMOKE, absent, seconds, show
from rarelabels.datasets import drop_rare_labels, load_mulan, save_mulan, select_frequent_features
from rarelabels.sampling import MLSOL, MLUL

CLASSES = os.environ.get("RARELABELS_MULAN")
PROGRAM = Path(__file__).with_name("SamplingTime.java")
NAMES = ("yeast", "scene", "corel5k", "bibtex")
REPEATS = 3
COLUMNS = ("CPU-s", "in Java", "times as fast")


def main() -> None:
    if not CLASSES or not shutil.which("java"):
        print("java: skipped, RARELABELS_MULAN is no class path with Mulan, or Java is missing")
        return
    if absent("java", NAMES):
        return
    columns = [f"{name} {what}" for name in ("MLSOL", "MLUL") for what in COLUMNS]
    head = ("data", "samples × features", *columns)
    show("MLSOL and MLUL compared with Mulan's", [head, *(row(name) for name in NAMES)])


def row(name):
    """Measure both programs on one data set."""
    data = load_mulan(DATA / name / f"{name}.arff")
    if name == "bibtex":
        data, _ = select_frequent_features(data, 0.1)
    data, _ = drop_rare_labels(data)
    cells = [name, f"{data.X.shape[0]:,} × {data.X.shape[1]}"]
    for sampler, theirs in zip((MLSOL, MLUL), java_seconds(data), strict=True):
        own = sampler(n_jobs=1, random_state=0)
        ours, _ = seconds(lambda own=own: own.fit_resample(data.X, data.Y), REPEATS)
        cells += [f"{ours:.3f}", f"{theirs:.1f}", f"{theirs / ours:.0f}"]
    return tuple(cells)


def java_seconds(data):
    """Return the CPU-seconds of Mulan's two samplers."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "data.arff"
        save_mulan(data, place)
        # The garbage of one thread, as the program itself.
        command = ["java", "-XX:+UseSerialGC", "-cp", CLASSES, PROGRAM, place]
        command += [place.with_suffix(".xml"), str(1 if SMOKE else REPEATS)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return [float(word) for word in done.stdout.split()[-2:]]


if __name__ == "__main__":
    main()
