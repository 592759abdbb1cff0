"""Samplers by name, for the command line and experiment plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rarelabels._registry import Registry
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

BUILT_IN: dict[str, Callable[..., Any]] = {
    "lpros": LPROS,
    "lprus": LPRUS,
    "lsdmlo": LSDMLO,
    "mlenn": MLeNN,
    "mlonc": MLONC,
    "mlrknnos": MLRkNNOS,
    "mlros": MLROS,
    "mlrus": MLRUS,
    "mlsmote": MLSMOTE,
    "mlsol": MLSOL,
    "mltl": MLTL,
    "mlul": MLUL,
    "remedial": REMEDIAL,
    "remedial_hwr_hus": remedial_hwr_hus,
    "remedial_hwr_ros": remedial_hwr_ros,
    "rhwrsmt": rhwrsmt,
}
SAMPLERS = Registry("sampler", "rarelabels.samplers", BUILT_IN)


def sampler(name: str, **params: Any) -> Any:
    """Create a sampler by its name.

    Other packages can register samplers in the entry point group ``rarelabels.samplers``: a name,
    and a class or function that returns an object with `fit_resample`. A built-in name cannot be
    replaced.

    Parameters
    ----------
    name : str
        One of :func:`sampler_names`, in upper or lower case.
    **params : dict
        Parameters of the sampler.

    Returns
    -------
    sampler
        An object with `fit_resample`.

    Examples
    --------
    >>> from rarelabels.sampling import sampler
    >>> sampler("mlsol", sampling_ratio=0.2)
    MLSOL(sampling_ratio=0.2)

    To register a sampler of another package, add to its ``pyproject.toml``::

        [project.entry-points."rarelabels.samplers"]
        mysampler = "mypackage.sampling:MySampler"
    """
    return SAMPLERS.make(name, params)


def sampler_names() -> tuple[str, ...]:
    """Return the names of all samplers, built in or registered by other packages.

    Returns
    -------
    tuple of str
        The names in lower case, sorted.

    Examples
    --------
    >>> from rarelabels.sampling import sampler_names
    >>> "mlsol" in sampler_names()
    True
    """
    return SAMPLERS.names()
