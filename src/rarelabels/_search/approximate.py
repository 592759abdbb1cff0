"""Approximate search by faiss's inverted lists, as far as the recall that is asked for allows.

The samples are cut into cells around centres, and a sample is compared with those of the nearest
cells alone. How many cells it takes is found by doubling, until the recall, measured on some
samples against the exact search, is reached. Where that takes so many cells that the exact search
is cheaper, as for data without clusters, the search is exact.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._distance import FeatureSpace
from rarelabels._search import nearest_samples
from rarelabels._search.blocks import BlockSearch
from rarelabels._search.points import Points, points_of
from rarelabels._search.ranking import nearest_of_candidates
from rarelabels._search.threads import effective_threads

# Among fewer samples the exact search is faster than the making of cells.
APPROXIMATE_SAMPLES = 50_000
# Samples that the recall is measured on.
MEASURED = 500
# Cells for the square root of the number of samples, and samples that each is learned from.
CELLS = 4
LEARNED_FROM = 40
ROUNDS = 10
# A pair costs so many times as much among cells, where samples come one by one, as in tiles.
CELL_COST = 8
# Candidates beyond those asked for, as single precision may put them in the wrong order.
MORE = 6
SAMPLES_AT_ONCE = 2**15


def nearest_approximately(
    space: FeatureSpace,
    n_neighbors: int,
    recall: float,
    n_jobs: int | None = None,
    max_gigabytes: float | None = None,
) -> tuple[Array, float]:
    """Return the nearest other samples of each, as (n, k) indices, and the recall measured.

    The recall is 1 where the search was exact.
    """
    faiss = _faiss()
    if space.n_samples >= APPROXIMATE_SAMPLES and _is_euclidean(space):
        check_memory(space, recall, max_gigabytes)
        try:
            found = _nearest_in_cells(faiss, space, n_neighbors, recall, effective_threads(n_jobs))
        except MemoryError as error:
            raise MemoryError(_too_large(space, recall, "there is less")) from error
        if found is not None:
            return found
    return nearest_samples(space, n_neighbors, n_jobs=n_jobs), 1.0


def check_memory(space: FeatureSpace, recall: float, max_gigabytes: float | None) -> None:
    """Refuse a search that takes more memory than it is given."""
    if max_gigabytes is not None and gigabytes_needed(space) > max_gigabytes:
        given = f"max_gigabytes={max_gigabytes:g} is less"
        raise MemoryError(_too_large(space, recall, given))


def gigabytes_needed(space: FeatureSpace) -> float:
    """Return about how much memory an approximate search takes beside the features."""
    n_samples, n_columns = space.raw.shape
    of_cells = 1 + min(1.0, LEARNED_FROM * CELLS / np.sqrt(n_samples))
    return float(n_samples * 4 * (n_columns + 2) * (1 + of_cells) / 1e9)


def _too_large(space: FeatureSpace, recall: float, given: str) -> str:
    n_samples, n_columns = space.raw.shape
    return (
        f"a recall of {recall:g} needs every sample in memory, twice and in single precision: "
        f"about {gigabytes_needed(space):.2g} GB for {n_samples:,} samples of {n_columns:,} "
        f"features, and {given}. Search in fewer features (TruncatedSVD) and pass what "
        "find_neighbors finds there, or look at a part of the samples."
    )


def _nearest_in_cells(
    faiss: Any, space: FeatureSpace, n_neighbors: int, recall: float, n_threads: int
) -> tuple[Array, float] | None:
    """Search in cells; None where there are none, or the exact search is cheaper."""
    points = points_of(space, np.float32)
    has_columns = points.asking.shape[1] > 0
    if points.hot is not None or not has_columns:
        return None
    return _Cells(faiss, space, points, n_threads).nearest(n_neighbors, recall)


def _faiss() -> Any:
    try:
        with warnings.catch_warnings():
            # Its wrapper warns of itself where Python is newer than it.
            warnings.simplefilter("ignore", DeprecationWarning)
            import faiss
    except ImportError as error:
        raise ImportError(
            'neighbors="approximate" needs faiss, which is not installed; '
            'pip install "rarelabels[approximate]" installs it.'
        ) from error
    return faiss


def _is_euclidean(space: FeatureSpace) -> bool:
    """Whether distances are those of dense numbers, without gaps."""
    return not (sparse.issparse(space.raw) or space.gaps.size)


class _Cells:
    """Samples in cells around centres."""

    def __init__(self, faiss: Any, space: FeatureSpace, points: Points, n_threads: int) -> None:
        self.faiss, self.space, self.points = faiss, space, points
        self.n_threads = n_threads
        self.n_cells = int(CELLS * np.sqrt(space.n_samples))

    def nearest(self, n_neighbors: int, recall: float) -> tuple[Array, float] | None:
        """Return the nearest of all samples and the recall, None where exact search is cheaper."""
        before = self.faiss.omp_get_max_threads()
        self.faiss.omp_set_num_threads(self.n_threads)
        try:
            index = self._index()
            reached = self._probe_until(index, n_neighbors, recall)
            if reached is None:
                return None
            return self._search(index, np.arange(self.space.n_samples), n_neighbors), reached
        finally:
            self.faiss.omp_set_num_threads(before)

    def _vectors(self, samples: Any) -> Array:
        return np.ascontiguousarray(self.points.searched[samples, :-2])

    def _index(self) -> Any:
        """Learn the cells from some samples and put all into them, part by part."""
        n_samples, n_columns = self.space.n_samples, self.points.searched.shape[1] - 2
        centres = self.faiss.IndexFlatL2(n_columns)
        index = self.faiss.IndexIVFFlat(centres, n_columns, self.n_cells)
        index.cp.niter = ROUNDS
        index.cp.max_points_per_centroid = LEARNED_FROM
        # The same cells whenever the same data is searched.
        rng = np.random.default_rng(0)
        learned_from = rng.choice(n_samples, min(n_samples, LEARNED_FROM * self.n_cells), False)
        index.train(self._vectors(np.sort(learned_from)))
        for start in range(0, n_samples, SAMPLES_AT_ONCE):
            index.add(self._vectors(slice(start, start + SAMPLES_AT_ONCE)))
        return index

    def _probe_until(self, index: Any, n_neighbors: int, recall: float) -> float | None:
        """Double the cells that are looked at until the recall is reached, and return it."""
        rng = np.random.default_rng(0)
        some = np.sort(rng.choice(self.space.n_samples, MEASURED, replace=False))
        exact = BlockSearch(self.space, self.space.n_samples, self.points).nearest(
            some, n_neighbors
        )
        index.nprobe = 1
        while index.nprobe * CELL_COST <= self.n_cells / 2:
            found = self._search(index, some, n_neighbors)
            reached = float((found[:, :, None] == exact[:, None, :]).any(axis=2).mean())
            if reached >= recall:
                return reached
            index.nprobe *= 2
        return None

    def _search(self, index: Any, samples: Array, n_neighbors: int) -> Array:
        parts = [
            self._search_part(index, samples[start : start + SAMPLES_AT_ONCE], n_neighbors)
            for start in range(0, samples.size, SAMPLES_AT_ONCE)
        ]
        return np.concatenate(parts)

    def _search_part(self, index: Any, samples: Array, n_neighbors: int) -> Array:
        """Rank the candidates of some samples; where cells hold too few, search exactly."""
        _, found = index.search(self._vectors(samples), n_neighbors + 1 + MORE)
        is_candidate = (found >= 0) & (found != samples[:, None])
        enough = is_candidate.sum(axis=1) >= n_neighbors
        nearest = np.empty((samples.size, n_neighbors), dtype=np.intp)
        row, place = np.nonzero(is_candidate[enough])
        nearest[enough] = nearest_of_candidates(
            self.space, samples[enough], row, found[enough][row, place], n_neighbors
        )
        if not enough.all():
            search = BlockSearch(self.space, self.space.n_samples, self.points)
            nearest[~enough] = search.nearest(samples[~enough], n_neighbors)
        return nearest
