"""A Dask array or dataframe as a container: its columns, its blocks and their first rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import AddedSamples, Array, Container, contain
from rarelabels._dask.sparse_blocks import as_csr, is_sparse, joined_blocks
from rarelabels._dask.tasks import compute, delayed, delayed_at, delayed_beside, homes_of


@dataclass(frozen=True)
class Gathering:
    """How rows of a block are selected, and blocks concatenated."""

    take: Callable[[Any, Array], Any]
    join: Callable[[list[Any]], Any]


@dataclass(frozen=True, eq=False)
class Collection:
    """A Dask array or dataframe, whose rows are never all in memory.

    Attributes
    ----------
    data : dask.array.Array or dask.dataframe.DataFrame
        The caller's collection, with all columns in one block.
    meta : ndarray or dataframe
        A block without rows.
    blocks : list
        The tasks that return the blocks.
    lengths : list of int
        The number of rows of each block.
    kind : sparse matrix or None
        A block of the caller's class if blocks are sparse. All of them are read as CSR arrays.
    """

    data: Any
    meta: Any
    blocks: list[Any]
    lengths: list[int]
    kind: Any = None

    @classmethod
    def of(cls, data: Any, what: str = "X") -> Collection:
        """Wrap a Dask array of known chunks or a Dask dataframe."""
        return _of_frame(data) if _is_frame(data) else _of_array(data, what)

    @property
    def is_frame(self) -> bool:
        """Whether it is a dataframe."""
        return hasattr(self.data, "columns")

    @property
    def is_sparse(self) -> bool:
        """Whether its blocks are sparse matrices."""
        return self.kind is not None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.edges[-1]), self.meta.shape[1]

    @cached_property
    def edges(self) -> Array:
        """The first row of each block, and the number of rows."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.intp)

    @property
    def largest(self) -> int:
        """Rows of the largest block."""
        return max(self.lengths)

    @property
    def names(self) -> tuple[Any, ...] | None:
        """The names of the columns, None if they have none."""
        return self._columns.names

    @cached_property
    def _columns(self) -> Container:
        return contain(self.meta)

    def is_category(self, j: int) -> bool:
        """Whether column `j` has a dtype that only categories have."""
        return self._columns.is_category(j)

    def is_open(self, j: int) -> bool:
        """Whether column `j` has a dtype of text or objects."""
        return self._columns.is_open(j)

    def is_long(self, j: int) -> bool:
        """Whether column `j` has a dtype of integers of 64 bits."""
        return self._columns.is_long(j)

    def column(self, j: int) -> Array:
        """Refuse to load a column."""
        raise TypeError("the columns of a Dask collection are not in memory.")

    def numbers(self) -> None:
        """Return None, since the numbers are not in memory."""

    def original(self) -> Any:
        """Return the caller's collection."""
        return self.data

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        """Refuse to stack rows in memory."""
        raise TypeError("the rows of a Dask collection are stacked by its features.")

    @property
    def gathering(self) -> Gathering:
        """How rows are selected and concatenated."""
        return (
            Gathering(frame_rows, frames_joined)
            if self.is_frame
            else Gathering(_rows, joined_blocks)
        )

    def gathered(self, rows: Array) -> Any:
        """Return the task that gathers some rows, in their order."""
        return gather(self.blocks, self.edges, rows, self.gathering)


def block_without_rows(data: Any) -> Any:
    """Return a block of X without rows; the lengths of partitions are not computed."""
    return data._meta if _is_frame(data) else Collection.of(data).meta


def _is_frame(data: Any) -> bool:
    from dask.delayed import Delayed

    # A Delayed claims to have any attribute, and a series has columns.
    return not isinstance(data, Delayed) and hasattr(data, "columns") and data.ndim == 2


def _of_array(data: Any, what: str) -> Collection:
    shape = getattr(data, "shape", None)
    if not (isinstance(shape, tuple) and len(shape) == 2 and hasattr(data, "chunks")):
        raise ValueError(
            f"{what}: expected a Dask array of shape (n_samples, n_columns) or a Dask dataframe, "
            f"got a Dask {type(data).__name__}."
        )
    if any(np.isnan(size) for sizes in data.chunks for size in sizes):
        raise ValueError(
            f"{what} is a Dask array of unknown chunk sizes; {what}.compute_chunk_sizes() makes "
            "them known."
        )
    if is_sparse(data._meta):
        return _of_sparse(data, what)
    if not isinstance(data._meta, np.ndarray):
        raise TypeError(
            f"{what} is a Dask array of {type(data._meta).__name__} blocks; expected NumPy arrays "
            "or sparse matrices. map_blocks(numpy.asarray) may convert them."
        )
    data = data if len(data.chunks[1]) == 1 else data.rechunk({1: -1})
    tasks, like = data.to_delayed().ravel().tolist(), np.empty((0, data.shape[1]), data.dtype)
    blocks = [
        delayed_at(home, uniform_array)(block, n_rows, like, number, what)
        for number, (block, n_rows, home) in enumerate(
            zip(tasks, data.chunks[0], homes_of(data), strict=True)
        )
    ]
    return Collection(data, like, blocks, [*data.chunks[0]])


