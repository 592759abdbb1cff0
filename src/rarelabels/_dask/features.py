"""The features of a Dask collection: its numbers, block by block."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._backends import Backend, backend_of
from rarelabels._containers import (
    AddedSamples,
    Array,
    Matrix,
    column_of,
    contain,
    nonzero_in_either,
)
from rarelabels._dask.assembly import BlockTasks, stacked_rows
from rarelabels._dask.collection import Collection, Gathering, gather
from rarelabels._dask.column_statistics import (
    NONE,
    ColumnStatistics,
    NumberCoding,
    coding_of,
    column_statistics,
    joined_statistics,
)
from rarelabels._dask.sparse_blocks import joined_blocks, size_in_bytes
from rarelabels._dask.tasks import compute, constant, delayed, delayed_beside, reduced
from rarelabels._features import (
    Features,
    as_numbers,
    back_to_integers,
    bad_value,
    categorical_mask,
    is_category_of,
    offsets_from,
)

# Entries of synthetic samples per task, which also has their parents in memory, twice.
GROWN_ENTRIES = 2**21
# Number of large results that one task joins.
FEW_AT_ONCE = 4


@dataclass(frozen=True)
class Block:
    """Numbers of some samples.

    Attributes
    ----------
    numbers : (m, d) ndarray or csr_array
        As `Features.numbers`.
    integers : mapping of feature to (m,) ndarray of uint64
        Features with integers beyond 2**53: differences from their minimum.
    """

    numbers: Matrix
    integers: dict[int, Array]

    def __len__(self) -> int:
        return self.numbers.shape[0]

    def __sizeof__(self) -> int:
        # Dask uses this to decide where tasks run and how much memory is in use.
        return size_in_bytes(self.numbers) + sum(column.nbytes for column in self.integers.values())

    def take(self, rows: Any) -> Block:
        """Return some samples, given as an array of indices or a slice."""
        return Block(self.numbers[rows], {j: column[rows] for j, column in self.integers.items()})

    @staticmethod
    def join(blocks: list[Block]) -> Block:
        """Concatenate several blocks."""
        if len(blocks) == 1:
            return blocks[0]
        integers = {j: np.concatenate([b.integers[j] for b in blocks]) for j in blocks[0].integers}
        return Block(joined_blocks([block.numbers for block in blocks]), integers)


@dataclass(frozen=True)
class DaskFeatures(Features):
    """The features of a Dask collection, which are never all in memory."""

    container: Collection
    categorical: Array
    # What is made of the features of each block when it is read.
    reader: Callable[[Features], Features] | None = None

    @property
    def backend(self) -> Backend | None:
        """The backend that holds X."""
        return backend_of(self.container.data)

    @property
    def is_sparse(self) -> bool:
        """Whether blocks are sparse matrices."""
        return self.container.is_sparse

    @cached_property
    def statistics(self) -> ColumnStatistics:
        """Statistics of the columns of all blocks."""
        statistics = scanned(self.container, self.categorical)
        if (statistics.first_infinite != NONE).any():
            row = int(statistics.first_infinite.min())
            column = int(np.flatnonzero(statistics.first_infinite == row)[0])
            raise ValueError(bad_value("infinity", row, column, self.container.names))
        return statistics

    @cached_property
    def coding(self) -> NumberCoding:
        """How values are turned into numbers."""
        for j, values in self.statistics.values.items():
            if not self.categorical[j]:
                # This refuses text that is not a category, and columns of several kinds of values.
                as_numbers(_objects(list(values.firsts)), j, self.container.names)
        return coding_of(self.statistics, self.categorical)

    @cached_property
    def blocks(self) -> list[Any]:
        """The tasks that return the numbers of each block."""
        coding = constant(self.coding)
        names = constant(self.container.names)
        return [
            delayed_beside(block, numbers_of_block)(block, coding, names)
            for block in self.container.blocks
        ]

    @property
    def has_missing(self) -> Array:
        """Which features have missing values."""
        return self.statistics.first_missing != NONE

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """The smallest and the largest number of each feature, NaN if all are missing."""
        low, high = self.statistics.low.copy(), self.statistics.high.copy()
        for j, codes in self.coding.codes.items():
            low[j], high[j] = (0.0, len(codes) - 1.0) if codes else (np.nan, np.nan)
        for j in self.coding.lows:
            least, most = self.statistics.integers[j]
            low[j], high[j] = 0.0, float(int(most) - int(least))
        return low, high

    @cached_property
    def category_values(self) -> dict[int, Array]:
        """The sorted numbers of each categorical feature."""
        values_of = {}
        for j in np.flatnonzero(self.categorical).tolist():
            codes = self.coding.codes.get(j)
            values = self.statistics.values[j].firsts if codes is None else range(len(codes))
            values_of[j] = np.sort(np.array(list(values), dtype=np.float64))
        return values_of

    def rows(self, start: int, stop: int) -> Any:
        """Return the task that concatenates consecutive samples."""
        edges, pieces = self.container.edges, []
        for number in range(len(self.blocks)):
            first, last = max(start, edges[number]), min(stop, edges[number + 1])
            if first < last:
                pieces.append((self.blocks[number], first - edges[number], last - edges[number]))
        join = delayed_beside(pieces[0][0], _join_slices)
        return join([one for one, _, _ in pieces], [c[1:] for c in pieces])

    def gathered(self, samples: Array) -> Any:
        """Return the task that gathers some samples, in their order."""
        return gather(self.blocks, self.container.edges, samples, Gathering(Block.take, Block.join))

    def grow(
        self,
        make: Callable[[Matrix, Array, np.random.Generator], tuple[Matrix, Array]],
        members: Array,
        rng: np.random.Generator,
    ) -> tuple[Any, Array]:
        """Make synthetic samples where the data is, block by block; see `Features.grow`."""
        maker, per_sample = constant(make), self.entries_per_sample
        size = min(self.container.largest, max(1, int(GROWN_ENTRIES // per_sample)))
        parts = [members[start : start + size] for start in range(0, members.shape[0], size)]
        local_members, blocks = [], []
        for part in parts:
            distinct, local = _distinct_members(part)
            local_members.append(local)
            blocks.append(self.gathered(distinct))
        tasks = []
        for local, block, n_drawn in zip(
            local_members, blocks, self._n_drawn(blocks, local_members), strict=True
        ):
            generator = copy.deepcopy(rng)
            # Draw as many numbers here as the task does, so that the next task continues.
            rng.random(n_drawn)
            tasks.append(delayed(_grown, nout=2)(maker, block, local, generator))
        places = [np.empty(0), *compute([place for _, place in tasks])]
        values = BlockTasks([block for block, _ in tasks], [part.shape[0] for part in parts])
        return values, np.concatenate(places)

    @property
    def entries_per_sample(self) -> float:
        """Average number of values of a sample that are in memory."""
        if not self.is_sparse:
            return self.container.shape[1]
        return max(1.0, self.statistics.n_entries / max(1, self.n_samples))

    def _n_drawn(self, blocks: list[Any], members: list[Array]) -> list[int]:
        """Return how many numbers each task draws for synthetic samples."""
        if not self.is_sparse:
            return [local.shape[0] * self.container.shape[1] for local in members]
        drawn: list[int] = compute(
            [delayed(_n_nonzero)(*task) for task in zip(blocks, members, strict=True)]
        )
        return drawn

    def stack(self, rows: Array, values: Any = None) -> Any:
        """Return some samples followed by synthetic ones, as a Dask collection."""
        if values is None:
            return stacked_rows(self.container, rows)
        specimen, decoding = self._decoding()
        like = _decoded(specimen, decoding, self._no_values())
        shared = [constant(specimen), constant(decoding)]
        decoded = [delayed(_decoded)(*shared, block) for block in values.blocks]
        return stacked_rows(self.container, rows, BlockTasks(decoded, values.sizes), like)

    def _no_values(self) -> Matrix:
        if self.is_sparse:
            return sparse.csr_array((0, self.container.shape[1]), dtype=self.coding.dtype)
        return np.empty((0, self.container.shape[1]), dtype=self.coding.dtype)

    def _decoding(self) -> tuple[Any, Decoding]:
        """Return samples that have every coded or missing value, and how codes refer to them."""
        of_codes = {
            j: [
                *self.statistics.values[j].firsts.values(),
                *_known_row(self.statistics.first_missing[j]),
            ]
            for j in self.coding.codes
        }
        with_missing = self.statistics.first_missing[self.has_missing].tolist()
        rows_needed = np.unique([row for rows in of_codes.values() for row in rows] + with_missing)
        rows_needed = (
            rows_needed.astype(np.intp) if rows_needed.size else np.zeros(1, dtype=np.intp)
        )
        sources = {j: np.searchsorted(rows_needed, rows) for j, rows in of_codes.items()}
        integers = {j: self.statistics.integers[j] for j in self.coding.lows}
        specimen = compute([self.container.gathered(rows_needed)])[0]
        return specimen, Decoding(self.categorical, sources, integers)

    def per_sample(self, function: Callable[[Array], Array]) -> Array:
        """Return what a function computes for each sample from its numbers."""
        tasks = [delayed_beside(one, _apply)(function, one) for one in self.blocks]
        return np.concatenate(compute(tasks))

    @property
    def codes(self) -> dict[int, dict[Any, int]]:
        """For each feature given as codes, the code of each known value."""
        return self.coding.codes

    def read_by(self, function: Callable[[Features], Features]) -> DaskFeatures:
        """Return the features that a function makes of each block, when the block is read."""
        return replace(self, reader=function)

    @property
    def block_edges(self) -> Array:
        """The first sample of each block, and the number of samples."""
        return self.container.edges

    def map_blocks(
        self,
        function: Callable[..., Any],
        arguments: Mapping[int, tuple[Any, ...]],
        join: Callable[[list[Any]], Any] | None = None,
    ) -> Any:
        """Call a function with the features of each block, where the block is.

        Results are joined in the order of blocks, so they do not depend on the number of workers.
        """
        reading = constant(BlockReading(self.categorical, self.reader, function))
        tasks = [
            delayed_beside(block, _called)(reading, number, block, constant(arguments[number]))
            for number, block in enumerate(self.container.blocks)
            if number in arguments
        ]
        return compute(tasks) if join is None else reduced(tasks, join, FEW_AT_ONCE)


@dataclass(frozen=True)
class BlockReading:
    """How blocks are read, and what is computed from them."""

    categorical: Array
    reader: Callable[[Features], Features] | None
    function: Callable[..., Any]


def _called(reading: BlockReading, number: int, data: Any, arguments: tuple[Any, ...]) -> Any:
    features = Features(contain(data), reading.categorical)
    if reading.reader is not None:
        with block_named(number):
            features = reading.reader(features)
    return reading.function(features, *arguments)


@contextmanager
def block_named(number: int) -> Iterator[None]:
    """Say in an error which block its rows are counted in."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"block {number} (counted from 0) of X: {error}") from error


