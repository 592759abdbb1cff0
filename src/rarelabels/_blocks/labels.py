"""A Dask y: gathered as a sparse matrix, and returned as a Dask collection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._blocks.assembly import SpreadValues, spread_array, spread_frame
from rarelabels._blocks.collection import Collection
from rarelabels._blocks.tasks import compute, delayed
from rarelabels._containers import AddedSamples, Array, SparseContainer, contain
from rarelabels._row_labels import row_labels


@dataclass(frozen=True)
class SpreadLabels(SparseContainer):
    """The labels of a Dask array or dataframe, which are few enough to be here."""

    collection: Collection

    @classmethod
    def of(cls, y: Any) -> SpreadLabels:
        """Gather the labels as a sparse matrix."""
        collection = Collection.of(y, "y")
        found = compute([delayed(_as_sparse)(block) for block in collection.blocks])
        return cls(sparse.vstack(found, format="csr"), collection)

    @property
    def names(self) -> tuple[Any, ...] | None:
        """The names of a dataframe's columns."""
        return self.collection.names

    def original(self) -> Any:
        """Return y as the caller gave it."""
        return self.collection.data

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        """Take the given rows and put the new ones behind them, as a Dask collection."""
        labels = sparse.csr_array(super().stack(rows, new))
        n_rows, size = labels.shape[0], max(1, self.collection.largest)
        starts = range(0, n_rows, size)
        sizes = [min(size, n_rows - start) for start in starts]
        parts = [labels[start : start + size] for start in starts]
        like = self.collection.meta
        if not self.collection.is_frame:
            made = [delayed(_dense_labels)(part, like.dtype) for part in parts]
            return spread_array(SpreadValues(made, sizes), like)
        copied = rows if grown_from is None else grown_from
        index = self._index_of(copied, n_rows - copied.size)
        made = [
            delayed(_frame_of_labels)(part, like, index[start : start + size])
            for part, start in zip(parts, starts, strict=True)
        ]
        return spread_frame(SpreadValues(made, sizes), like)

    @cached_property
    def _index(self) -> Any:
        parts = compute([delayed(_index_of)(block) for block in self.collection.blocks])
        held = [part for part in parts if len(part)]
        return held[0].append(held[1:])

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


def _frame_of_labels(labels: sparse.csr_array, like: Any, index: Any) -> Any:
    import pandas as pd

    made = pd.DataFrame(labels.toarray(), columns=like.columns, index=index)
    return made.astype(dict(zip(like.columns, like.dtypes, strict=True)))
