"""The samplers by name: one record each, in one tuple that everything else reads.

This module does not import NumPy, so that the command line can show and complete the names quickly.
"""

from __future__ import annotations

from rarelabels._registry import Deferred, Named

# Samplers that are compared by default.
DEFAULT_SAMPLERS = ("mlros", "mlsmote", "mlsol", "mlul")


def _record(maker: str, title: str = "") -> Named:
    """Return the record of a sampler, whose name is that of its class or function in lower case."""
    return Named(maker.lower(), Deferred(f"rarelabels.sampling:{maker}"), title or maker)


SAMPLERS: tuple[Named, ...] = (
    _record("LPROS"),
    _record("LPRUS"),
    _record("LSDMLO"),
    _record("MLeNN"),
    _record("MLONC"),
    _record("MLRkNNOS"),
    _record("MLROS"),
    _record("MLRUS"),
    _record("MLSMOTE"),
    _record("MLSOL"),
    _record("MLTL"),
    _record("MLUL"),
    _record("REMEDIAL"),
    _record("remedial_hwr_hus", "REMEDIAL-HwR-HUS"),
    _record("remedial_hwr_ros", "REMEDIAL-HwR-ROS"),
    _record("rhwrsmt", "RHwRSMT"),
)


def sampler_title(name: str) -> str:
    """Return the name of a sampler as in its paper.

    >>> sampler_title("mlsol"), sampler_title("mlenn"), sampler_title("none")
    ('MLSOL', 'MLeNN', 'none')
    """
    titles = {"none": "none"} | {record.name: record.title for record in SAMPLERS}
    return titles.get(name, name.upper())
