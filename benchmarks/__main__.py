"""Run every benchmark, or those named: ``python -m benchmarks [NAME …]``."""

import importlib
import pkgutil
import sys

import benchmarks

names = [
    module.name.removeprefix("bench_")
    for module in pkgutil.iter_modules(benchmarks.__path__)
    if module.name.startswith("bench_")
]
unknown = set(sys.argv[1:]) - set(names)
if unknown:
    sys.exit(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
for name in sys.argv[1:] or names:
    importlib.import_module(f"benchmarks.bench_{name}").main()
