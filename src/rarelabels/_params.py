"""Set parameters of an estimator and its parts, at any depth."""

from __future__ import annotations

import copy
from typing import Any


def unfitted_copy(estimator: Any) -> Any:
    """Return a clone of an estimator, or a copy of an object without parameters."""
    from sklearn.base import clone

    return clone(estimator) if hasattr(estimator, "get_params") else copy.deepcopy(estimator)


def set_where_known(
    estimator: Any, *, only_unset: bool = False, deep: bool = True, **wanted: Any
) -> Any:
    """Set those parameters that an estimator, or a part of it, has.

    Parameters
    ----------
    estimator : estimator
        The estimator, which is changed and returned. Without `get_params`, it has no parameters.
    only_unset : bool, default=False
        Only set parameters that are None or "auto".
    deep : bool, default=True
        Also set the parameters of the parts of the estimator.
    **wanted : values
        Values by the last part of the parameter name.

    Examples
    --------
    >>> from rarelabels.sampling import MLROS, MLSOL, rhwrsmt
    >>> set_where_known(MLROS(), random_state=1, n_neighbors=3)
    MLROS(random_state=1)
    >>> set_where_known(rhwrsmt(), n_neighbors=3).get_params()["mlsmote__n_neighbors"]
    3
    >>> sampler = MLSOL(categorical_features="auto", n_neighbors=7)
    >>> set_where_known(sampler, only_unset=True, categorical_features=[0], n_neighbors=3)
    MLSOL(categorical_features=[0], n_neighbors=7)
    """
    if not hasattr(estimator, "get_params"):
        return estimator
    known = {
        key: wanted[key.rpartition("__")[2]]
        for key, value in estimator.get_params(deep=deep).items()
        if key.rpartition("__")[2] in wanted and not (only_unset and _is_set(value))
    }
    return estimator.set_params(**known)


def _is_set(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and value == "auto")
