"""The figures of the last runs, with the machine and the versions they were measured on."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import rarelabels

FOLDER = Path(__file__).parent
PACKAGES = (
    "numpy", "scipy", "scikit-learn", "numba", "faiss-cpu", "scikit-multilearn-ng",
    "iterative-stratification", "liac-arff",
)  # fmt: skip


def keep(benchmark, shown, folder=FOLDER):
    """Put the tables of a benchmark in the place of those it had, and write both files."""
    place = folder / "results.json"
    kept = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    tables = [{"title": title, "rows": rows} for title, rows in shown]
    kept[benchmark] = {"measured": surroundings(), "tables": tables}
    kept = dict(sorted(kept.items()))
    place.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "results.md").write_text(markdown(kept), encoding="utf-8")


def surroundings():
    """The day, the machine and the versions of what is compared."""
    return {
        "day": datetime.now(UTC).date().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "rarelabels": rarelabels.__version__,
        **{name: found for name in PACKAGES if (found := installed(name))},
    }


def processor():
    """The processor's name, where the system tells it."""
    place = Path("/proc/cpuinfo")
    lines = place.read_text(encoding="utf-8").splitlines() if place.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def installed(package):
    """The version of a package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def markdown(kept):
    """All tables as Markdown."""
    parts = [
        "# Benchmarks",
        "Ratios were measured side by side in one run; seconds are of one machine.",
    ]
    for benchmark, found in kept.items():
        parts.append(f"## {benchmark.replace('_', ' ').capitalize()}")
        parts.append(", ".join(f"{name} {value}" for name, value in found["measured"].items()))
        for table in found["tables"]:
            head, *body = ["| " + " | ".join(row) + " |" for row in table["rows"]]
            rule = "|" + "---|" * len(table["rows"][0])
            parts.append("\n".join([f"**{table['title']}**", "", head, rule, *body]))
    return "\n\n".join(parts) + "\n"
