"""The training data of an ensemble, which the samplers of all members share."""

from __future__ import annotations

from typing import Any

import joblib

from rarelabels._features import Features
from rarelabels._labels import Labels
from rarelabels._neighbors import Neighbors, find_neighbors, local_neighbors
from rarelabels.base import BaseSampler, NeighborSampler

# The parameters of a sampler with which X and y are checked.
CHECK_PARAMETERS = ("categorical_features", "allow_missing_labels")


class TrainingData:
    """X and y, and the neighbors of the samples.

    Samplers of this package that are set alike share one reading of X and y. Other samplers get X
    and y themselves.

    Parameters
    ----------
    X, y
        The training data, in the caller's containers.
    neighbors : Neighbors, optional
        Neighbors of the samples of X, for samplers that accept them.
    """

    def __init__(self, X: Any, y: Any, neighbors: Neighbors | None = None) -> None:
        self.X, self.y, self.neighbors = X, y, neighbors
        self._checked: dict[str, tuple[Features, Labels]] = {}

    def search(self, sampler: Any, arguments: dict[str, Any] | None) -> None:
        """Find the neighbors that all members share; None without arguments.

        Parameters
        ----------
        sampler : sampler
            The sampler of the members.
        arguments : dict or None
            Arguments of `find_neighbors`.
        """
        if arguments is None:
            return
        if not leaves_checks_to_base(sampler):
            self.neighbors = find_neighbors(self.X, **arguments)
            return
        # The sampler reads X with the same categorical features.
        options = {key: arguments[key] for key in arguments if key != "categorical_features"}
        self.neighbors = local_neighbors(self.checked_by(sampler)[0], **options)

    def resampled_by(self, sampler: Any) -> tuple[Any, Any]:
        """Return the samples of a sampler, which uses the neighbors if there are any."""
        if self.neighbors is None:
            return self._resampled_by(sampler)
        original = sampler.neighbors
        # They are set for this call only, so that the fitted sampler does not keep them in memory.
        try:
            return self._resampled_by(sampler.set_params(neighbors=self.neighbors))
        finally:
            sampler.set_params(neighbors=original)

    def checked_by(self, sampler: BaseSampler) -> tuple[Features, Labels]:
        """Return X and y as a sampler checks them, once for all samplers that are set alike."""
        settings = joblib.hash([getattr(sampler, name, None) for name in CHECK_PARAMETERS])
        if settings not in self._checked:
            self._checked[settings] = sampler._check(self.X, self.y)
        return self._checked[settings]

    def _resampled_by(self, sampler: Any) -> tuple[Any, Any]:
        if not leaves_checks_to_base(sampler):
            return sampler.fit_resample(self.X, self.y)
        return sampler._resample_checked(*self.checked_by(sampler))


def leaves_checks_to_base(sampler: Any) -> bool:
    """Return whether a sampler is one of this package that does not override `fit_resample`."""
    defined = (BaseSampler.fit_resample, NeighborSampler.fit_resample)
    return isinstance(sampler, BaseSampler) and type(sampler).fit_resample in defined
