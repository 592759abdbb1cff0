"""What the benchmarks measure with.

With the environment variable ``RARELABELS_SMOKE`` everything runs once and small, to see that it
runs; figures of such a run mean nothing and are not kept.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

# The paper's data sets; benchmarks that need one of them are skipped where it is absent.
DATA = Path(os.environ.get("RARELABELS_DATA", "no-data-folder-is-named"))
SMOKE = bool(os.environ.get("RARELABELS_SMOKE"))

# Every table of this run: (title, rows).
SHOWN = []


def scaled(size):
    """A number of samples or labels, much smaller where it only matters that all runs."""
    return max(size // 50, 6) if SMOKE else size


def absent(benchmark, names):
    """Say that data sets are missing, if some are."""
    missing = [name for name in names if not (DATA / name).is_dir()]
    if missing:
        print(f"{benchmark}: skipped, {', '.join(missing)} not found (set RARELABELS_DATA)")
    return bool(missing)


def seconds(work, repeats=3):
    """Best CPU and wall seconds of a few runs."""
    best_cpu = best_wall = float("inf")
    for _ in range(1 if SMOKE else repeats):
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        best_cpu = min(best_cpu, time.process_time() - cpu)
        best_wall = min(best_wall, time.perf_counter() - wall)
    return best_cpu, best_wall


def peak_megabytes():
    """Largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_fresh_process(code):
    """Run code in an interpreter of its own and return what it prints: memory is not given back."""
    # Code of the benchmarks themselves.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout.strip()


def show(title, rows):
    """Print a table, whose first row names the columns, and remember it."""
    cells = [[str(cell) for cell in row] for row in rows]
    SHOWN.append((title, cells))
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    print(f"\n{title}")
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
