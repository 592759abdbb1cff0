"""The neighbor search with missing values, side by side with the search without them.

Run with ``python -m benchmarks.bench_missing``. 20,000 samples of 100 features; 10 % of the values
are missing in 20 of them. Process time, the best of a few runs that take turns.
"""

from __future__ import annotations

import numpy as np

from benchmarks._measure import scaled, seconds, show
from rarelabels import find_neighbors

N_FEATURES, WITH_GAPS, SHARE = 100, 20, 0.1
REPEATS = 3


def main() -> None:
    rng = np.random.default_rng(0)
    whole = rng.normal(size=(scaled(20_000), N_FEATURES))
    gaps = whole.copy()
    gaps[:, :WITH_GAPS][rng.random((len(whole), WITH_GAPS)) < SHARE] = np.nan
    best = {"whole": np.inf, "with gaps": np.inf}
    for _ in range(REPEATS):
        for name, X in (("whole", whole), ("with gaps", gaps)):
            cpu, _ = seconds(lambda X=X: find_neighbors(X, n_neighbors=5), repeats=1)
            best[name] = min(best[name], cpu)
    rows = [("table", "CPU-s", "ratio")]
    rows += [(name, f"{cpu:.2f}", f"{cpu / best['whole']:.2f}") for name, cpu in best.items()]
    title = f"Neighbors of {len(whole)} samples, {SHARE:.0%} missing in {WITH_GAPS} features"
    show(f"{title} of {N_FEATURES}", rows)


if __name__ == "__main__":
    main()
