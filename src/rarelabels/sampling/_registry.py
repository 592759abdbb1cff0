"""Samplers by name, for command lines and plans of experiments."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

from rarelabels.sampling._chain import rhwrsmt
from rarelabels.sampling._lpros import LPROS, LPRUS
from rarelabels.sampling._mlenn import MLeNN
from rarelabels.sampling._mlros import MLROS
from rarelabels.sampling._mlrus import MLRUS
from rarelabels.sampling._mlsmote import MLSMOTE
from rarelabels.sampling._mlsol import MLSOL
from rarelabels.sampling._mltl import MLTL
from rarelabels.sampling._mlul import MLUL
from rarelabels.sampling._remedial import REMEDIAL

GROUP = "rarelabels.samplers"

BUILT_IN: dict[str, Callable[..., Any]] = {
    "lpros": LPROS,
    "lprus": LPRUS,
    "mlenn": MLeNN,
    "mlros": MLROS,
    "mlrus": MLRUS,
    "mlsmote": MLSMOTE,
    "mlsol": MLSOL,
    "mltl": MLTL,
    "mlul": MLUL,
    "remedial": REMEDIAL,
    "rhwrsmt": rhwrsmt,
}


def sampler(name: str, **params: Any) -> Any:
    """Make a sampler by its name.

    Other packages add theirs through the entry point group ``rarelabels.samplers``: a name, and
    a class or function that gives an object with `fit_resample`. A built-in name cannot be taken.

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

    In a package of your own, ``pyproject.toml`` would say::

        [project.entry-points."rarelabels.samplers"]
        mysampler = "mypackage.sampling:MySampler"
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be the name of a sampler, got {name!r}.")
    make = _find(name.lower())
    _check_known(name.lower(), make, params)
    return make(**params)


def sampler_names() -> tuple[str, ...]:
    """Give the names of all samplers, built in and added by other packages.

    Returns
    -------
    tuple of str
        In lower case, sorted.

    Examples
    --------
    >>> from rarelabels.sampling import sampler_names
    >>> "mlsol" in sampler_names()
    True
    """
    return tuple(sorted({*BUILT_IN, *_added()}))


def _added() -> dict[str, Any]:
    return {entry.name.lower(): entry for entry in entry_points(group=GROUP)}


def _find(name: str) -> Callable[..., Any]:
    if name in BUILT_IN:
        return BUILT_IN[name]
    added = _added()
    if name in added:
        return added[name].load()
    raise ValueError(f"no sampler is called {name!r}; {_hint(name, sampler_names())}")


def _check_known(name: str, make: Callable[..., Any], params: dict[str, Any]) -> None:
    """Refuse parameters that the sampler does not take, naming those it may have meant."""
    # What a chain does not take itself, its synthetic half may.
    taken = inspect.signature(MLSMOTE if make is rhwrsmt else make).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        return
    for param in params:
        if param not in taken:
            hint = _hint(param, tuple(taken))
            raise TypeError(f"the sampler {name!r} has no parameter {param!r}; {hint}")


def _hint(name: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}."
