"""Learners by name."""

from __future__ import annotations

from typing import Any

from rarelabels import _learners
from rarelabels._registry import Registry

REGISTRY = Registry("learner", "rarelabels.learners", lambda: _learners.LEARNERS)


def learner(name: str, **params: Any) -> Any:
    """Return a new learner, given its name.

    Parameters
    ----------
    name : str
        One of :func:`learner_names`, in upper or lower case. Other packages can add learners with
        an entry point in the group ``rarelabels.learners``.
    **params
        Parameters of the learner.

    Returns
    -------
    multi-label classifier
        The learner, not fitted.

    Examples
    --------
    >>> from rarelabels.learners import learner
    >>> learner("rakel", labelset_size=2)
    RAkEL(labelset_size=2)
    """
    return REGISTRY.make(name, params)


def learner_names() -> tuple[str, ...]:
    """Return the names that :func:`learner` accepts, including those of other packages.

    Returns
    -------
    tuple of str
        The sorted names.

    Examples
    --------
    >>> from rarelabels.learners import learner_names
    >>> {'br', 'rare_label'} <= {*learner_names()}
    True
    """
    return REGISTRY.names()
