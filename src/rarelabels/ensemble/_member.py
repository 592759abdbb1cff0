"""One member: a sampler draws the data, a learner learns from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._neighbors import Neighbors
from rarelabels._random import draw_seeds, seeded
from rarelabels.learners.scores import fit_multilabel


@dataclass(frozen=True)
class Member:
    """A sampler that has drawn, and the learner that has learned from what it drew."""

    sampler: Any
    estimator: Any


def draw_member_seeds(rng: np.random.Generator, n_members: int) -> list[tuple[int, int]]:
    """Draw the seeds of sampler and learner, member after member.

    The first members have the same seeds whatever their number, so that the first of an ensemble
    is the single resampled classifier with the same seed.
    """
    return [(draw[0], draw[1]) for draw in (draw_seeds(rng, 2) for _ in range(n_members))]


def fit_member(
    estimator: Any,
    sampler: Any,
    X: Any,
    y: Any,
    seeds: tuple[int, int],
    settings: dict[str, Any] | None = None,
    neighbors: Neighbors | None = None,
) -> Member:
    """Draw data with a clone of the sampler and fit a clone of the estimator to it.

    Parameters
    ----------
    estimator : multi-label classifier
        Left as it is.
    sampler : sampler
        Left as it is.
    X, y
        The data, in the caller's containers.
    seeds : (int, int)
        Those of sampler and estimator.
    settings : dict, optional
        Parameters of the sampler that differ from member to member.
    neighbors : Neighbors, optional
        Found before, for samplers that can share them.
    """
    own_sampler = seeded(sampler, seeds[0], override=True).set_params(**(settings or {}))
    drawn_X, drawn_y = _draw(own_sampler, X, y, neighbors)
    own_estimator = fit_multilabel(seeded(estimator, seeds[1]), drawn_X, drawn_y)
    return Member(own_sampler, own_estimator)


def check_sampler(sampler: Any) -> None:
    """Check that something can resample."""
    if not hasattr(sampler, "fit_resample"):
        raise TypeError(
            f"sampler must have fit_resample, like rarelabels.sampling.MLSOL(), got {sampler!r}."
        )


def without_missing(tags: Any, sampler: Any) -> Any:
    """Take back that missing values are welcome, where the sampler takes distances."""
    if hasattr(sampler, "n_neighbors"):
        tags.input_tags.allow_nan = False
    return tags


def _draw(sampler: Any, X: Any, y: Any, neighbors: Neighbors | None) -> tuple[Any, Any]:
    if neighbors is None:
        return sampler.fit_resample(X, y)
    own = sampler.neighbors
    # Lent for the call alone, so that a kept sampler does not hold on to it.
    try:
        return sampler.set_params(neighbors=neighbors).fit_resample(X, y)
    finally:
        sampler.set_params(neighbors=own)