@dataclass(frozen=True)
class Decoding:
    """How numbers are turned back into values of X, given samples that have each value.

    Attributes
    ----------
    exact : (d,) bool
        Columns whose values all occur in the input.
    sources : mapping of column to ndarray
        For each code a sample with its value, and last one with a missing value.
    integers : mapping of column to two integers
        The minimum and maximum of columns with integers beyond 2**53.
    """

    exact: Array
    sources: dict[int, Array]
    integers: dict[int, tuple[Any, Any]]


def _decoded(specimen: Any, decoding: Decoding, values: Matrix) -> Any:
    """Return synthetic samples in the container type of the specimen."""
    sources = {}
    for j, of_codes in decoding.sources.items():
        column = column_of(values, j)
        codes = np.where(np.isnan(column), of_codes.size - 1, column)
        sources[j] = of_codes[codes.astype(np.intp)]
    integers = {j: back_to_integers(values[:, j], *ends) for j, ends in decoding.integers.items()}
    new = AddedSamples(values, decoding.exact, sources, integers)
    return contain(specimen).stack(np.empty(0, dtype=np.intp), new)


def dask_features(X: Any, categorical_features: Any) -> DaskFeatures:
    """Wrap a Dask collection, and determine which of its columns are categorical."""
    container = Collection.of(X)
    if not (isinstance(categorical_features, str) and categorical_features == "auto"):
        return DaskFeatures(container, categorical_mask(container, categorical_features))
    n_columns = container.shape[1]
    mask = np.array([container.is_category(j) for j in range(n_columns)], dtype=bool)
    is_open = np.array([container.is_open(j) for j in range(n_columns)], dtype=bool)
    if (mask & is_open).any():
        statistics = scanned(container, mask)
        for j in np.flatnonzero(mask & is_open).tolist():
            values = statistics.values[j]
            mask[j] = is_category_of(set(values.kinds), len(values.firsts), values.n_known)
    return DaskFeatures(container, mask)


