"""The distances of the neighbor search: one record each, in one tuple that everything else reads.

Every distance is Euclidean, perhaps after a transformation of the samples. So every search works
with every distance, and a new one is a function and a record. This module does not import NumPy,
so that ``--help`` of commands is fast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rarelabels._registry import Deferred, did_you_mean


@dataclass(frozen=True)
class Distance:
    """A distance between samples.

    Attributes
    ----------
    name : str
        The value of the parameter `metric` and of ``--metric``.
    purpose : str
        What it is for, or nothing for the default.
    details : str
        What it does, in the documentation of the parameter `metric`.
    make_ties : callable
        Returns the rule for when two squared distances are equal: `RelativeTies` or `GridTies`.
    transform : callable, optional
        Maps the numeric features of samples to points with one column more. Their Euclidean
        distance is the metric, and features are not rescaled. None: features are rescaled.
    has_unit_length : bool
        Whether these points have unit length.
    """

    name: str
    purpose: str
    details: str
    make_ties: Callable[[], Any]
    transform: Callable[[Any], Any] | None = None
    has_unit_length: bool = False

    @cached_property
    def ties(self) -> Any:
        """When two squared distances are equal."""
        return self.make_ties()

    @property
    def takes_missing_values(self) -> bool:
        """Whether missing values count as differences."""
        return self.transform is None


EUCLIDEAN = Distance(
    "euclidean",
    "",
    "is the default.",
    Deferred("rarelabels._neighbors.tie_keys:RelativeTies"),
)
# The first one is the default.
DISTANCES: tuple[Distance, ...] = (
    EUCLIDEAN,
    Distance(
        "cosine",
        "for embeddings and tf-idf",
        "compares the directions of samples, which suits embeddings and tf-idf vectors. It is the "
        "Euclidean distance between the numeric features scaled to unit length, and orders samples "
        "as the cosine distance does. `scale_features` has no effect then, no numeric value may be "
        "missing, and a sample of zeros is at a right angle to all others. Ties are squared "
        "distances that round to the same multiple of 2**-35 (10 digits).",
        Deferred("rarelabels._neighbors.tie_keys:GridTies"),
        Deferred("rarelabels._neighbors.cosine:unit_rows"),
        has_unit_length=True,
    ),
)


def distance_named(name: object) -> Distance:
    """Return the distance of a name."""
    for one in DISTANCES:
        if one.name == name:
            return one
    names = [one.name for one in DISTANCES]
    raise ValueError(
        f"metric must be one of {', '.join(map(repr, names))}, got {name!r}; "
        f"{did_you_mean(name, names)}"
    )


def takes_missing_values(name: object) -> bool:
    """Whether there is a distance of this name that takes missing values.

    >>> takes_missing_values("euclidean"), takes_missing_values("cosine")
    (True, False)
    """
    return any(one.takes_missing_values for one in DISTANCES if one.name == name)


def distance_choices() -> str:
    """Return the names of all distances and what they are for.

    >>> distance_choices()
    '"euclidean", or "cosine" for embeddings and tf-idf'
    """
    return ", or ".join(f'"{one.name}" {one.purpose}'.strip() for one in DISTANCES)
