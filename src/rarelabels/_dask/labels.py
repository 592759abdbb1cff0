"""A Dask y: its labels are gathered in memory, and results are Dask collections again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import AddedSamples, Array, Container, SparseContainer, contain
from rarelabels._dask.assembly import (
    BlockTasks,
    array_of_blocks,
    bag_of_blocks,
    dataframe_of_blocks,
    sparse_array_of_blocks,
)
from rarelabels._dask.collection import Collection
from rarelabels._dask.tasks import compute, delayed
from rarelabels._label_sets import LabelSetContainer, label_sets
from rarelabels._labels import kind_of_target, not_an_indicator
from rarelabels._row_labels import row_labels

SETS_AS_TEXT = (
    "a Dask Series of text, into which Dask turns lists while its option "
    '"dataframe.convert-string" is on: a dask.bag of lists keeps them'
)


def dask_labels(y: Any) -> Container:
    """Gather the labels of a Dask y: an indicator, or a bag or series of label sets."""
    return _dask_label_sets(y) if _is_flat(y) else DaskLabels.of(y)


@dataclass(frozen=True)
class DaskLabels(SparseContainer):
    """The labels of a Dask array or dataframe, gathered in memory."""

    collection: Collection

    @classmethod
    def of(cls, y: Any) -> DaskLabels:
        """Gather the labels as a sparse matrix."""
        collection = Collection.of(y, "y")
        parts = compute([delayed(_as_sparse)(block) for block in collection.blocks])
        return cls(sparse.vstack(parts, format="csr"), collection)

    @property
    def names(self) -> tuple[Any, ...] | None:
        """The names of a dataframe's columns."""
        return self.collection.names

    @property
    def block(self) -> Container:
        """A block of y without samples."""
        return contain(self.collection.meta)

    def original(self) -> Any:
        """Return the caller's y."""
        return self.collection.data

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        """Return the given rows followed by the new ones, as a Dask collection."""
        labels = sparse.csr_array(super().stack(rows, new))
        n_rows, size = labels.shape[0], max(1, self.collection.largest)
        starts = range(0, n_rows, size)
        sizes = [min(size, n_rows - start) for start in starts]
        parts = [labels[start : start + size] for start in starts]
        like = self.collection.meta
        if self.collection.is_sparse:
            tasks = BlockTasks([delayed(_cast)(part, like.dtype) for part in parts], sizes)
            return sparse_array_of_blocks(tasks, like, self.collection.kind)
        if not self.collection.is_frame:
            blocks = [delayed(_dense_labels)(part, like.dtype) for part in parts]
            return array_of_blocks(BlockTasks(blocks, sizes), like)
        copied = rows if grown_from is None else grown_from
        index = self._index_of(copied, n_rows - copied.size)
        blocks = [
            delayed(_frame_of_labels)(part, like, index[start : start + size])
            for part, start in zip(parts, starts, strict=True)
        ]
        return dataframe_of_blocks(BlockTasks(blocks, sizes), like)

    @cached_property
    def _index(self) -> Any:
        parts = compute([delayed(_index_of)(block) for block in self.collection.blocks])
        filled = [part for part in parts if len(part)]
        return filled[0].append(filled[1:])

    def _index_of(self, copied: Array, n_new: int) -> Any:
        import pandas as pd

        return row_labels(self._index, copied, n_new, pd)


def _as_sparse(block: Any) -> sparse.csr_array:
    numbers = contain(block).numbers()
    if numbers is None:
        numbers = np.asarray(block, dtype=np.float64)
    return sparse.csr_array(numbers)


def _index_of(frame: Any) -> Any:
    return frame.index


def _dense_labels(labels: sparse.csr_array, dtype: Any) -> Array:
    return labels.toarray().astype(dtype, copy=False)


def _cast(labels: sparse.csr_array, dtype: Any) -> sparse.csr_array:
    return labels.astype(dtype, copy=False)


def _frame_of_labels(labels: sparse.csr_array, like: Any, index: Any) -> Any:
    import pandas as pd

    frame = pd.DataFrame(labels.toarray(), columns=like.columns, index=index)
    return frame.astype(dict(zip(like.columns, like.dtypes, strict=True)))


@dataclass(frozen=True)
class DaskLabelSets(LabelSetContainer):
    """The label sets of a Dask bag or series, gathered in memory.

    Attributes
    ----------
    collection : dask.bag.Bag or dask.dataframe.Series
        The caller's y.
    largest : int
        Number of samples in its largest partition.
    """

    collection: Any
    largest: int

    def original(self) -> Any:
        """Return the caller's y."""
        return self.collection

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        """Return the given rows followed by the new ones, as a Dask collection."""
        stacked = super().stack(rows, new, grown_from)
        starts = range(0, max(1, len(stacked)), self.largest)
        parts = [stacked[start : start + self.largest] for start in starts]
        return (_bag if isinstance(stacked, list) else _series)(parts)


def _dask_label_sets(y: Any) -> DaskLabelSets:
    gathered, largest = _gathered_rows(y)
    sets = label_sets(gathered)
    if sets is None:
        kind = f"a Dask {type(y).__name__}: {kind_of_target(gathered)}"
        raise ValueError(not_an_indicator(SETS_AS_TEXT if _is_text(y) else kind))
    return DaskLabelSets(sets.data, sets.sets, sets.names, y, largest)


def _is_flat(y: Any) -> bool:
    """Whether a Dask collection is a bag or a series."""
    return hasattr(y, "npartitions") and hasattr(y, "to_delayed") and getattr(y, "ndim", 1) == 1


def _gathered_rows(y: Any) -> tuple[Any, int]:
    """Return the items of a bag or series, and the size of its largest partition."""
    parts = compute(y.to_delayed())
    return _joined_rows(parts), max(map(len, parts))


def _joined_rows(parts: list[Any]) -> Any:
    if isinstance(parts[0], list):
        return [one for part in parts for one in part]
    import pandas as pd

    return pd.concat(parts)


def _is_text(y: Any) -> bool:
    """Whether a Dask collection is a series of text."""
    return str(getattr(y, "dtype", "")) == "string"


def _bag(parts: list[list[Any]]) -> Any:
    return bag_of_blocks([delayed(list)(part) for part in parts])


def _series(parts: list[Any]) -> Any:
    import dask.dataframe

    import dask

    tasks = [delayed(part.copy)() for part in parts]
    with dask.config.set({"dataframe.convert-string": False}):
        return dask.dataframe.from_delayed(tasks, meta=parts[0].iloc[:0], verify_meta=False)
