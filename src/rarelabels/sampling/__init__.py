"""Resample multi-label data: one sampler per paper."""

from rarelabels.sampling._mlsol import MLSOL
from rarelabels.sampling._mlul import MLUL

__all__ = ["MLSOL", "MLUL"]
