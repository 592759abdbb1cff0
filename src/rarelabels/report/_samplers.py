"""Settings that follow from the data, given to whatever sampler takes them."""

from __future__ import annotations

from typing import Any


def set_where_known(sampler: Any, **wanted: Any) -> Any:
    """Set those parameters that a sampler, or a member of a chain of samplers, has.

    >>> from rarelabels.sampling import MLROS, rhwrsmt
    >>> set_where_known(MLROS(), random_state=1, n_neighbors=3)
    MLROS(random_state=1)
    >>> set_where_known(rhwrsmt(), n_neighbors=3).get_params()["mlsmote__n_neighbors"]
    3
    """
    known = {
        key: wanted[key.rpartition("__")[2]]
        for key in sampler.get_params()
        if key.rpartition("__")[2] in wanted
    }
    return sampler.set_params(**known)
