"""Check that a sampler, of this package or another, follows the contract of samplers."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rarelabels._containers import Array, contain, dense


def check_sampler(sampler: Any) -> None:
    """Check that a sampler follows the contract; an error names the first violation.

    The contract: parameters are stored unchanged and survive clone and pickle; the data of the
    caller is not changed; the same seed gives the same samples for any `n_jobs`; containers, names
    and dtypes are preserved; ``sample_indices_`` and ``is_synthetic_`` describe the origin of each
    sample; invalid input raises ValueError. Dataframes are checked if pandas or polars are
    installed.

    Parameters
    ----------
    sampler : object with `fit_resample`
        An instance, which is cloned and never fitted.

    Raises
    ------
    AssertionError
        If the contract is violated.

    Examples
    --------
    >>> from rarelabels.sampling import MLUL
    >>> from rarelabels.testing import check_sampler
    >>> check_sampler(MLUL())
    """
    for check in CHECKS:
        check(sampler)


def check_parameters(sampler: Any) -> None:
    """Check that parameters are stored unchanged and survive clone and pickle."""
    names = list(inspect.signature(type(sampler)).parameters)
    stored = sampler.get_params(deep=False)
    assert sorted(stored) == sorted(names), f"get_params returns {sorted(stored)}, not {names}"
    # Of bytes made here.
    for copied in (clone(sampler), pickle.loads(pickle.dumps(sampler))):  # noqa: S301
        assert type(copied) is type(sampler), "clone or pickle changes the class"
        assert sorted(copied.get_params(deep=False)) == sorted(names)
    again = clone(sampler)
    assert again.set_params(**again.get_params(deep=False)) is again, "set_params returns no self"


def check_data_untouched(sampler: Any) -> None:
    """Check that X and y of the caller are not changed."""
    for convert in (np.asarray, sparse.csr_array):
        X, y = (convert(part) for part in _data())
        X_before, y_before = X.copy(), y.copy()
        _resample(sampler, X, y)
        assert _same(X, X_before), "fit_resample changed X"
        assert _same(y, y_before), "fit_resample changed y"


def check_seed(sampler: Any) -> None:
    """Check that the same seed gives the same samples for any number of jobs."""
    X, y = _data()
    first = _resample(sampler, X, y)
    settings: list[dict[str, Any]] = [{}]
    if "n_jobs" in sampler.get_params():
        settings += [{"n_jobs": 1}, {"n_jobs": 2}]
    for setting in settings:
        again = _resample(clone(sampler).set_params(**setting), X, y)
        assert _same(first[0], again[0]), f"other features for the same seed with {setting}"
        assert _same(first[1], again[1]), f"other labels for the same seed with {setting}"


def check_origins(sampler: Any) -> None:
    """Check that samples that are not synthetic equal the input samples of their indices."""
    X, y = _data()
    fitted = _seeded(sampler)
    X_new, y_new = fitted.fit_resample(X, y)
    origins, is_synthetic = fitted.sample_indices_, fitted.is_synthetic_
    assert X_new.shape == (origins.size, X.shape[1]), "sample_indices_ has another length than X"
    assert y_new.shape == (origins.size, y.shape[1]), "y has another shape than X"
    assert is_synthetic.shape == origins.shape, "is_synthetic_ has another length than X"
    assert is_synthetic.dtype == np.bool_, "is_synthetic_ is not a mask"
    assert ((origins >= 0) & (origins < X.shape[0])).all(), "sample_indices_ is out of range"
    copied = ~is_synthetic
    assert np.array_equal(X_new[copied], X[origins[copied]]), "a copied sample has other features"
    assert fitted.n_labels_in_ == y.shape[1], "n_labels_in_ is not the number of labels"
    assert fitted.n_features_in_ == X.shape[1], "n_features_in_ is not the number of features"


def check_labels_stay_binary(sampler: Any) -> None:
    """Check that labels are 0 and 1, in the dtype of the input."""
    X, y = _data()
    for dtype in (np.int64, np.int8, np.bool_, np.float32):
        y_new = _resample(sampler, X, y.astype(dtype))[1]
        assert y_new.dtype == dtype, f"y of {np.dtype(dtype)} comes out as {y_new.dtype}"
        assert np.isin(y_new, (0, 1)).all(), "y comes out with other values than 0 and 1"


def check_arrays(sampler: Any) -> None:
    """Check that arrays and lists keep their type and dtype: float32 remains float32."""
    X, y = _data()
    expected = _resample(sampler, X, y)
    for dtype in (np.float32, np.float64):
        X_new = _resample(sampler, X.astype(dtype), y)[0]
        assert type(X_new) is np.ndarray, "an array is not returned as one"
        assert X_new.dtype == dtype, f"X of {np.dtype(dtype)} comes out as {X_new.dtype}"
    X_new, y_new = _resample(sampler, X.tolist(), y.tolist())
    assert isinstance(X_new, list), "lists in, lists out: X"
    assert isinstance(y_new, list), "lists in, lists out: y"
    assert _same(np.asarray(X_new), expected[0]), "a list of rows gives other rows than an array"


def check_sparse(sampler: Any) -> None:
    """Check that sparse X and y keep their format and class, with the labels of an array."""
    X, y = _data()
    for kind in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix):
        X_new, y_new = _resample(sampler, kind(X), kind(y))
        assert type(X_new) is kind, f"X of {kind.__name__} comes out as {type(X_new).__name__}"
        assert type(y_new) is kind, f"y of {kind.__name__} comes out as {type(y_new).__name__}"
        assert X_new.dtype == X.dtype, "sparse X changes its dtype"
    expected = _resample(sampler, X, y)
    from_sparse = _resample(sampler, X, sparse.csr_array(y))
    assert _same(from_sparse[1], expected[1]), "sparse y gives other labels than dense y"


def check_frames(sampler: Any) -> None:
    """Check that dataframes keep names and dtypes, with the numbers of an array."""
    X, y = _data()
    expected = _resample(sampler, X, y)
    features = {name: X[:, j] for j, name in enumerate("abcd")}
    labels = {name: y[:, j] for j, name in enumerate(("first", "second", "third"))}
    for make in _frame_makers():
        fitted = _seeded(sampler)
        X_new, y_new = fitted.fit_resample(make(features), make(labels))
        assert type(X_new) is type(make(features)), "X comes out as another kind of frame"
        assert type(y_new) is type(make(labels)), "y comes out as another kind of frame"
        assert contain(X_new).names == tuple(features), "X loses its column names"
        assert contain(y_new).names == tuple(labels), "y loses its label names"
        assert list(X_new.dtypes) == list(make(features).dtypes), "X changes its dtypes"
        assert list(y_new.dtypes) == list(make(labels).dtypes), "y changes its dtypes"
        assert _same(X_new.to_numpy(), expected[0]), "a frame gives other features than an array"
        assert _same(y_new.to_numpy(), expected[1]), "a frame gives other labels than an array"
        assert list(fitted.feature_names_in_) == list(features), "feature_names_in_ is wrong"


def check_bad_input(sampler: Any) -> None:
    """Check that invalid targets and different lengths raise ValueError."""
    X, y = _data()
    bad: dict[str, tuple[Any, Any]] = {
        "y of one dimension": (X, y[:, 0]),
        "y with the value 2": (X, 2 * y),
        "X and y of different lengths": (X[:-1], y),
        "no samples": (X[:0], y[:0]),
    }
    for what, (features, labels) in bad.items():
        try:
            _resample(sampler, features, labels)
        except ValueError:
            continue
        raise AssertionError(f"{what} raises no ValueError")


CHECKS: tuple[Callable[[Any], None], ...] = (
    check_parameters,
    check_data_untouched,
    check_seed,
    check_origins,
    check_labels_stay_binary,
    check_arrays,
    check_sparse,
    check_frames,
    check_bad_input,
)


def _data() -> tuple[Array, Array]:
    """Samples in two overlapping clouds with a frequent, a middling and a rare label."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 4)), 3)
    chance = rng.normal(size=(60, 3))
    y = (X[:, :3] + 0.7 * chance > [0.1, 0.9, 1.3]).astype(np.int64)
    return X, y


def _seeded(sampler: Any) -> Any:
    seeded = clone(sampler)
    if "random_state" in seeded.get_params():
        seeded.set_params(random_state=0)
    return seeded


def _resample(sampler: Any, X: Any, y: Any) -> tuple[Any, Any]:
    return _seeded(sampler).fit_resample(X, y)


def _same(left: Any, right: Any) -> bool:
    return np.array_equal(dense(left), dense(right))


def _frame_makers() -> list[Callable[[dict[str, Array]], Any]]:
    makers: list[Callable[[dict[str, Array]], Any]] = []
    try:
        import pandas as pd

        makers.append(pd.DataFrame)
    except ImportError:
        pass
    try:
        import polars as pl

        makers.append(pl.DataFrame)
    except ImportError:
        pass
    return makers
