"""Search for neighbors with and without missing values.

Run with ``python -m benchmarks.bench_missing``. 20,000 samples of 100 features; 10 % of the values
are missing in 20 of them. The times are CPU times, the best of a few runs that take turns.
"""

from __future__ import annotations

import numpy as np

from benchmarks._measure import scaled, seconds, show
from rarelabels import find_neighbors

N_FEATURES, N_INCOMPLETE, SHARE = 100, 20, 0.1
REPEATS = 3


def main() -> None:
    rng = np.random.default_rng(0)
    complete = rng.normal(size=(scaled(20_000), N_FEATURES))
    incomplete = complete.copy()
    incomplete[:, :N_INCOMPLETE][rng.random((len(complete), N_INCOMPLETE)) < SHARE] = np.nan
    tables = {"complete": complete, "with missing values": incomplete}
    best = dict.fromkeys(tables, np.inf)
    for _ in range(REPEATS):
        for name, X in tables.items():
            cpu, _ = seconds(lambda X=X: find_neighbors(X, n_neighbors=5), repeats=1)
            best[name] = min(best[name], cpu)
    rows = [("table", "CPU-s", "ratio")]
    rows += [(name, f"{cpu:.2f}", f"{cpu / best['complete']:.2f}") for name, cpu in best.items()]
    missing = f"{100 * SHARE:.0f} % missing in {N_INCOMPLETE} features of {N_FEATURES}"
    show(f"Search among {len(complete):,} samples, {missing}", rows)


if __name__ == "__main__":
    main()
