"""Threads of a search, and the memory that each of them reuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import joblib
from threadpoolctl import ThreadpoolController


def effective_threads(n_jobs: int | None) -> int:
    """Return the number of threads; None means as many as BLAS may use, as in scikit-learn."""
    if n_jobs is not None:
        return joblib.effective_n_jobs(n_jobs)
    pools = _libraries().select(user_api="blas").info()
    return max([1, *(pool["num_threads"] for pool in pools)])


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS uses one thread, since more would compete with ours."""
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> ThreadpoolController:
    """Find the libraries that have threads, once, because it takes milliseconds."""
    return ThreadpoolController()


def in_threads(work: Callable[[Any], Any], parts: Iterable[Any], n_threads: int) -> list[Any]:
    """Return the result of the work for each part, computed in several threads if asked."""
    if n_threads == 1:
        return [work(part) for part in parts]
    # joblib checks only every hundredth of a second whether all is done.
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, parts))
