"""Approximate search by faiss's inverted lists.

The samples are divided into cells around centers, and a sample is compared only with the samples of
the nearest cells. The number of cells is doubled until the recall, measured on some samples against
the exact search, is reached. If that takes so many cells that the exact search is cheaper, as for
data without clusters, the search is exact.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._neighbors.exact import nearest_samples
from rarelabels._neighbors.exact.brute_force import BruteForceSearch
from rarelabels._neighbors.exact.operands import Operands, operands_of
from rarelabels._neighbors.exact.ranking import nearest_of_candidates
from rarelabels._neighbors.exact.threads import effective_threads
from rarelabels._neighbors.space import FeatureSpace

# Among fewer samples the exact search is faster than building the cells.
APPROXIMATE_SAMPLES = 50_000
# Number of samples on which the recall is measured.
MEASURED = 500
# Cells per square root of the number of samples, and training samples per cell.
CELLS = 4
LEARNED_FROM = 40
ROUNDS = 10
# Cost of a pair of samples in cells, relative to its cost in tiles.
CELL_COST = 8
# Additional candidates, since single precision may put them in the wrong order.
MORE = 6
SAMPLES_AT_ONCE = 2**15


@dataclass(frozen=True)
class CellSettings:
    """How cells are learned and tested.

    Attributes
    ----------
    learned_from : int
        Training samples per cell.
    rounds : int
        Rounds of training.
    measured : int
        Number of samples on which the recall is measured.
    """

    learned_from: int
    rounds: int
    measured: int


def nearest_approximately(
    space: FeatureSpace,
    n_neighbors: int,
    recall: float,
    n_jobs: int | None = None,
    max_gigabytes: float | None = None,
) -> tuple[Array, float]:
    """Return the nearest other samples of each, as (n, k) indices, and the measured recall.

    The recall is 1 if the search was exact.
    """
    faiss = load_faiss()
    if space.n_samples >= APPROXIMATE_SAMPLES and _is_euclidean(space):
        check_memory(space, recall, max_gigabytes)
        try:
            result = _nearest_in_cells(faiss, space, n_neighbors, recall, effective_threads(n_jobs))
        except MemoryError as error:
            raise MemoryError(_too_large(space, recall, "there is less")) from error
        if result is not None:
            return result
    return nearest_samples(space, n_neighbors, n_jobs=n_jobs), 1.0


def check_memory(space: FeatureSpace, recall: float, max_gigabytes: float | None) -> None:
    """Refuse a search that needs more memory than allowed."""
    if max_gigabytes is not None and gigabytes_needed(space) > max_gigabytes:
        given = f"max_gigabytes={max_gigabytes:g} is less"
        raise MemoryError(_too_large(space, recall, given))


def gigabytes_needed(space: FeatureSpace) -> float:
    """Estimate the memory that an approximate search needs in addition to the features."""
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
    """Search in cells. Return None if there are none, or if the exact search is cheaper."""
    operands = operands_of(space, np.float32)
    has_columns = operands.query_columns.shape[1] > 0
    if operands.sparse_query is not None or not has_columns:
        return None
    return SampleCells(faiss, space, operands, n_threads).nearest(n_neighbors, recall)


def load_faiss() -> Any:
    """Return the module faiss, or raise an error that says how to install it."""
    try:
        with warnings.catch_warnings():
            # Its wrapper emits warnings if Python is newer.
            warnings.simplefilter("ignore", DeprecationWarning)
            import faiss
    except ModuleNotFoundError as error:
        raise ImportError(
            'neighbors="approximate" needs faiss, which is not installed; '
            'pip install "rarelabels[approximate]" installs it.'
        ) from error
    except ImportError as error:
        raise ImportError(
            'neighbors="approximate" needs faiss, which is installed but cannot be loaded, for '
            f"example for lack of memory: {error}"
        ) from error
    return faiss


def _is_euclidean(space: FeatureSpace) -> bool:
    """Whether distances are those of dense numbers without missing values."""
    return not (sparse.issparse(space.raw) or space.incomplete.size)


class SampleCells:
    """The first `n_searched` samples of a space in cells around centers; default is all."""

    def __init__(
        self,
        faiss: Any,
        space: FeatureSpace,
        operands: Operands,
        n_threads: int,
        *,
        n_searched: int | None = None,
        settings: CellSettings | None = None,
    ) -> None:
        self.faiss, self.space, self.operands = faiss, space, operands
        self.n_threads = n_threads
        self.n_searched = space.n_samples if n_searched is None else n_searched
        self.settings = settings or CellSettings(LEARNED_FROM, ROUNDS, MEASURED)
        self.n_cells = int(CELLS * np.sqrt(self.n_searched))

    def nearest(self, n_neighbors: int, recall: float) -> tuple[Array, float] | None:
        """Return the nearest of all samples and the recall, None if exact search is cheaper."""
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
        return np.ascontiguousarray(self.operands.target_columns[samples, :-2])

    def _index(self) -> Any:
        """Train the cells on some samples, and add all samples to them, part by part."""
        n_samples, n_columns = self.n_searched, self.operands.target_columns.shape[1] - 2
        centers = self.faiss.IndexFlatL2(n_columns)
        index = self.faiss.IndexIVFFlat(centers, n_columns, self.n_cells)
        index.cp.niter = self.settings.rounds
        index.cp.max_points_per_centroid = self.settings.learned_from
        # Otherwise it warns if there are fewer than 39.
        index.cp.min_points_per_centroid = 1
        # The same data always gets the same cells.
        rng, n_learned = np.random.default_rng(0), self.settings.learned_from * self.n_cells
        learned_from = rng.choice(n_samples, min(n_samples, n_learned), False)
        index.train(self._vectors(np.sort(learned_from)))
        for start in range(0, n_samples, SAMPLES_AT_ONCE):
            index.add(self._vectors(slice(start, min(start + SAMPLES_AT_ONCE, n_samples))))
        return index

    def _probe_until(self, index: Any, n_neighbors: int, recall: float) -> float | None:
        """Double the number of cells searched until the recall is reached, and return it."""
        rng = np.random.default_rng(0)
        some = np.sort(rng.choice(self.n_searched, self.settings.measured, replace=False))
        exact = BruteForceSearch(self.space, self.n_searched, self.operands).nearest(
            some, n_neighbors
        )
        index.nprobe = 1
        while index.nprobe * CELL_COST <= self.n_cells / 2:
            approximate = self._search(index, some, n_neighbors)
            reached = float((approximate[:, :, None] == exact[:, None, :]).any(axis=2).mean())
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
        """Rank the candidates of some samples. If the cells have too few, search exactly."""
        _, candidates = index.search(self._vectors(samples), n_neighbors + 1 + MORE)
        is_candidate = (candidates >= 0) & (candidates != samples[:, None])
        enough = is_candidate.sum(axis=1) >= n_neighbors
        nearest = np.empty((samples.size, n_neighbors), dtype=np.intp)
        row, place = np.nonzero(is_candidate[enough])
        nearest[enough] = nearest_of_candidates(
            self.space, samples[enough], row, candidates[enough][row, place], n_neighbors
        )
        if not enough.all():
            search = BruteForceSearch(self.space, self.n_searched, self.operands)
            nearest[~enough] = search.nearest(samples[~enough], n_neighbors)
        return nearest
