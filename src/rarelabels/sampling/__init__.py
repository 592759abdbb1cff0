"""Resample multi-label data: one sampler per paper."""

from rarelabels.sampling._chain import SamplerChain
from rarelabels.sampling._hybrids import remedial_hwr_hus, remedial_hwr_ros, rhwrsmt
from rarelabels.sampling._lpros import LPROS, LPRUS
from rarelabels.sampling._lsdmlo import LSDMLO
from rarelabels.sampling._mlenn import MLeNN
from rarelabels.sampling._mlonc import MLONC
from rarelabels.sampling._mlrknnos import MLRkNNOS
from rarelabels.sampling._mlros import MLROS
from rarelabels.sampling._mlrus import MLRUS
from rarelabels.sampling._mlsmote import MLSMOTE
from rarelabels.sampling._mlsol import MLSOL
from rarelabels.sampling._mltl import MLTL
from rarelabels.sampling._mlul import MLUL
from rarelabels.sampling._remedial import REMEDIAL
from rarelabels.sampling._sampler_names import sampler, sampler_names

__all__ = [
    "LPROS",
    "LPRUS",
    "LSDMLO",
    "MLONC",
    "MLROS",
    "MLRUS",
    "MLSMOTE",
    "MLSOL",
    "MLTL",
    "MLUL",
    "REMEDIAL",
    "MLRkNNOS",
    "MLeNN",
    "SamplerChain",
    "remedial_hwr_hus",
    "remedial_hwr_ros",
    "rhwrsmt",
    "sampler",
    "sampler_names",
]
