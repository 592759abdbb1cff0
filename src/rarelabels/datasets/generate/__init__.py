"""Generate data sets with chosen properties."""

from rarelabels.datasets.generate._local_imbalance import make_local_imbalance
from rarelabels.datasets.generate._multilabel import make_multilabel

__all__ = ["make_local_imbalance", "make_multilabel"]
