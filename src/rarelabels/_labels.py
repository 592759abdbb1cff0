"""The caller's y: its container, which labels are positive and which are unknown."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import (
    Array,
    Container,
    Matrix,
    as_floats,
    canonical_csr,
    contain,
    is_missing,
)
from rarelabels._features import column_name
from rarelabels._label_sets import LabelSetContainer

SEVERAL_CLASSES = (
    " A column with several classes becomes one column of 0 and 1 for each class, for instance "
    "with pandas.get_dummies."
)
MARKER = (
    " If {value} marks unknown labels, replace it by NaN, or read the file with "
    'unknown="{value}", and set allow_missing_labels=True.'
)


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """The labels of a data set: which are positive, and which are unknown.

    The two stay together: `take` and `stack` return both.

    Parameters
    ----------
    positives : csr_array of int8 of shape (n_samples, n_labels)
        Indicator of the positive labels, with sorted indices.
    unknown : csr_array of the same shape, or None
        Indicator of the unknown labels; None if all are known.

    See Also
    --------
    BaseSampler : The method `_resample` gets the labels in this form.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.base import LabelMatrix
    >>> Y = LabelMatrix.of([[1, 0], [0, 1], [np.nan, 1]])
    >>> Y.shape, Y.positives.toarray().tolist()
    ((3, 2), [[1, 0], [0, 1], [0, 1]])
    >>> Y.take([2, 0]).unknown.toarray().tolist()
    [[1, 0], [0, 0]]
    """

    positives: sparse.csr_array
    unknown: sparse.csr_array | None = None

    def __post_init__(self) -> None:
        if self.unknown is not None and not self.unknown.nnz:
            object.__setattr__(self, "unknown", None)

    @classmethod
    def of(cls, labels: Any) -> LabelMatrix:
        """Return labels of 0, 1 and NaN for unknown, in any container, as a label matrix.

        Parameters
        ----------
        labels : LabelMatrix, array-like, sparse matrix or dataframe
            The labels.

        Returns
        -------
        LabelMatrix
            The label matrix; `labels` itself if it is one.
        """
        return labels if isinstance(labels, LabelMatrix) else read_labels(contain(labels), True)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of samples and labels."""
        return self.positives.shape

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.positives.shape[0]

    def take(self, samples: Any) -> LabelMatrix:
        """Return the labels of some samples.

        Parameters
        ----------
        samples : array-like of int
            Indices of the samples, in the requested order.

        Returns
        -------
        LabelMatrix
            The labels of these samples.
        """
        unknown = None if self.unknown is None else self.unknown[samples]
        return LabelMatrix(self.positives[samples], unknown)

    def stack(self, below: LabelMatrix) -> LabelMatrix:
        """Return these labels with those of other samples below them.

        Parameters
        ----------
        below : LabelMatrix
            The labels of other samples.

        Returns
        -------
        LabelMatrix
            The labels of both.
        """
        parts = [self.positives, below.positives]
        unknown = None
        if self.unknown is not None or below.unknown is not None:
            unknown = sparse.vstack([_unknown(self), _unknown(below)], format="csr")
        return LabelMatrix(sparse.vstack(parts, format="csr"), unknown)

    def with_nan(self) -> sparse.csr_array:
        """Return one sparse matrix with NaN for unknown labels.

        Returns
        -------
        csr_array
            Matrix of int8 if all labels are known, otherwise of float32.
        """
        if self.unknown is None:
            return self.positives
        return self.positives + self.unknown * np.float32(np.nan)


