"""Shortcuts for decision trees: conversions and checks are done once instead of for each tree."""

from __future__ import annotations

from copy import copy
from functools import lru_cache
from inspect import signature
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier, ExtraTreeClassifier

from rarelabels._containers import Array, Matrix
from rarelabels._random import as_generator, seeded
from rarelabels.learners._dataframes import is_frame, take_rows

# A sparse matrix is converted to a dense one up to these numbers of entries, because trees grow
# and predict faster on small dense blocks. A larger dense matrix might not fit in memory.
DENSE_TO_FIT = 50_000
DENSE_TO_PREDICT = 2**24


def seeded_clone(estimator: Any, seed: int) -> Any:
    """Return the same clone as `seeded`, but faster for a tree.

    Cloning a tree takes as long as growing a small one. Its parameters are plain values, so a copy
    without the fitted attributes is a clone.
    """
    state = getattr(estimator, "random_state", None)
    is_plain = type(estimator) in (DecisionTreeClassifier, ExtraTreeClassifier)
    if not is_plain or not (state is None or isinstance(state, Integral)):
        return seeded(estimator, seed)
    tree = copy(estimator)
    for name in [name for name in vars(tree) if name.endswith("_")]:
        delattr(tree, name)
    if state is None:
        tree.random_state = int(as_generator(seed).integers(2**31 - 1))
    return tree


def ready_to_fit(estimator: Any, X: Matrix) -> Matrix:
    """Return X as the estimator's `fit` would convert it: for trees float32, and CSC if sparse."""
    if not isinstance(estimator, BaseDecisionTree):
        return X
    return _as_float32(X.tocsc() if sparse.issparse(X) else X)


def ready_to_slice(estimator: Any, X: Matrix) -> Matrix:
    """Return X in a form that the estimator accepts and from which samples are selected fast."""
    return _as_float32(X) if isinstance(estimator, BaseDecisionTree) else X


def take_samples(estimator: Any, X: Matrix, samples: Array) -> Matrix:
    """Return some samples of the result of `ready_to_slice`."""
    if is_frame(X):
        return take_rows(X, samples)
    block = X[samples]
    is_tree = isinstance(estimator, BaseDecisionTree)
    return block.toarray() if is_tree and _is_small(block, DENSE_TO_FIT) else block


def ready_to_predict(estimator: Any, X: Matrix) -> Matrix:
    """Return X as the `predict` method of the models would convert it."""
    if not isinstance(estimator, BaseDecisionTree):
        return X
    return _as_float32(X.toarray() if _is_small(X, DENSE_TO_PREDICT) else X)


def fit_options(estimator: Any, X: Matrix) -> dict[str, Any]:
    """Return options with which a tree does not check and convert X again."""
    kind: Any = type(estimator)
    if not _skips_check(kind, "fit") or X.dtype != np.float32:
        return {}
    is_ready = not sparse.issparse(X) or X.format == "csc"
    # The check is needed if there are missing values.
    return {"check_input": False} if is_ready and np.isfinite(X.sum()) else {}


def predict_options(model: Any, X: Matrix) -> dict[str, Any]:
    """Return options with which a tree does not check and convert X again."""
    kind: Any = type(model)
    skips = _skips_check(kind, "predict") and _skips_check(kind, "predict_proba")
    if not skips or X.dtype != np.float32:
        return {}
    # Without the check, a tree would access features that X does not have.
    is_ready = model.n_features_in_ == X.shape[1]
    is_ready = is_ready and (not sparse.issparse(X) or X.format == "csr")
    return {"check_input": False} if is_ready else {}


@lru_cache
def _skips_check(kind: Any, method: str) -> bool:
    """Return whether a class is a tree whose method can skip the check; subclasses may differ."""
    if not issubclass(kind, BaseDecisionTree):
        return False
    return "check_input" in signature(getattr(kind, method, lambda: None)).parameters


def _is_small(X: Matrix, n_entries: int) -> bool:
    return sparse.issparse(X) and X.shape[0] * X.shape[1] <= n_entries


def _as_float32(X: Matrix) -> Matrix:
    """Return X in the form that trees require: float32, and sorted 32-bit indices if sparse."""
    if not sparse.issparse(X):
        return np.asarray(X, dtype=np.float32)
    floats = X.astype(np.float32)
    floats.sort_indices()
    if floats.indices.dtype != np.int32 and max(floats.nnz, *floats.shape) < 2**31:
        floats.indices = floats.indices.astype(np.int32)
        floats.indptr = floats.indptr.astype(np.int32)
    return floats
