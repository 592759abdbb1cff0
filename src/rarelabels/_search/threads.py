"""Threads of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
from threadpoolctl import threadpool_info


def effective_threads(n_jobs: int | None) -> int:
    """Read None as scikit-learn's own search does: the threads that BLAS may use."""
    if n_jobs is not None:
        return joblib.effective_n_jobs(n_jobs)
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return max([1, *pools])


def in_threads(work: Callable[[Any], Any], parts: Iterable[Any], n_threads: int) -> list[Any]:
    """Return what the work gives for each part, in threads where there are several."""
    if n_threads == 1:
        return [work(part) for part in parts]
    # joblib looks only every hundredth of a second whether all is done.
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, parts))
