"""The data set that every reader returns and every writer accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels._containers import column_of
from rarelabels._labels import LabelMatrix
from rarelabels.datasets.column_types import rounded_to_type, step_of


@dataclass(frozen=True, eq=False, repr=False)
class MultiLabelDataset:
    """Features, labels and their names.

    ``X, Y = dataset`` unpacks it.

    Parameters
    ----------
    X : (n_samples, n_features) float64 ndarray or csr_array
        The features: an array from a dense file, a `scipy.sparse.csr_array` without stored zeros
        from a sparse one. A category is coded as its index among the declared ones (0, 1, 2, …), so
        that the first one, which a sparse file leaves out, is zero. NaN is a missing value.
    Y : (n_samples, n_labels) int64 ndarray or csr_array
        The labels, 0 or 1; sparse if X is sparse. Unknown labels are NaN, and Y then has floats.
    feature_names, label_names : sequence of str
        The names of the columns of X and Y; by default ``feature_0`` … and ``label_0`` ….
    categorical_features : tuple of int
        The categorical columns of X, which can be passed to samplers as `categorical_features`.
        They include binary words if the file declares them as ``{0,1}``.
    name : str
        The name of the data set; readers use the name of the file.
    categories : mapping of int to tuple of str
        The categories of each categorical column, in the order of their codes.
    types : mapping of int to str
        The types of columns that are not plain numbers: ``integer``, ``boolean``, ``date``,
        ``datetime``, or ``datetime`` with a time zone, as in ``datetime Europe/Berlin``. Dates are
        microseconds since 1970, in UTC.
    groups : (n_samples,) ndarray or None
        The group of each sample, for example a patient. Samples of a group stay in the same fold.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.datasets import MultiLabelDataset
    >>> dataset = MultiLabelDataset(np.eye(3), np.array([[1, 0], [0, 1], [1, 1]]), name="toy")
    >>> dataset
    MultiLabelDataset('toy': 3 samples, 3 features, 2 labels)
    >>> dataset.label_names
    ('label_0', 'label_1')
    >>> X, Y = dataset
    >>> Y.shape
    (3, 2)
    """

    X: Any
    Y: Any
    feature_names: Sequence[str] = ()
    label_names: Sequence[str] = ()
    categorical_features: tuple[int, ...] = ()
    name: str = ""
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    types: Mapping[int, str] = field(default_factory=dict)
    groups: Any = None

    def __post_init__(self) -> None:
        if self.X.shape[0] != self.Y.shape[0]:
            raise ValueError(f"X has {self.X.shape[0]} samples, but Y has {self.Y.shape[0]}.")
        self._set("feature_names", _names(self.feature_names, "feature", self.X.shape[1]))
        self._set("label_names", _names(self.label_names, "label", self.Y.shape[1]))
        self._set("categorical_features", tuple(int(j) for j in self.categorical_features))
        self._set("categories", MappingProxyType(dict(self.categories)))
        self._set("types", MappingProxyType(dict(self.types)))

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.Y))

    def __repr__(self) -> str:
        n_categorical = len(self.categorical_features)
        categorical = f" ({n_categorical} categorical)" if n_categorical else ""
        return (
            f"MultiLabelDataset({self.name!r}: {self.n_samples} samples, "
            f"{self.n_features} features{categorical}, {self.n_labels} labels)"
        )

    def __reduce__(self) -> Any:
        # A mapping proxy cannot be pickled, a dict can.
        return MultiLabelDataset, (
            self.X, self.Y, self.feature_names, self.label_names,
            self.categorical_features, self.name, dict(self.categories), dict(self.types),
            self.groups,
        )  # fmt: skip

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.Y.shape[1])

    @property
    def label_matrix(self) -> LabelMatrix:
        """The positive labels and the unknown labels."""
        return LabelMatrix.of(self.Y)

    @property
    def has_unknown_labels(self) -> bool:
        """Whether any labels are unknown."""
        values = self.Y.data if sparse.issparse(self.Y) else self.Y
        return values.dtype.kind == "f" and bool(np.isnan(values).any())

    def with_features(self, kept: npt.NDArray[np.int64]) -> MultiLabelDataset:
        """Return the data set with some of the features, in the order given."""
        places = {int(old): new for new, old in enumerate(kept)}
        return replace(
            self,
            X=self.X[:, kept],
            feature_names=tuple(self.feature_names[j] for j in kept),
            categorical_features=tuple(
                sorted(places[j] for j in self.categorical_features if j in places)
            ),
            categories={places[j]: self.categories[j] for j in places if j in self.categories},
            types={places[j]: self.types[j] for j in places if j in self.types},
        )

    def with_labels(self, kept: npt.NDArray[np.int64]) -> MultiLabelDataset:
        """Return the data set with some of the labels, in the order given."""
        return replace(
            self, Y=self.Y[:, kept], label_names=tuple(self.label_names[j] for j in kept)
        )

    def with_samples(self, X: Any, Y: Any) -> MultiLabelDataset:
        """Return the data set with other samples, rounded to the types of the columns.

        >>> counts = MultiLabelDataset(np.array([[1.0], [3.0]]), np.eye(2), types={0: "integer"})
        >>> counts.with_samples(np.array([[2.4]]), np.array([[1, 0]])).X
        array([[2.]])
        """
        X = X.copy() if self.types else X
        for j, kind in self.types.items():
            X[:, j] = rounded_to_type(X[:, j], kind, step_of(column_of(self.X, j), kind))
        return replace(self, X=X, Y=Y, groups=None)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def stacked(parts: list[MultiLabelDataset], name: str) -> MultiLabelDataset:
    """Concatenate the samples of data sets with the same features and labels."""
    first = parts[0]
    if any(_columns(part) != _columns(first) for part in parts):
        raise ValueError("the parts have different columns.")
    stack = sparse.vstack if sparse.issparse(first.X) else np.vstack
    as_csr = sparse.csr_array if sparse.issparse(first.X) else np.asarray
    X = as_csr(stack([part.X for part in parts]))
    Y = as_csr(stack([part.Y for part in parts]))
    return replace(first, X=X, Y=Y, name=name)


def _columns(dataset: MultiLabelDataset) -> tuple[Any, ...]:
    return (
        dataset.feature_names,
        dataset.label_names,
        dataset.categorical_features,
        dict(dataset.categories),
    )


def _names(names: Sequence[str], kind: str, count: int) -> Sequence[str]:
    if not names:
        return NumberedNames(kind, count)
    if len(names) != count:
        raise ValueError(f"got {len(names)} {kind} names for {count} columns; pass one for each.")
    return names if isinstance(names, NumberedNames) else tuple(names)


@dataclass(frozen=True, eq=False, repr=False)
class NumberedNames(Sequence[str]):
    """A sequence of the names ``kind_0``, ``kind_1`` and so on that does not store them.

    A file of few bytes may declare millions of columns.

    >>> names = NumberedNames("label", 10_000_000)
    >>> names[-1], names[:2], names == NumberedNames("label", 5)
    ('label_9999999', ('label_0', 'label_1'), False)
    """

    kind: str
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: Any) -> Any:
        places = range(self.size)[place]
        if isinstance(places, range):
            return tuple(f"{self.kind}_{j}" for j in places)
        return f"{self.kind}_{places}"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedNames):
            return self.size == other.size and (self.kind == other.kind or not self.size)
        if isinstance(other, tuple):
            return len(other) == self.size and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(self[:]) if self.size <= 5 else f"({self[0]!r}, …, {self[-1]!r})"
