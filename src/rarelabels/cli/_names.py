"""Names that the shell completes and the help shows, without loading what they stand for.

Other packages may add samplers and learners; those are known to the commands, not to the shell.
"""

from __future__ import annotations

from collections.abc import Callable

from rarelabels.metrics import METRICS

SAMPLERS = (
    "lpros", "lprus", "lsdmlo", "mlenn", "mlonc", "mlrknnos", "mlros", "mlrus", "mlsmote",
    "mlsol", "mltl", "mlul", "remedial", "remedial_hwr_hus", "remedial_hwr_ros", "rhwrsmt",
)  # fmt: skip
LEARNERS = (
    "br", "clr", "cocoa", "ecc", "eccru3", "forest", "iblr", "kernel_ridge", "lp", "mlknn",
    "rakel", "rare_label",
)  # fmt: skip
DATASETS = (
    "bibtex", "birds", "cal500", "corel5k", "delicious", "emotions", "enron", "flags", "genbase",
    "medical", "rcv1subset1", "rcv1subset2", "scene", "tmc2007-500", "yahoo-Arts1",
    "yahoo-Business1", "yeast",
)  # fmt: skip
METRIC_NAMES = tuple(metric.name for metric in METRICS)


def complete(names: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Complete one name.

    >>> complete(SAMPLERS)("mls")
    ['mlsmote', 'mlsol']
    """

    def find(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete.lower())]

    return find


def complete_list(names: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Complete the last of several names with commas.

    >>> complete_list(SAMPLERS)("mlsol,mlu")
    ['mlsol,mlul']
    """

    def find(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in complete(names)(last)]

    return find
