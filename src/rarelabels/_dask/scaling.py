"""How the samples of a Dask collection are scaled and coded, block by block.

The column layout of all samples comes from a summary of each block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, column_of
from rarelabels._dask.column_statistics import NONE
from rarelabels._dask.features import Block, DaskFeatures, aligned
from rarelabels._distances import Distance
from rarelabels._neighbors.exact.dense_operands import ColumnLayout, DenseColumns
from rarelabels._neighbors.scaling import (
    empty_space,
    missing_for_metric,
    transformed_empty_space,
    wide_for_metric,
)
from rarelabels._neighbors.space import FeatureSpace, unit_for


@dataclass(frozen=True)
class Scaling:
    """How samples are scaled and coded: what `feature_space` learns from all of them.

    Attributes
    ----------
    empty : FeatureSpace
        The space without samples.
    entering : ndarray of ints
        The features that are used as numbers.
    values : mapping of feature to ndarray
        The sorted values of the features that are used as codes.
    incomplete : ndarray of ints
        The numeric features with missing values, counted among the numeric ones.
    """

    empty: FeatureSpace
    entering: Array
    values: dict[int, Array]
    incomplete: Array

    @property
    def n_codes(self) -> Array:
        """Number of values of each feature that is used as codes."""
        return np.array([known.size for known in self.values.values()], dtype=np.intp)

    def space_of(self, block: Block, first: int = 0) -> FeatureSpace:
        """Return the space of some samples, the first of which has the number `first`.

        A missing category gets a code that no other sample of any block has.
        """
        is_sparse = sparse.issparse(block.numbers)
        by_column = block.numbers.tocsc() if is_sparse and self.values else block.numbers
        codes = [
            _codes_of_values(column_of(by_column, j), known, first)
            for j, known in self.values.items()
        ]
        all_enter = self.entering.size == block.numbers.shape[1]
        raw = block.numbers if all_enter else block.numbers[:, self.entering]
        if self.empty.metric.transform is not None:
            raw = self.empty.metric.transform(raw)
        places = np.searchsorted(self.entering, list(block.integers)).tolist()
        wide = list(zip(places, block.integers, strict=True))
        return replace(
            self.empty,
            raw=raw.astype(np.float64, copy=False) if is_sparse else aligned(raw, np.float64),
            wide={j: block.integers[f] for j, f in wide},
            codes=np.column_stack(codes) if codes else np.empty((len(block), 0), dtype=np.int32),
        )


def block_scaling(features: DaskFeatures, *, scale_features: bool, quiet: bool) -> Scaling:
    """Return how the samples of all blocks are scaled and coded."""
    low, high = features.ranges
    known = features.category_values
    is_coded = [
        j in known and (known[j].size > 2 or features.has_missing[j]) for j in range(low.size)
    ]
    coded = np.array(is_coded, dtype=bool) & ~np.isnan(high)
    empty, entering = empty_space(features, low, high, coded, scale_features, quiet)
    if not scale_features and entering.size:
        largest = max(0.0, float(high[entering].max()), -float(low[entering].min()))
        is_alone = not (features.categorical.any() or features.has_missing[entering].any())
        empty = replace(empty, unit=unit_for(largest, is_alone=is_alone))
    if features.is_sparse:
        empty = replace(empty, low=np.zeros(entering.size))
    values = {j: known[j] for j in np.flatnonzero(coded).tolist()}
    incomplete = np.flatnonzero(features.has_missing[entering])
    return Scaling(empty, entering, values, incomplete)


def transformed_scaling(features: DaskFeatures, metric: Distance, *, quiet: bool) -> Scaling:
    """Return how the samples of all blocks are transformed and coded."""
    for j in features.coding.lows:
        raise ValueError(wide_for_metric(j, features, metric))
    has_missing = features.has_missing & ~features.categorical
    if has_missing.any():
        first = np.where(has_missing, features.statistics.first_missing, NONE)
        column = int(first.argmin())
        raise ValueError(missing_for_metric(int(first[column]), column, features, metric))
    ignored = features.categorical & np.isnan(features.ranges[1])
    coded = features.categorical & ~ignored
    empty, entering = transformed_empty_space(features, ignored, coded, metric, quiet)
    values = {j: features.category_values[j] for j in np.flatnonzero(coded).tolist()}
    return Scaling(empty, entering, values, np.empty(0, dtype=np.intp))


def _codes_of_values(column: Array, values: Array, first: int) -> Array:
    """Return the position of each number among the values of its feature, negative if missing."""
    codes, missing = np.searchsorted(values, column), np.flatnonzero(np.isnan(column))
    codes[missing] = -1 - first - missing
    return codes.astype(np.int32)


@dataclass(frozen=True)
class BlockSummary:
    """Number of samples of a block, whether its products are exact, and its center."""

    n_samples: int
    is_exact: bool
    center: Array


def summarize_block(scaling: Scaling, block: Block) -> BlockSummary:
    """Summarize the samples of a block."""
    space = scaling.space_of(block)
    is_exact = DenseColumns(space, _plain(scaling)).are_exact()
    return BlockSummary(len(block), is_exact, space.center)


def common_layout(scaling: Scaling, summaries: list[BlockSummary]) -> ColumnLayout:
    """Return the layout for all blocks, not yet scaled."""
    if all(summary.is_exact for summary in summaries):
        return _plain(scaling)
    n_samples = np.array([summary.n_samples for summary in summaries])
    # Weights before sums, which might overflow.
    weights = n_samples / n_samples.sum()
    return _plain(scaling).about(weights @ np.array([summary.center for summary in summaries]))


def reach_in(scaling: Scaling, layout: ColumnLayout, block: Block) -> tuple[float, Array] | None:
    """Return the largest norm in a block, as `ColumnLayout.reaching` needs it."""
    return None if layout.is_exact else DenseColumns(scaling.space_of(block), layout).reach()


def scaled_layout(layout: ColumnLayout, reaches: list[tuple[float, Array]]) -> ColumnLayout:
    """Return the layout scaled so that no sample of any block has a norm above 1."""
    return layout if layout.is_exact else layout.reaching(reaches)


def _plain(scaling: Scaling) -> ColumnLayout:
    return ColumnLayout(scaling.empty.low, scaling.incomplete, scaling.n_codes)
