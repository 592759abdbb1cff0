"""Samples of blocks, and synthetic ones behind them, as a Dask collection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from rarelabels._blocks.collection import Collection
from rarelabels._blocks.tasks import delayed, delayed_beside, reduced
from rarelabels._containers import Array
from rarelabels._row_labels import is_new_row, numbers_from, numbers_of_text


@dataclass(frozen=True)
class SpreadValues:
    """Tasks that return blocks, and the rows of each."""

    blocks: list[Any]
    sizes: list[int]

    def __add__(self, behind: SpreadValues) -> SpreadValues:
        return SpreadValues([*self.blocks, *behind.blocks], [*self.sizes, *behind.sizes])

    def each(self, function: Callable[[Any], Any]) -> SpreadValues:
        """Return what a function makes of each block."""
        return SpreadValues([delayed(function)(block) for block in self.blocks], self.sizes)


def stacked_rows(
    collection: Collection, rows: Array, new: SpreadValues | None = None, like: Any = None
) -> Any:
    """Return rows of a collection and new ones behind them, which are `like` a block without rows.

    Parameters
    ----------
    collection : Collection
        The rows to take from.
    rows : (m,) ndarray of ints
        Which.
    new : SpreadValues, optional
        New rows.
    like : ndarray or dataframe, optional
        A block without rows in the dtypes of the new ones.
    """
    like = collection.meta if like is None else like
    found = copied_rows(collection, rows)
    build = spread_frame if collection.is_frame else spread_array
    if new is None:
        new = SpreadValues([], [])
    elif not _same_dtypes(like, collection.meta):
        found = found.each(partial(_cast, like=like))
    if collection.is_frame:
        return build(relabelled(collection, rows, found + new), like)
    return build(found + new, like)


def copied_rows(collection: Collection, rows: Array) -> SpreadValues:
    """Return rows as blocks: in order from each block, and behind them those out of order."""
    n_rising = int(np.argmax(np.diff(rows, append=-1) <= 0)) + 1 if rows.size else 0
    blocks: list[Any] = []
    sizes: list[int] = []
    ends = np.searchsorted(rows[:n_rising], collection.edges)
    for number, (start, stop) in enumerate(pairwise(ends.tolist())):
        if start < stop:
            is_whole = stop - start == collection.lengths[number]
            own = rows[start:stop] - collection.edges[number]
            block, take = collection.blocks[number], collection.gathering.take
            blocks.append(block if is_whole else delayed_beside(block, take)(block, own))
            sizes.append(stop - start)
    for start in range(n_rising, rows.size, collection.largest):
        part = rows[start : start + collection.largest]
        blocks.append(collection.gathered(part))
        sizes.append(part.size)
    return SpreadValues(blocks, sizes)


def spread_array(values: SpreadValues, like: Array) -> Any:
    """Return blocks as a Dask array."""
    import dask.array

    arrays = [
        dask.array.from_delayed(block, (size, like.shape[1]), meta=like)
        for block, size in zip(values.blocks, values.sizes, strict=True)
    ]
    return dask.array.concatenate(arrays) if arrays else dask.array.from_array(like)


def spread_frame(values: SpreadValues, like: Any) -> Any:
    """Return blocks as a Dask dataframe."""
    import dask.dataframe

    blocks = values.blocks or [delayed(like.copy)()]
    return dask.dataframe.from_delayed(blocks, meta=like.iloc[:0], verify_meta=False)


def _same_dtypes(like: Any, meta: Any) -> bool:
    if hasattr(like, "dtypes"):
        return not _changed_dtypes(like, meta)
    return bool(like.dtype == meta.dtype)


def _changed_dtypes(like: Any, frame: Any) -> dict[Any, Any]:
    """Return the new dtypes of columns; those of categories differ in what they list alone."""
    pairs = zip(like.columns, like.dtypes, frame.dtypes, strict=True)
    return {name: new for name, new, old in pairs if str(new) != str(old)}


def _cast(block: Any, like: Any) -> Any:
    if hasattr(like, "dtypes"):
        return block.astype(_changed_dtypes(like, block))
    return block.astype(like.dtype)


@dataclass(frozen=True)
class IndexFacts:
    """What the row labels of consecutive rows are: `kind` is "integer", "string" or another.

    `numbers` are the largest label of integers, or the labels of text that are numbers.
    """

    kind: str
    numbers: Any

    @classmethod
    def of(cls, frame: Any) -> IndexFacts:
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
    def joined(cls, parts: list[IndexFacts]) -> IndexFacts:
        """Return what several partitions know."""
        parts = [part for part in parts if part.kind != "empty"]
        kinds = {part.kind for part in parts}
        if len(kinds) != 1 or kinds == {"other"}:
            return cls("other", None)
        if kinds == {"integer"}:
            return cls("integer", max(part.numbers for part in parts))
        return cls("string", set().union(*(part.numbers for part in parts)))


def relabelled(collection: Collection, rows: Array, values: SpreadValues) -> SpreadValues:
    """Give rows the labels that `row_labels` would: their own the first time, then numbers."""
    is_new = is_new_row(rows, sum(values.sizes) - rows.size)
    if not is_new.any():
        return values
    facts = reduced(
        [delayed(IndexFacts.of)(block) for block in collection.blocks], IndexFacts.joined
    )
    ends = [0, *accumulate(values.sizes)]
    numbers = _numbers(facts, collection.shape[0], int(is_new.sum()))
    if numbers is None:
        blocks = [
            delayed(_numbered)(block, start, stop)
            for block, (start, stop) in zip(values.blocks, pairwise(ends), strict=True)
        ]
        return SpreadValues(blocks, values.sizes)
    used = np.concatenate([[0], np.cumsum(is_new)])
    index, blocks = collection.meta.index, []
    for block, (start, stop) in zip(values.blocks, pairwise(ends), strict=True):
        own = numbers[used[start] : used[stop]]
        is_own = is_new[start:stop]
        relabel = delayed(_with_labels)
        blocks.append(relabel(block, is_own, own, index.dtype, index.name) if own else block)
    return SpreadValues(blocks, values.sizes)


def _numbers(facts: IndexFacts, n_rows: int, n_numbers: int) -> list[Any] | None:
    if facts.kind == "integer":
        return numbers_from(facts.numbers, n_numbers)
    if facts.kind == "string":
        return numbers_of_text(facts.numbers, n_rows, n_numbers)
    return None


def _numbered(frame: Any, start: int, stop: int) -> Any:
    import pandas as pd

    return frame.set_axis(pd.RangeIndex(start, stop), axis=0)


def _with_labels(frame: Any, is_new: Array, numbers: list[Any], dtype: Any, name: Any) -> Any:
    import pandas as pd

    labels = frame.index.to_numpy(dtype=object, copy=True)
    labels[is_new] = numbers
    return frame.set_axis(pd.Index(labels, dtype=dtype, name=name), axis=0)
