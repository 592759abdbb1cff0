"""Names that the shell completes and the help shows, without loading the objects.

Other packages may add samplers and learners; those are known to the commands, not to the shell.
"""

from __future__ import annotations

from collections.abc import Callable

from rarelabels._learners import LEARNERS
from rarelabels._mulan_sources import known_names
from rarelabels._samplers import SAMPLERS
from rarelabels.metrics import METRICS

SAMPLER_NAMES = tuple(record.name for record in SAMPLERS)
LEARNER_NAMES = tuple(record.name for record in LEARNERS)
DATASET_NAMES = tuple(known_names())
METRIC_NAMES = tuple(metric.name for metric in METRICS)


def complete(names: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Complete one name.

    >>> complete(SAMPLER_NAMES)("mls")
    ['mlsmote', 'mlsol']
    """

    def find(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete.lower())]

    return find


def complete_list(names: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Complete the last of several names with commas.

    >>> complete_list(SAMPLER_NAMES)("mlsol,mlu")
    ['mlsol,mlul']
    """

    def find(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in complete(names)(last)]

    return find