def scanned(container: Collection, may_be_categorical: Array) -> ColumnStatistics:
    """Compute the column statistics of all blocks."""
    may_be_categorical = may_be_categorical | [
        container.is_open(j) for j in range(container.shape[1])
    ]
    ask = partial(column_statistics, may_be_categorical=may_be_categorical)
    statistics = [delayed_beside(block, ask)(block) for block in container.blocks]
    return reduced(statistics, joined_statistics)


def numbers_of_block(data: Any, coding: NumberCoding, names: Any) -> Block:
    """Return the numbers of a block."""
    container = contain(data)
    matrix = None if coding.codes else container.numbers()
    if matrix is not None and sparse.issparse(matrix):
        return Block(matrix.astype(coding.dtype, copy=False), {})
    if matrix is None:
        matrix = np.empty(container.shape, dtype=coding.dtype)
        for j in range(container.shape[1]):
            column = container.column(j)
            codes = coding.codes.get(j)
            matrix[:, j] = (
                as_numbers(column, j, names)
                if codes is None
                else [codes.get(value, np.nan) for value in column.tolist()]
            )
    integers = {j: offsets_from(low, container.column(j)) for j, low in coding.lows.items()}
    matrix = np.array(matrix, dtype=coding.dtype) if integers else aligned(matrix, coding.dtype)
    for j, offsets in integers.items():
        matrix[:, j] = offsets
    return Block(matrix, integers)


