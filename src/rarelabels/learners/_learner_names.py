"""Learners by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rarelabels._registry import Registry
from rarelabels.learners._binary_relevance import BinaryRelevance
from rarelabels.learners._classifier_chains import EnsembleOfClassifierChains
from rarelabels.learners._cocoa import COCOA
from rarelabels.learners._eccru3 import ECCRU3
from rarelabels.learners._iblr import IBLR
from rarelabels.learners._kernel_ridge import KernelRidgeClassifier
from rarelabels.learners._label_powerset import LabelPowerset
from rarelabels.learners._label_ranking import CalibratedLabelRanking
from rarelabels.learners._mlknn import MLkNN
from rarelabels.learners._multi_label_forest import MultiLabelForest
from rarelabels.learners._rakel import RAkEL
from rarelabels.learners._rare_label import RareLabelClassifier

BUILT_IN: dict[str, Callable[..., Any]] = {
    "br": BinaryRelevance,
    "clr": CalibratedLabelRanking,
    "cocoa": COCOA,
    "ecc": EnsembleOfClassifierChains,
    "eccru3": ECCRU3,
    "forest": MultiLabelForest,
    "iblr": IBLR,
    "kernel_ridge": KernelRidgeClassifier,
    "lp": LabelPowerset,
    "mlknn": MLkNN,
    "rakel": RAkEL,
    "rare_label": RareLabelClassifier,
}
LEARNERS = Registry("learner", "rarelabels.learners", BUILT_IN)


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
    return LEARNERS.make(name, params)


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
    return LEARNERS.names()
