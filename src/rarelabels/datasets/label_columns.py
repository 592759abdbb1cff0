"""Select the label columns of a table by name, prefix or count."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rarelabels._registry import did_you_mean
from rarelabels.datasets._errors import DataFormatError, FilePath

Labels: TypeAlias = str | int | Sequence[str]


class NoLabels(tuple[str, ...]):
    """The labels of a table that only has features."""

    __slots__ = ()


NO_LABELS = NoLabels()


def choose_labels(names: Sequence[str], labels: Any) -> npt.NDArray[np.bool_]:
    """Return the mask of the columns that are labels.

    Labels are given by a list of names, a prefix of their names, or a count: the first n columns
    or, for a negative n, the last ones, as in MEKA.

    >>> choose_labels(["a", "b", "l_x", "l_y"], "l_").tolist()
    [False, False, True, True]
    >>> choose_labels(["a", "b", "l_x", "l_y"], -1).tolist()
    [False, False, False, True]
    """
    if isinstance(labels, NoLabels):
        return np.zeros(len(names), dtype=bool)
    if isinstance(labels, (int, np.integer)) and not isinstance(labels, bool):
        return _by_count(len(names), int(labels))
    if isinstance(labels, str):
        return _by_prefix(names, labels)
    if isinstance(labels, Sequence) and len(labels) > 0:
        return by_name(names, labels)
    raise ValueError(
        "labels must be a list of the names of the label columns, a prefix of their names or a "
        f"count (6 for the first six columns, -6 for the last six), got {labels!r}."
    )


def labels_in_file(
    names: Sequence[str],
    labels: Any,
    path: FilePath,
    line: int | None = None,
    sheet: str | None = None,
) -> npt.NDArray[np.bool_]:
    """Return the mask of the label columns of a file; an error names the file."""
    if labels is None:
        raise ValueError(
            f"{Path(path).name} does not declare which columns are labels: pass labels=, a "
            "list of names, a prefix of their names or a count (-6 for the last six columns)."
        )
    try:
        return choose_labels(names, labels)
    except ValueError as error:
        raise DataFormatError(str(error).rstrip("."), path, line, sheet=sheet) from None


def _by_count(n_columns: int, count: int) -> npt.NDArray[np.bool_]:
    if not 1 <= abs(count) <= n_columns:
        raise ValueError(f"labels={count} is 0 or more than the {n_columns} columns.")
    is_label = np.zeros(n_columns, dtype=bool)
    is_label[slice(count) if count > 0 else slice(count, None)] = True
    return is_label


def _by_prefix(names: Sequence[str], prefix: str) -> npt.NDArray[np.bool_]:
    is_label = np.array([name.startswith(prefix) for name in names], dtype=bool)
    if not is_label.any():
        raise ValueError(
            f"no column name begins with {prefix!r}; the columns are {_shown(names)}. Pass the "
            "name of a single label in a list."
        )
    return is_label


def by_name(names: Sequence[str], labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return the mask of the columns with the given names."""
    known = set(names)
    for label in labels:
        if label not in known:
            raise ValueError(f"the column {label!r} does not exist; {did_you_mean(label, names)}")
    wanted = set(labels)
    return np.array([name in wanted for name in names], dtype=bool)


def _shown(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return f"{shown}, … ({len(names)} in all)" if len(names) > 5 else shown