def aligned(matrix: Array, dtype: Any = None) -> Array:
    """Return an array that is contiguous and aligned.

    Arrays received by workers may be unaligned. NumPy would copy all of one to take a few rows.
    """
    return np.require(matrix, dtype, ["C_CONTIGUOUS", "ALIGNED"])


def _join_slices(blocks: list[Block], slices: list[tuple[int, int]]) -> Block:
    parts = [block.take(slice(*ends)) for block, ends in zip(blocks, slices, strict=True)]
    return Block.join(parts)


def _grown(make: Any, block: Block, members: Array, rng: Any) -> tuple[Matrix, Array]:
    # A task may run more than once.
    return make(block.numbers, members, copy.deepcopy(rng))


def _n_nonzero(block: Block, members: Array) -> int:
    """Count the features that are not 0 in one of the first two members of each sample."""
    first, second = (block.numbers[members[:, place]] for place in (0, 1))
    return int(nonzero_in_either(first, second).nnz)


def _apply(function: Callable[[Array], Array], block: Block) -> Array:
    return function(block.numbers)


def _distinct_members(members: Array) -> tuple[Array, Array]:
    """Return the distinct members, and the position of each among them; −1 stays −1."""
    distinct, places = np.unique(members, return_inverse=True)
    n_none = int(np.searchsorted(distinct, 0))
    return distinct[n_none:], places.reshape(members.shape) - n_none


def _known_row(row: int) -> list[int]:
    return [] if row == NONE else [int(row)]


def _objects(values: list[Any]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
