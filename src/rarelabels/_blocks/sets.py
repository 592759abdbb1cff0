"""A Dask bag or series of label sets: gathered, and returned as what it came as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rarelabels._blocks.tasks import compute, delayed
from rarelabels._containers import AddedSamples, Array
from rarelabels._label_sets import LabelSetContainer


@dataclass(frozen=True)
class SpreadLabelSets(LabelSetContainer):
    """The label sets of a Dask bag or series, which are few enough to be here.

    Attributes
    ----------
    collection : dask.bag.Bag or dask.dataframe.Series
        What the caller gave.
    largest : int
        Samples of its largest partition.
    """

    collection: Any
    largest: int

    def original(self) -> Any:
        """Return y as the caller gave it."""
        return self.collection

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        """Take the given rows and put the new ones behind them, as a Dask collection."""
        made = super().stack(rows, new, grown_from)
        starts = range(0, max(1, len(made)), self.largest)
        parts = [made[start : start + self.largest] for start in starts]
        return (_bag if isinstance(made, list) else _series)(parts)


def is_flat(y: Any) -> bool:
    """Whether a Dask collection is a bag or a series."""
    return hasattr(y, "npartitions") and hasattr(y, "to_delayed") and getattr(y, "ndim", 1) == 1


def gathered_rows(y: Any) -> tuple[Any, int]:
    """Return what a bag or a series holds, and how much its largest partition does."""
    parts = compute(y.to_delayed())
    return _joined(parts), max(map(len, parts))


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], list):
        return [one for part in parts for one in part]
    import pandas as pd

    return pd.concat(parts)


def is_text(y: Any) -> bool:
    """Whether a Dask collection is a series of text."""
    return str(getattr(y, "dtype", "")) == "string"


def _bag(parts: list[list[Any]]) -> Any:
    import dask.bag

    return dask.bag.from_delayed([delayed(list)(part) for part in parts])


def _series(parts: list[Any]) -> Any:
    import dask
    import dask.dataframe

    made = [delayed(part.copy)() for part in parts]
    with dask.config.set({"dataframe.convert-string": False}):
        return dask.dataframe.from_delayed(made, meta=parts[0].iloc[:0], verify_meta=False)
