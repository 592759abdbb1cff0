"""Labels given as a set of names for each sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import AddedSamples, Array, Matrix
from rarelabels._registry import did_you_mean
from rarelabels._row_labels import row_labels

COLLECTIONS = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class LabelSetContainer:
    """A label set for each sample, accessed as an indicator with a column for each name.

    Parameters
    ----------
    data : list, 1-d ndarray of objects or series
        The data of the caller.
    sets : list of list, tuple, set or frozenset
        The label sets.
    names : tuple
        The names, sorted.
    """

    data: Any
    sets: list[Any]
    names: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.sets), len(self.names)

    def numbers(self) -> Matrix | None:
        return self.as_indicator()

    def as_indicator(self) -> sparse.csr_array:
        """Return the label sets as a 0/1 matrix."""
        place = {name: j for j, name in enumerate(self.names)}
        columns = [sorted({place[name] for name in label_set}) for label_set in self.sets]
        ends = np.append(0, np.cumsum([len(row) for row in columns])).astype(np.int64)
        indices = np.array([j for row in columns for j in row], dtype=np.int64)
        ones = np.ones(indices.size, dtype=np.int8)
        return sparse.csr_array((ones, indices, ends), shape=self.shape)

    def column(self, j: int) -> Array:
        return self.as_indicator()[:, [j]].toarray().ravel()

    def original(self) -> Any:
        return self.data

    def is_category(self, j: int) -> bool:
        return False

    def is_open(self, j: int) -> bool:
        return False

    def is_long(self, j: int) -> bool:
        return False

    def stack(
        self, rows: Array, new: AddedSamples | None = None, grown_from: Array | None = None
    ) -> Any:
        sets = [self.sets[row] for row in rows.tolist()]
        if new is not None:
            sets += self.sets_of(new.values)
        return self._like_data(sets, rows if grown_from is None else grown_from)

    def sets_of(self, indicator: Any) -> list[Any]:
        """Convert the rows of an indicator to label sets of the caller's type."""
        return sets_of(indicator, self.names, self.kind)

    @property
    def kind(self) -> type:
        """The type of a label set: list, tuple, set or frozenset."""
        return type(self.sets[0])

    def _like_data(self, sets: list[Any], copied: Array) -> Any:
        if isinstance(self.data, (list, tuple)):
            return sets
        if isinstance(self.data, np.ndarray):
            return objects(sets)
        if not hasattr(self.data, "index"):
            return type(self.data)(self.data.name, sets)
        library = __import__(type(self.data).__module__.partition(".")[0])
        index = row_labels(self.data.index, copied, len(sets) - len(copied), library)
        return type(self.data)(sets, index=index, name=self.data.name)


def sets_of(indicator: Any, names: Sequence[Any], kind: type) -> list[Any]:
    """Convert the rows of a 0/1 matrix to label sets."""
    matrix = sparse.csr_array(indicator)
    carried = [names[j] for j in matrix.indices]
    ends = matrix.indptr
    return [kind(carried[ends[i] : ends[i + 1]]) for i in range(matrix.shape[0])]


def objects(values: list[Any]) -> Array:
    """Convert a list to a 1-d array of objects, also if they have the same length."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def label_sets(y: Any, names: Sequence[Any] | None = None) -> LabelSetContainer | None:
    """Wrap a sequence of label sets; return None for anything else.

    Parameters
    ----------
    y : any
        Label sets are lists, tuples or sets. Some of them must be sets or contain text; rows of
        numbers are an indicator.
    names : sequence, optional
        The possible names; by default, those that occur.
    """
    sets = _rows(y)
    if sets is None or not (any(map(_is_label_set, sets)) or _are_empty(sets, names)):
        return None
    for i, label_set in enumerate(sets):
        if not isinstance(label_set, COLLECTIONS):
            raise ValueError(
                f"y consists of label sets, but sample {i} is {label_set!r}; a sample without "
                "labels is [], and a sample with unknown labels has to be left out."
            )
    return LabelSetContainer(y, sets, tuple(names) if names is not None else _names(sets))


def check_known(container: LabelSetContainer, names: Sequence[Any]) -> LabelSetContainer:
    """Check that all names are known, and return the label sets with the known names."""
    known = set(names)
    for i, label_set in enumerate(container.sets):
        for name in label_set:
            if name not in known:
                raise ValueError(
                    f"y names {name!r} in sample {i}, which was not among the labels at fit; "
                    f"{did_you_mean(name, [str(one) for one in names])}"
                )
    return LabelSetContainer(container.data, container.sets, tuple(names))


def _rows(y: Any) -> list[Any] | None:
    """Return the items of a sequence of objects, or None for anything else."""
    if isinstance(y, (list, tuple)):
        return list(y)
    if isinstance(y, np.ndarray):
        return y.tolist() if y.ndim == 1 and y.dtype == object else None
    # Series of pandas and polars.
    is_series = hasattr(y, "to_list") and not hasattr(y, "columns")
    return [_as_list(one) for one in y.to_list()] if is_series else None


def _as_list(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _is_label_set(label_set: Any) -> bool:
    if isinstance(label_set, (set, frozenset)):
        return True
    return isinstance(label_set, (list, tuple)) and any(isinstance(name, str) for name in label_set)


def _are_empty(sets: list[Any], names: Sequence[Any] | None) -> bool:
    """Return whether all label sets are empty; without names, this is an empty matrix."""
    is_empty = all(isinstance(label_set, COLLECTIONS) and not label_set for label_set in sets)
    return names is not None and bool(sets) and is_empty


def _names(sets: list[Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted({name for label_set in sets for name in label_set}))
    except TypeError as error:
        raise ValueError(
            "y consists of label sets, but its labels cannot be sorted or compared "
            f"({error}); name every label by a string."
        ) from error
