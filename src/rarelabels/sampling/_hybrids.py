"""REMEDIAL-HwR: REMEDIAL decouples frequent and rare labels, then another sampler is applied."""

from __future__ import annotations

import inspect
from typing import Any

from rarelabels.base import BaseSampler
from rarelabels.sampling._chain import SamplerChain
from rarelabels.sampling._mlenn import MLeNN
from rarelabels.sampling._mlros import MLROS
from rarelabels.sampling._mlsmote import MLSMOTE
from rarelabels.sampling._remedial import REMEDIAL


def rhwrsmt(**params: Any) -> SamplerChain:
    """RHwRSMT: REMEDIAL separates frequent from rare labels, then MLSMOTE adds synthetic samples.

    Parameters
    ----------
    **params : dict
        ``random_state`` goes to the chain, ``skip_one_sided`` to REMEDIAL,
        ``allow_missing_labels`` to both samplers, and the others to MLSMOTE.

    Returns
    -------
    SamplerChain
        REMEDIAL, then MLSMOTE.

    See Also
    --------
    remedial_hwr_ros : REMEDIAL, then MLROS.
    remedial_hwr_hus : REMEDIAL, then MLeNN.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "REMEDIAL-HwR: Tackling multilabel imbalance through
    label decoupling and data resampling hybridization", Neurocomputing 326-327, 2019.

    Examples
    --------
    >>> from rarelabels.sampling import rhwrsmt
    >>> rhwrsmt(n_neighbors=3, random_state=0)
    SamplerChain(random_state=0, samplers=[REMEDIAL(), MLSMOTE(n_neighbors=3)])
    """
    return remedial_then(MLSMOTE, params)


def remedial_hwr_ros(**params: Any) -> SamplerChain:
    """REMEDIAL-HwR-ROS: REMEDIAL separates frequent from rare labels, then MLROS clones samples.

    After the split, the samples that carry rare labels carry no frequent ones, so cloning them does
    not make frequent labels more frequent.

    Parameters
    ----------
    **params : dict
        ``random_state`` goes to the chain, ``skip_one_sided`` to REMEDIAL,
        ``allow_missing_labels`` to both samplers, and the others to MLROS.

    Returns
    -------
    SamplerChain
        REMEDIAL, then MLROS. A fraction of samples to add refers to the output of REMEDIAL.

    See Also
    --------
    rhwrsmt : REMEDIAL, then MLSMOTE.
    remedial_hwr_hus : REMEDIAL, then MLeNN.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "REMEDIAL-HwR: Tackling multilabel imbalance through
    label decoupling and data resampling hybridization", Neurocomputing 326-327, 2019.

    Examples
    --------
    >>> from rarelabels.sampling import remedial_hwr_ros
    >>> remedial_hwr_ros(sampling_ratio=0.2, random_state=0)
    SamplerChain(random_state=0, samplers=[REMEDIAL(), MLROS(sampling_ratio=0.2)])
    """
    return remedial_then(MLROS, params)


def remedial_hwr_hus(**params: Any) -> SamplerChain:
    """REMEDIAL-HwR-HUS: REMEDIAL separates frequent from rare labels, then MLeNN removes samples.

    Use this with care: the two samples of a split have distance 0 and share no label, so each is a
    neighbor with different labels for the other, and MLeNN removes many samples that carry only
    frequent labels. On *flags*, the count of the second label falls from 91 to 44, and with
    ``threshold=0.5`` to 31. Check the label counts of the output.

    Parameters
    ----------
    **params : dict
        ``random_state`` goes to the chain, ``skip_one_sided`` to REMEDIAL,
        ``allow_missing_labels`` to both samplers, and the others to MLeNN.

    Returns
    -------
    SamplerChain
        REMEDIAL, then MLeNN.

    See Also
    --------
    rhwrsmt : REMEDIAL, then MLSMOTE.
    remedial_hwr_ros : REMEDIAL, then MLROS.

    Notes
    -----
    The existing implementations show that the paper's heuristic undersampling (HUS) is MLeNN. They
    use a threshold of 0.5; the default here is that of MLeNN, 0.75.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "REMEDIAL-HwR: Tackling multilabel imbalance through
    label decoupling and data resampling hybridization", Neurocomputing 326-327, 2019.

    Examples
    --------
    >>> from rarelabels.sampling import remedial_hwr_hus
    >>> remedial_hwr_hus(threshold=0.5)
    SamplerChain(samplers=[REMEDIAL(), MLeNN(threshold=0.5)])
    """
    return remedial_then(MLeNN, params)


def remedial_then(second: type[BaseSampler], params: dict[str, Any]) -> SamplerChain:
    """Chain REMEDIAL and another sampler; the chain seeds both."""
    random_state = params.pop("random_state", None)
    of_first = {name: params.pop(name) for name in REMEDIAL_PARAMS if name in params}
    of_first |= {name: params[name] for name in SHARED_PARAMS if name in params}
    return SamplerChain([REMEDIAL(**of_first), second(**params)], random_state=random_state)


def signature_of(second: type[BaseSampler]) -> inspect.Signature:
    """Return the combined parameters of REMEDIAL and a second sampler."""
    of_first, of_second = (inspect.signature(sampler).parameters for sampler in (REMEDIAL, second))
    return inspect.Signature([*(of_first[name] for name in REMEDIAL_PARAMS), *of_second.values()])


# Explicit signatures allow misspelled parameters to be reported before a sampler is created.
REMEDIAL_PARAMS = ("skip_one_sided",)
SHARED_PARAMS = ("allow_missing_labels",)
rhwrsmt.__signature__ = signature_of(MLSMOTE)  # type: ignore[attr-defined]
remedial_hwr_ros.__signature__ = signature_of(MLROS)  # type: ignore[attr-defined]
remedial_hwr_hus.__signature__ = signature_of(MLeNN)  # type: ignore[attr-defined]
