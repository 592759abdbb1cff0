"""Decision trees, the default: what scikit-learn would do for each of them is done once for all."""

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
from rarelabels.learners._frames import is_frame, take_rows

# Entries up to which a sparse matrix is made dense: trees grow faster on a small dense block, and
# predict dense samples faster; beyond, it would not fit the memory.
DENSE_TO_FIT = 50_000
DENSE_TO_PREDICT = 2**24


def seeded_clone(estimator: Any, seed: int) -> Any:
    """Return what `seeded` returns, quickly for a tree.

    Cloning a tree takes as long as growing a small one; its parameters are plain values, so that a
    copy without what was fitted is a clone.
    """
    given = getattr(estimator, "random_state", None)
    is_plain = type(estimator) in (DecisionTreeClassifier, ExtraTreeClassifier)
    if not is_plain or not (given is None or isinstance(given, Integral)):
        return seeded(estimator, seed)
    made = copy(estimator)
    for name in [name for name in vars(made) if name.endswith("_")]:
        delattr(made, name)
    if given is None:
        made.random_state = int(as_generator(seed).integers(2**31 - 1))
    return made


def ready_to_fit(estimator: Any, X: Matrix) -> Matrix:
    """Return X as the estimator's fit would convert it: for trees float32, by columns if sparse."""
    if not isinstance(estimator, BaseDecisionTree):
        return X
    return _as_float32(X.tocsc() if sparse.issparse(X) else X)


def ready_to_slice(estimator: Any, X: Matrix) -> Matrix:
    """Return X as the estimator takes it, in a form whose samples are quickly taken."""
    return _as_float32(X) if isinstance(estimator, BaseDecisionTree) else X


def take_samples(estimator: Any, X: Matrix, samples: Array) -> Matrix:
    """Return some samples of what `ready_to_slice` returned."""
    if is_frame(X):
        return take_rows(X, samples)
    block = X[samples]
    is_tree = isinstance(estimator, BaseDecisionTree)
    return block.toarray() if is_tree and _is_small(block, DENSE_TO_FIT) else block


def ready_to_predict(estimator: Any, X: Matrix) -> Matrix:
    """Return X as the models' predict would convert it."""
    if not isinstance(estimator, BaseDecisionTree):
        return X
    return _as_float32(X.toarray() if _is_small(X, DENSE_TO_PREDICT) else X)


def fit_options(estimator: Any, X: Matrix) -> dict[str, Any]:
    """Return options that keep a tree from checking and converting what is ready for it."""
    kind: Any = type(estimator)
    if not _skips_check(kind, "fit") or X.dtype != np.float32:
        return {}
    is_ready = not sparse.issparse(X) or X.format == "csc"
    # Missing values have to be seen by the check.
    return {"check_input": False} if is_ready and np.isfinite(X.sum()) else {}


def predict_options(model: Any, X: Matrix) -> dict[str, Any]:
    """Return options that keep a tree from checking and converting what is ready for it."""
    kind: Any = type(model)
    skips = _skips_check(kind, "predict") and _skips_check(kind, "predict_proba")
    if not skips or X.dtype != np.float32:
        return {}
    # Without the check, a tree would look for features that X does not have.
    is_ready = model.n_features_in_ == X.shape[1]
    is_ready = is_ready and (not sparse.issparse(X) or X.format == "csr")
    return {"check_input": False} if is_ready else {}


@lru_cache
def _skips_check(kind: Any, method: str) -> bool:
    """Whether a class is a tree whose method can do without checking X; a subclass may not."""
    if not issubclass(kind, BaseDecisionTree):
        return False
    taken = signature(getattr(kind, method, lambda: None)).parameters
    return "check_input" in taken


def _is_small(X: Matrix, n_entries: int) -> bool:
    return sparse.issparse(X) and X.shape[0] * X.shape[1] <= n_entries


def _as_float32(X: Matrix) -> Matrix:
    """Return what trees ask for: float32, and sorted 32-bit indices where it is sparse."""
    if not sparse.issparse(X):
        return np.asarray(X, dtype=np.float32)
    made = X.astype(np.float32)
    made.sort_indices()
    if made.indices.dtype != np.int32 and max(made.nnz, *made.shape) < 2**31:
        made.indices, made.indptr = made.indices.astype(np.int32), made.indptr.astype(np.int32)
    return made