@dataclass(frozen=True)
class Labels:
    """The caller's y: its container and its labels."""

    container: Container
    values: LabelMatrix
    # Whether the container has unknown labels; those that no sample knows are not in `values`.
    has_gaps: bool = False

    @property
    def matrix(self) -> sparse.csr_array:
        """The positives, for uses in which all labels are known."""
        return self.values.positives

    @property
    def given(self) -> Any:
        """The caller's y, label sets as an indicator: a part of them need not hold every name."""
        is_sets = isinstance(self.container, LabelSetContainer)
        return self.matrix if is_sets else self.container.original()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the labels; "0", "1", … if the caller passed none."""
        names = self.container.names
        return tuple(str(name) for name in (names or range(self.values.shape[1])))


def _unknown(labels: LabelMatrix) -> sparse.csr_array:
    """Return the indicator of what is unknown, without entries where all is known."""
    if labels.unknown is None:
        return sparse.csr_array(labels.shape, dtype=np.int8)
    return labels.unknown


def read_labels(container: Container, allow_missing_labels: bool) -> LabelMatrix:
    """Read the entries of y; only 0, 1 and, if allowed, NaN are valid."""
    numbers: Any = container.numbers()
    if numbers is None:
        numbers = _numbers_of_objects(container)
    entries = _entries(numbers)
    is_nan = np.isnan(entries.data) if entries.dtype.kind == "f" else np.zeros(0, dtype=bool)
    wrong = entries.data != 1
    if allow_missing_labels and is_nan.size:
        wrong &= ~is_nan
    if wrong.any():
        raise ValueError(_wrong_entry(entries, wrong, container))
    if not (is_nan.size and is_nan.any()):
        return LabelMatrix(_chosen(entries, np.ones(entries.nnz, dtype=bool)))
    return LabelMatrix(_chosen(entries, ~is_nan), _chosen(entries, is_nan))


def _entries(numbers: Matrix) -> sparse.coo_array:
    """Return all nonzero entries."""
    if sparse.issparse(numbers):
        return sparse.coo_array(canonical_csr(numbers))
    # Many times faster than SciPy, which searches in two dimensions.
    place = np.divmod(np.flatnonzero(numbers != 0), numbers.shape[1])
    values = numbers[place]
    # SciPy refuses half precision, and the byte order of other machines that files may have.
    native = values.dtype.newbyteorder("=")
    dtype = np.promote_types(native, np.float32) if native.kind == "f" else native
    return sparse.coo_array((values.astype(dtype, copy=False), place), shape=numbers.shape)


def _chosen(entries: sparse.coo_array, chosen: Array) -> sparse.csr_array:
    """Convert entries to a CSR indicator."""
    row, column = (index[chosen] for index in entries.coords)
    ones = np.ones(row.size, dtype=np.int8)
    return sparse.csr_array((ones, (row, column)), shape=entries.shape).sorted_indices()


def _numbers_of_objects(container: Container) -> Array:
    columns = [container.column(j) for j in range(container.shape[1])]
    try:
        return np.column_stack([as_floats(column) for column in columns])
    except (TypeError, ValueError) as error:
        values = (value for column in columns for value in column.tolist())
        value = next(v for v in values if not isinstance(v, Real) and not is_missing(v))
        raise ValueError(not_an_indicator(f"entries like {value!r}") + SEVERAL_CLASSES) from error


def _wrong_entry(entries: sparse.coo_array, wrong: Array, container: Container) -> str:
    rows, columns = (index[wrong] for index in entries.coords)
    first = np.lexsort((columns, rows))[0]
    value = entries.data[wrong][first]
    where = f"in row {rows[first]}, column {column_name(columns[first], container.names)}"
    if np.isnan(value):
        return (
            f"y has NaN {where}; every label must be known as 0 or 1. Classes and functions with a "
            "parameter allow_missing_labels accept NaN for unknown labels with "
            "allow_missing_labels=True."
        )
    hint = ""
    if value == np.floor(value):
        hint = SEVERAL_CLASSES if value > 1 else MARKER.format(value=f"{value:g}")
    return not_an_indicator(f"the value {value} {where}") + hint


def not_an_indicator(what: str) -> str:
    """Return the error message for a y that is not an indicator matrix."""
    return (
        f"y must be a 0/1 indicator of shape (n_samples, n_labels), got {what}; "
        "sklearn.preprocessing.MultiLabelBinarizer converts label sets, and lists of names, like "
        '[["flu"], [], ["flu", "cold"]], can be passed directly.'
    )


def kind_of_target(y: Any) -> str:
    """Describe what the caller passed instead of an indicator."""
    if isinstance(y, (list, tuple)):
        is_flat = bool(y) and not hasattr(y[0], "__len__")
        return f"a flat list of {len(y)} values" if is_flat else "rows of different lengths"
    array = np.asarray(y) if hasattr(y, "__array__") else None
    if array is None:
        return f"a {type(y).__name__}"
    if array.ndim != 1:
        return f"an array of shape {array.shape}"
    is_continuous = array.dtype.kind == "f" and not (array == np.rint(array)).all()
    kind = "multiclass" if np.unique(array).size > 2 else "an array"
    return f"{'continuous' if is_continuous else kind} of shape {array.shape}"
