"""Build Dask collections: samples of blocks, followed by synthetic ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._dask.collection import Collection
from rarelabels._dask.sparse_blocks import of_kind
from rarelabels._dask.tasks import constant, delayed, delayed_beside, reduced
from rarelabels._row_labels import is_new_row, numbers_from, numbers_of_text


@dataclass(frozen=True)
class BlockTasks:
    """Tasks that return blocks, and the number of rows of each."""

    blocks: list[Any]
    sizes: list[int]

    def __add__(self, behind: BlockTasks) -> BlockTasks:
        return BlockTasks([*self.blocks, *behind.blocks], [*self.sizes, *behind.sizes])

    def each(self, function: Callable[[Any], Any]) -> BlockTasks:
        """Apply a function to each block."""
        return BlockTasks([delayed(function)(block) for block in self.blocks], self.sizes)


def stacked_rows(
    collection: Collection, rows: Array, new: BlockTasks | None = None, like: Any = None
) -> Any:
    """Return rows of a collection, followed by new ones with the dtypes of `like`.

    Parameters
    ----------
    collection : Collection
        The rows to take from.
    rows : (m,) ndarray of ints
        Which.
    new : BlockTasks, optional
        New rows.
    like : ndarray or dataframe, optional
        A block without rows in the dtypes of the new ones.
    """
    like = collection.meta if like is None else like
    copied = copied_rows(collection, rows)
    build = dataframe_of_blocks if collection.is_frame else array_of_blocks
    if new is None:
        new = BlockTasks([], [])
    elif not _same_dtypes(like, collection.meta):
        copied = copied.each(partial(_cast, like=like))
    if collection.is_frame:
        return build(relabeled(collection, rows, copied + new), like)
    if collection.is_sparse:
        return sparse_array_of_blocks(copied + new, like, collection.kind)
    return build(copied + new, like)


def copied_rows(collection: Collection, rows: Array) -> BlockTasks:
    """Return rows as blocks: first those in order, from each block, then those out of order."""
    n_rising = int(np.argmax(np.diff(rows, append=-1) <= 0)) + 1 if rows.size else 0
    blocks: list[Any] = []
    sizes: list[int] = []
    ends = np.searchsorted(rows[:n_rising], collection.edges)
    for number, (start, stop) in enumerate(pairwise(ends.tolist())):
        if start < stop:
            is_whole = stop - start == collection.lengths[number]
            own_rows = rows[start:stop] - collection.edges[number]
            block, take = collection.blocks[number], collection.gathering.take
            blocks.append(block if is_whole else delayed_beside(block, take)(block, own_rows))
            sizes.append(stop - start)
    for start in range(n_rising, rows.size, collection.largest):
        part = rows[start : start + collection.largest]
        blocks.append(collection.gathered(part))
        sizes.append(part.size)
    return BlockTasks(blocks, sizes)


def array_of_blocks(values: BlockTasks, like: Array) -> Any:
    """Return blocks as a Dask array."""
    import dask.array

    arrays = [
        dask.array.from_delayed(block, (size, like.shape[1]), meta=like)
        for block, size in zip(values.blocks, values.sizes, strict=True)
    ]
    if not arrays:
        return dask.array.from_delayed(constant(like), like.shape, meta=like)
    return dask.array.concatenate(arrays)


def sparse_array_of_blocks(values: BlockTasks, like: Any, kind: Any) -> Any:
    """Return blocks of CSR arrays as a Dask array of sparse blocks of another class."""
    return array_of_blocks(values.each(partial(of_kind, like=kind)), of_kind(like, kind))


def dataframe_of_blocks(values: BlockTasks, like: Any, divisions: Any = None) -> Any:
    """Return blocks as a Dask dataframe, with the divisions of the index if they are known."""
    import dask.dataframe

    blocks, meta = values.blocks or [delayed(like.copy)()], like.iloc[:0]
    return dask.dataframe.from_delayed(blocks, meta=meta, divisions=divisions, verify_meta=False)


def bag_of_blocks(blocks: list[Any]) -> Any:
    """Return lists as a Dask bag."""
    import dask.bag

    return dask.bag.from_delayed(blocks)


def _same_dtypes(like: Any, meta: Any) -> bool:
    if hasattr(like, "dtypes"):
        return not _changed_dtypes(like, meta)
    return bool(like.dtype == meta.dtype)


def _changed_dtypes(like: Any, frame: Any) -> dict[Any, Any]:
    """Return the new dtypes of columns. Categories may differ in the values that they list."""
    pairs = zip(like.columns, like.dtypes, frame.dtypes, strict=True)
    return {name: new for name, new, old in pairs if str(new) != str(old)}


def _cast(block: Any, like: Any) -> Any:
    if hasattr(like, "dtypes"):
        return block.astype(_changed_dtypes(like, block))
    return block.astype(like.dtype)


@dataclass(frozen=True)
class IndexSummary:
    """The row labels of consecutive rows: `kind` is "integer", "string", "empty" or "other".

    `numbers` are the largest label of integers, or the labels of text that are numbers.
    """

    kind: str
    numbers: Any

    @classmethod
    def of(cls, frame: Any) -> IndexSummary:
        """Look at the index of a partition."""
        index = frame.index
        if not len(index):
            return cls("empty", None)
        if index.nlevels == 1 and index.dtype.kind in "iu":
            return cls("integer", int(index.max()))
        if index.nlevels == 1 and index.inferred_type == "string":
            return cls("string", {label for label in index if label.isdecimal()})
        return cls("other", None)

    @classmethod
    def joined(cls, parts: list[IndexSummary]) -> IndexSummary:
        """Return the summary of several partitions."""
        parts = [part for part in parts if part.kind != "empty"]
        kinds = {part.kind for part in parts}
        if len(kinds) != 1 or kinds == {"other"}:
            return cls("other", None)
        if kinds == {"integer"}:
            return cls("integer", max(part.numbers for part in parts))
        return cls("string", set().union(*(part.numbers for part in parts)))


def relabeled(collection: Collection, rows: Array, values: BlockTasks) -> BlockTasks:
    """Set row labels as `row_labels` does: the original label the first time, then numbers."""
    is_new = is_new_row(rows, sum(values.sizes) - rows.size)
    if not is_new.any():
        return values
    summary = reduced(
        [delayed(IndexSummary.of)(block) for block in collection.blocks], IndexSummary.joined
    )
    ends = [0, *accumulate(values.sizes)]
    numbers = _numbers(summary, collection.shape[0], int(is_new.sum()))
    if numbers is None:
        blocks = [
            delayed(numbered)(block, start, stop)
            for block, (start, stop) in zip(values.blocks, pairwise(ends), strict=True)
        ]
        return BlockTasks(blocks, values.sizes)
    used = np.concatenate([[0], np.cumsum(is_new)])
    index, blocks = collection.meta.index, []
    for block, (start, stop) in zip(values.blocks, pairwise(ends), strict=True):
        new_labels = numbers[used[start] : used[stop]]
        is_new_here = is_new[start:stop]
        relabel = delayed(_with_labels)
        blocks.append(
            relabel(block, is_new_here, new_labels, index.dtype, index.name)
            if new_labels
            else block
        )
    return BlockTasks(blocks, values.sizes)


def _numbers(summary: IndexSummary, n_rows: int, n_numbers: int) -> list[Any] | None:
    if summary.kind == "integer":
        return numbers_from(summary.numbers, n_numbers)
    if summary.kind == "string":
        return numbers_of_text(summary.numbers, n_rows, n_numbers)
    return None


def numbered(frame: Any, start: int, stop: int) -> Any:
    """Return a dataframe whose rows have consecutive numbers as labels."""
    import pandas as pd

    return frame.set_axis(pd.RangeIndex(start, stop), axis=0)


def _with_labels(frame: Any, is_new: Array, numbers: list[Any], dtype: Any, name: Any) -> Any:
    import pandas as pd

    labels = frame.index.to_numpy(dtype=object, copy=True)
    labels[is_new] = numbers
    return frame.set_axis(pd.Index(labels, dtype=dtype, name=name), axis=0)
