"""Check X, y, names and amounts."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from rarelabels._backends import Backend, backend_of
from rarelabels._containers import (
    Array,
    ArrayContainer,
    Container,
    SparseContainer,
    contain,
    is_missing,
)
from rarelabels._features import Features, categorical_mask
from rarelabels._label_sets import check_known, label_sets
from rarelabels._labels import LabelMatrix, Labels, kind_of_target, not_an_indicator, read_labels
from rarelabels._texts import is_texts

PACKAGE = str(Path(__file__).parent)


class ConstantLabelWarning(UserWarning):
    """Warning for labels with a single class, which have no local or relative measures."""


def check_features(
    X: Any, categorical_features: Any = None, *, works_on_blocks: bool = False
) -> Features:
    """Check the container and shape of X, and determine its categorical columns.

    A Dask collection is not loaded. Without `works_on_blocks`, it raises an error.
    """
    backend = backend_of(X)
    if backend is not None:
        _check_support(backend, X, works_on_blocks, "X: ")
        features: Features = backend.features(X, categorical_features)
        _check_not_empty(features.container)
        return features
    if is_texts(X):
        raise ValueError(
            "X contains texts, expected numbers or a dataframe. Convert the texts first, for "
            "example with TfidfVectorizer().fit_transform(X)."
        )
    container = _contain(X, "X")
    _check_not_empty(container)
    if (
        isinstance(container, (ArrayContainer, SparseContainer))
        and container.data.dtype.kind == "c"
    ):
        raise ValueError("Complex data not supported: X must have real numbers or categories.")
    return Features(container, categorical_mask(container, categorical_features))


def _check_not_empty(container: Container) -> None:
    if min(container.shape) == 0:
        what = "sample" if container.shape[0] == 0 else "feature"
        raise ValueError(
            f"X is empty: it has 0 {what}(s) (shape={container.shape}) while a minimum of 1 is "
            "required."
        )


def check_labels(
    y: Any,
    allow_missing_labels: bool = False,
    names: Any = None,
    *,
    works_on_blocks: bool = False,
) -> Labels:
    """Check that y is a 0/1 indicator matrix of shape (n_samples, n_labels), or label sets.

    If missing labels are allowed, NaN is an unknown label. `names` are the allowed names in label
    sets; by default, those that occur. The labels of a Dask collection are gathered in memory.
    Without `works_on_blocks`, it raises an error.
    """
    if y is None:
        given = "nothing: this requires y to be passed, but the target y is None"
        raise ValueError(not_an_indicator(given))
    backend = backend_of(y)
    if backend is None:
        container = _contain_labels(y, names)
    else:
        _check_support(backend, y, works_on_blocks)
        container = backend.labels(y)
    if min(container.shape) == 0:
        raise ValueError(f"y is empty: it has shape {container.shape}.")
    values = read_labels(container, allow_missing_labels)
    return Labels(container, values, has_gaps=values.unknown is not None)


def _contain_labels(y: Any, names: Any) -> Container:
    sets = label_sets(y, names)
    if sets is not None:
        return sets if names is None else check_known(sets, names)
    try:
        return contain(y.with_nan() if isinstance(y, LabelMatrix) else y)
    except (TypeError, ValueError) as error:
        raise type(error)(not_an_indicator(kind_of_target(y))) from error


def _check_support(backend: Backend, data: Any, is_supported: bool, prefix: str = "") -> None:
    if not is_supported:
        raise TypeError(prefix + backend.refusal(data))


def check_pair(
    X: Any,
    y: Any,
    categorical_features: Any = None,
    n_neighbors: Any = None,
    allow_missing_labels: bool = False,
    *,
    works_on_blocks: bool = False,
) -> tuple[Features, Labels]:
    """Check X and y, and that they have equally many samples, enough for the neighbors."""
    features = check_features(X, categorical_features, works_on_blocks=works_on_blocks)
    labels = check_labels(y, allow_missing_labels, works_on_blocks=works_on_blocks)
    if features.n_samples != labels.values.n_samples:
        raise ValueError(
            f"X has {features.n_samples} samples and y has {labels.values.n_samples}; "
            "they must describe the same samples."
        )
    if n_neighbors is not None:
        check_n_neighbors(n_neighbors, features.n_samples)
    return features, labels


def group_numbers(groups: Any, n_samples: int, at_least: int = 1) -> Array:
    """Check the group of each sample and the number of groups, and number the groups."""
    groups = np.asarray(groups)
    n_missing = sum(is_missing(group) for group in groups.ravel().tolist())
    if n_missing:
        raise ValueError(
            f"groups has {n_missing} missing values, but every sample needs a group. Give these "
            "samples separate groups, or drop them."
        )
    if groups.shape != (n_samples,):
        raise ValueError(
            f"groups must name a group for each of the {n_samples} samples of y, "
            f"got an array of shape {groups.shape}."
        )
    try:
        names, numbers = np.unique(groups, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(group).__name__ for group in groups.tolist()})
        raise ValueError(
            f"groups has values of different types, {', '.join(kinds)}, which cannot be "
            "compared; convert them to one type, for example str."
        ) from error
    if names.size < at_least:
        raise ValueError(
            f"groups has {names.size} different values, but at least {at_least} are needed; use "
            "smaller groups or fewer folds, or leave groups out."
        )
    return numbers


def as_weights(weights: Any) -> Array:
    """Convert weights to an array of float64; raise an error if this is not possible."""
    try:
        return np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must be numeric: {error}.") from error


def check_count(name: str, value: Any, at_least: int) -> int:
    """Check that a parameter is an integer and not too small."""
    if not _is_integer(value) or value < at_least:
        raise ValueError(f"{name} must be an int of at least {at_least}, got {value!r}.")
    return int(value)


def check_number(name: str, value: Any, at_least: float = -np.inf, above: float = -np.inf) -> float:
    """Check that a parameter is a finite number and not too small."""
    if not _is_amount(value) or value < at_least or value <= above:
        bound = f"above {above}" if above > -np.inf else f"of at least {at_least}"
        raise ValueError(f"{name} must be a number {bound}, got {value!r}.")
    return float(value)


def check_n_neighbors(n_neighbors: Any, n_samples: int) -> int:
    """Check that every sample can have this many neighbors."""
    check_count("n_neighbors", n_neighbors, 1)
    if n_neighbors >= n_samples:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} samples, because a "
            f"sample is not its own neighbor; got n_samples={n_samples}. Choose a smaller "
            "n_neighbors."
        )
    return int(n_neighbors)


def samples_to_add(sampling_ratio: Any, n_samples: int) -> int:
    """Convert a fraction of the samples (float) or a number (int) to a number of samples."""
    if not _is_amount(sampling_ratio) or sampling_ratio < 0:
        raise ValueError(
            "sampling_ratio must be a float of at least 0 (a fraction of the samples to add) or "
            f"an int (the number of samples), got {sampling_ratio!r}."
        )
    return _amount(sampling_ratio, n_samples)


def samples_to_remove(sampling_ratio: Any, n_samples: int) -> int:
    """Convert a fraction of the samples (float) or a number (int) to a number of samples."""
    most = n_samples if _is_integer(sampling_ratio) else 1
    if not _is_amount(sampling_ratio) or not 0 <= sampling_ratio < most:
        raise ValueError(
            "sampling_ratio must be a float in [0, 1) (a fraction of the samples to remove) or an "
            f"int below their number, {n_samples}; got {sampling_ratio!r}."
        )
    return _amount(sampling_ratio, n_samples)


def warn_constant(names: Sequence[str], which: Array, lack: str, consequence: str) -> None:
    """Warn of labels that lack a class, if there are any."""
    if not which.any():
        return
    chosen = [name for name, has_it in zip(names, which, strict=True) if has_it]
    shown = ", ".join(chosen[:10]) + (f" and {len(chosen) - 10} more" if len(chosen) > 10 else "")
    plural = "s" if len(chosen) > 1 else ""
    verb = "have" if plural else "has"
    warn(f"label{plural} {shown} {verb} {lack}: {consequence}.", ConstantLabelWarning)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning for the line outside this package that called it."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _contain(data: Any, name: str) -> Container:
    try:
        return contain(data)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def _is_amount(value: Any) -> bool:
    is_real = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    return is_real and bool(np.isfinite(value))


def _amount(sampling_ratio: Any, n_samples: int) -> int:
    return int(sampling_ratio) if _is_integer(sampling_ratio) else int(sampling_ratio * n_samples)
