"""Texts instead of features: a list, array or column with one string per sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

Texts = Any


def is_texts(X: Any) -> bool:
    """Return whether X is a sequence of strings instead of a table.

    >>> is_texts(["a text", "another"]), is_texts([["a"], ["b"]]), is_texts(np.eye(2))
    (True, False, False)
    """
    if isinstance(X, (list, tuple)):
        return bool(X) and all(isinstance(text, str) for text in X)
    if isinstance(X, np.ndarray):
        is_text = X.dtype.kind in "OUT"
        return X.ndim == 1 and X.size > 0 and is_text and all(isinstance(text, str) for text in X)
    series = nw.from_native(X, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series) or len(series) == 0:
        return False
    return series.dtype in (nw.String, nw.Object) and is_texts(series.to_numpy())


def as_texts(X: Any) -> Texts:
    """Return texts as a one-dimensional array."""
    if isinstance(X, (list, tuple, np.ndarray)):
        return np.array([*X], dtype=object)
    return np.array(nw.from_native(X, series_only=True).to_list(), dtype=object)


@dataclass(frozen=True)
class TextContainer:
    """Texts from which some can be selected."""

    data: Texts

    def stack(self, rows: Any) -> Texts:
        """Return some of the texts."""
        return self.data[rows]
