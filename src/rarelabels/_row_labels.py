"""The row labels of a pandas dataframe after resampling."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def row_labels(index: Any, rows: npt.NDArray[Any], n_new: int, pandas: Any) -> Any:
    """Return the index of some rows, which may be repeated, followed by new rows.

    The first occurrence of a row keeps its label. Repeated and new rows get consecutive numbers:
    starting after the largest label in an index of integers, and after the number of rows in an
    index of strings. If there are such rows, an index of another type is replaced by numbers.

    Parameters
    ----------
    index : pandas.Index
        The labels of the input.
    rows : (m,) ndarray of ints
        The input rows of the output.
    n_new : int
        Number of new rows.
    pandas : module
        The library of the index.

    Returns
    -------
    pandas.Index
        The index, of length m + n_new.
    """
    is_new = is_new_row(rows, n_new)
    if not is_new.any():
        return index[rows]
    numbers = _numbers(index, int(is_new.sum()))
    if numbers is None:
        return pandas.RangeIndex(is_new.size)
    labels = np.empty(is_new.size, dtype=object)
    labels[: rows.size] = index[rows].to_numpy(dtype=object)
    labels[is_new] = numbers
    return pandas.Index(labels, dtype=index.dtype, name=index.name)


def is_new_row(rows: npt.NDArray[Any], n_new: int) -> npt.NDArray[Any]:
    """Return the mask of the rows that are repeated or new."""
    is_new = np.ones(rows.size + n_new, dtype=bool)
    is_new[np.unique(rows, return_index=True)[1]] = False
    return is_new


def _numbers(index: Any, n_numbers: int) -> list[Any] | None:
    """Return labels that an index does not have, or None if it cannot be continued."""
    if index.dtype.kind in "iu":
        return numbers_from(int(index.max()), n_numbers)
    if index.nlevels > 1 or index.inferred_type != "string":
        return None
    return numbers_of_text(set(index), len(index), n_numbers)


def numbers_from(largest: int, n_numbers: int) -> list[int]:
    """Return the integers after the largest label."""
    return list(range(largest + 1, largest + 1 + n_numbers))


def numbers_of_text(taken: set[str], number: int, n_numbers: int) -> list[str]:
    """Return numbers as strings, starting with a given one, that are not in use."""
    numbers: list[str] = []
    while len(numbers) < n_numbers:
        numbers += [str(number)] if str(number) not in taken else []
        number += 1
    return numbers