def _of_sparse(data: Any, what: str) -> Collection:
    """Wrap an array of sparse blocks. The blocks of all columns are joined."""
    grid, like = data.to_delayed(), sparse.csr_array((0, data.shape[1]), dtype=data.dtype)
    homes = homes_of(data)[:: grid.shape[1]]
    blocks = [
        delayed_at(home, uniform_sparse)(pieces.tolist(), n_rows, like, number, what)
        for number, (pieces, n_rows, home) in enumerate(
            zip(grid, data.chunks[0], homes, strict=True)
        )
    ]
    return Collection(data, like, blocks, [*data.chunks[0]], kind=data._meta)


def _of_frame(data: Any) -> Collection:
    dtypes = [str(dtype) for dtype in data.dtypes]
    blocks = [
        delayed_at(home, uniform_frame)(block, [*data.columns], dtypes, number)
        for number, (block, home) in enumerate(zip(data.to_delayed(), homes_of(data), strict=True))
    ]
    lengths = compute([delayed_beside(block, len)(block) for block in blocks])
    return Collection(data, data._meta, blocks, lengths)


def uniform_array(block: Array, n_rows: int, like: Array, number: int, what: str) -> Array:
    """Return a block after checking that it has the shape and dtype that the array declares."""
    if is_sparse(block):
        raise ValueError(_other_class(block, "NumPy arrays", number, what))
    _check_block(block, (n_rows, like.shape[1]), like, number, what)
    return block


def uniform_sparse(
    pieces: list[Any], n_rows: int, like: Any, number: int, what: str
) -> sparse.csr_array:
    """Join the columns of a block after checking that it is as the array declares."""
    for piece in pieces:
        if not is_sparse(piece):
            raise ValueError(_other_class(piece, "sparse matrices", number, what))
    parts = [as_csr(piece) for piece in pieces]
    block = parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr")
    _check_block(block, (n_rows, like.shape[1]), like, number, what)
    return block


def _other_class(block: Any, declared: str, number: int, what: str) -> str:
    return (
        f"{what} is a Dask array of {declared}, but its block {number} (counted from 0) is a "
        f"{type(block).__name__}; {what}.map_blocks(scipy.sparse.csr_array) makes all blocks "
        "sparse."
    )


def _check_block(block: Any, expected: tuple[int, int], like: Any, number: int, what: str) -> None:
    if block.shape != expected:
        raise ValueError(
            f"block {number} (counted from 0) of {what} has shape {block.shape}, but the Dask "
            f"array says {expected}; make it with the shape that its blocks have."
        )
    if block.dtype != like.dtype:
        raise ValueError(
            f"{what} is a Dask array of {like.dtype}, but its block {number} (counted from 0) "
            f"holds {block.dtype}; {what}.map_blocks(lambda block: block.astype(...), dtype=...) "
            "gives all blocks one dtype."
        )


def uniform_frame(block: Any, names: list[Any], dtypes: list[str], number: int) -> Any:
    """Return a partition after checking that it has the declared columns and dtypes."""
    if [*block.columns] != names:
        raise ValueError(
            f"partition {number} (counted from 0) has the columns {_some(block.columns)}, but the "
            f"Dask dataframe {_some(names)}, in this order; select them in each (map_partitions)."
        )
    for name, dtype, declared in zip(names, block.dtypes, dtypes, strict=True):
        # The dtypes of an empty partition are arbitrary.
        if len(block) and str(dtype) != declared:
            raise ValueError(
                f"column {name!r} is {declared} in the Dask dataframe, but {dtype} in its "
                f"partition {number} (counted from 0); astype on each (map_partitions) gives "
                "all partitions one dtype."
            )
    return block


def _some(names: Any) -> str:
    shown = ", ".join(map(repr, [*names][:10]))
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown


def gather(blocks: list[Any], edges: Array, rows: Array, how: Gathering) -> Any:
    """Return the task that gathers some rows of blocks, in their order."""
    numbers = np.searchsorted(edges, rows, side="right") - 1
    order = np.argsort(numbers, kind="stable")
    block_numbers, starts = np.unique(numbers[order], return_index=True)
    pieces = [
        delayed_beside(blocks[number], how.take)(blocks[number], rows[places] - edges[number])
        for number, places in zip(block_numbers.tolist(), np.split(order, starts[1:]), strict=True)
    ]
    back = np.argsort(order, kind="stable")
    return delayed(_in_order)(pieces, None if _is_sorted(back) else back, how)


def _in_order(pieces: list[Any], order: Array | None, how: Gathering) -> Any:
    joined = how.join(pieces)
    return joined if order is None else how.take(joined, order)


def _is_sorted(order: Array) -> bool:
    return bool((np.diff(order) > 0).all())


def _rows(block: Array, rows: Array) -> Array:
    return block[rows]


def frame_rows(frame: Any, rows: Array) -> Any:
    """Return some rows of a dataframe."""
    return frame.iloc[rows]


def frames_joined(frames: list[Any]) -> Any:
    """Concatenate dataframes, with the union of their categories."""
    from dask.dataframe.dispatch import concat

    return frames[0] if len(frames) == 1 else concat(frames)
