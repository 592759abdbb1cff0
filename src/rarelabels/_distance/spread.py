"""Samples that lie in blocks elsewhere: how they are placed, block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rarelabels._blocks.features import Block, BlockFeatures, aligned
from rarelabels._containers import Array
from rarelabels._distance.placing import empty_space
from rarelabels._distance.space import FeatureSpace, unit_for


@dataclass(frozen=True)
class Placing:
    """How samples are placed that are not all there: what `feature_space` knows of all of them.

    Attributes
    ----------
    empty : FeatureSpace
        The space without samples.
    entering : ndarray of ints
        The features that enter as numbers.
    values : mapping of feature to ndarray
        The features that enter as codes: their values, sorted.
    gaps : ndarray of ints
        Those of the features that enter as numbers which are missing in some samples.
    """

    empty: FeatureSpace
    entering: Array
    values: dict[int, Array]
    gaps: Array

    @property
    def n_codes(self) -> Array:
        """Number of values of each feature that enters as codes."""
        return np.array([known.size for known in self.values.values()], dtype=np.intp)

    def place(self, block: Block, first: int = 0) -> FeatureSpace:
        """Return the space of some samples, those missing a category each with a code of its own.

        The number of the first sample tells these codes of different blocks apart.
        """
        codes = [
            _codes_of_values(block.numbers[:, j], known, first) for j, known in self.values.items()
        ]
        all_enter = self.entering.size == block.numbers.shape[1]
        raw = block.numbers if all_enter else block.numbers[:, self.entering]
        wide = [(j, f) for j, f in enumerate(self.entering.tolist()) if f in block.integers]
        return replace(
            self.empty,
            raw=aligned(raw, np.float64),
            wide={j: block.integers[f] for j, f in wide},
            codes=np.column_stack(codes) if codes else np.empty((len(block), 0), dtype=np.int32),
        )


@dataclass(frozen=True)
class SpreadSpace:
    """A space of samples that lie in blocks elsewhere, all of X or some of it.

    Attributes
    ----------
    features : BlockFeatures
        Where the samples are.
    placing : Placing
        How they are placed.
    samples : (m,) ndarray or None
        Those of the space, None for all.
    """

    features: BlockFeatures
    placing: Placing
    samples: Array | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.features.n_samples if self.samples is None else self.samples.size

    def take(self, samples: Array) -> SpreadSpace | FeatureSpace:
        """Return the space of some samples; without any, only the scale is left of it."""
        if not samples.size:
            return self.placing.empty
        held = samples if self.samples is None else self.samples[samples]
        return SpreadSpace(self.features, self.placing, held)


def spread_space(features: BlockFeatures, *, scale_features: bool, quiet: bool) -> SpreadSpace:
    """Say how samples are placed that lie in blocks elsewhere."""
    low, high = features.ranges
    known = features.category_values
    is_coded = [j in known and (known[j].size > 2 or features.has_gaps[j]) for j in range(low.size)]
    coded = np.array(is_coded, dtype=bool) & ~np.isnan(high)
    empty, entering = empty_space(features, low, high, coded, scale_features, quiet)
    if not scale_features and entering.size:
        largest = max(0.0, float(high[entering].max()), -float(low[entering].min()))
        is_alone = not (features.categorical.any() or features.has_gaps[entering].any())
        empty = replace(empty, unit=unit_for(largest, is_alone=is_alone))
    values = {j: known[j] for j in np.flatnonzero(coded).tolist()}
    gaps = np.flatnonzero(features.has_gaps[entering])
    return SpreadSpace(features, Placing(empty, entering, values, gaps))


def _codes_of_values(column: Array, values: Array, first: int) -> Array:
    """Return the place of each number among the values of its feature, gaps below them."""
    codes, missing = np.searchsorted(values, column), np.flatnonzero(np.isnan(column))
    codes[missing] = -1 - first - missing
    return codes.astype(np.int32)
