"""Samplers by name, for the command line and experiment plans."""

from __future__ import annotations

from typing import Any

from rarelabels import _samplers
from rarelabels._registry import Registry

REGISTRY = Registry("sampler", "rarelabels.samplers", lambda: _samplers.SAMPLERS)


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
    return REGISTRY.make(name, params)


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
    return REGISTRY.names()
