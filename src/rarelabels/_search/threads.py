"""Threads of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import joblib
from threadpoolctl import ThreadpoolController


def effective_threads(n_jobs: int | None) -> int:
    """Read None as scikit-learn's own search does: the threads that BLAS may use."""
    if n_jobs is not None:
        return joblib.effective_n_jobs(n_jobs)
    pools = _libraries().select(user_api="blas").info()
    return max([1, *(pool["num_threads"] for pool in pools)])


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return the context in which BLAS has one thread: more would fight with ours."""
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> ThreadpoolController:
    """Find the libraries that have threads, once: to look for them takes milliseconds."""
    return ThreadpoolController()


def in_threads(work: Callable[[Any], Any], parts: Iterable[Any], n_threads: int) -> list[Any]:
    """Return what the work gives for each part, in threads where there are several."""
    if n_threads == 1:
        return [work(part) for part in parts]
    # joblib looks only every hundredth of a second whether all is done.
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, parts))
