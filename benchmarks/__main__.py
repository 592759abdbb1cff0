"""Run every benchmark, or those named: ``python -m benchmarks [NAME …]``.

What they show is kept in ``benchmarks/results.json`` and ``results.md`` with the machine and the
versions; a run of some leaves the others' figures as they were.
"""

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks import _measure, _results

names = [
    module.name.removeprefix("bench_")
    for module in pkgutil.iter_modules(benchmarks.__path__)
    if module.name.startswith("bench_")
]
unknown = set(sys.argv[1:]) - set(names)
if unknown:
    sys.exit(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
for name in sys.argv[1:] or names:
    _measure.SHOWN.clear()
    importlib.import_module(f"benchmarks.bench_{name}").main()
    if _measure.SHOWN and not _measure.SMOKE:
        _results.keep(name, _measure.SHOWN)
