"""The distance that every neighbour search of the package goes by.

Each numeric feature is rescaled to [0, 1] over the data given (a constant one counts 0) and enters
as in Euclid; a categorical feature adds 1 to the squared distance where the values differ, and so
does any feature that is missing in one or both samples. A feature with two values makes no
difference between the two readings, so a categorical one with at most two is kept as a number, and
only the others as codes.

Distances that decide an order are taken from the values as they came, difference first: whatever
was subtracted or rescaled before would cost digits where values are large and differences small.

The space of X is made in `placing`, of X in blocks elsewhere in `spread`; what it can do is in
`space`, and how distances are compared in `keys`.
"""

from __future__ import annotations

from typing import Any

from rarelabels._blocks.features import BlockFeatures
from rarelabels._distance.keys import COMPARED_BITS, row_sums, squares_of_keys
from rarelabels._distance.placing import placed_space
from rarelabels._distance.space import FeatureSpace, one_hot, plain_space
from rarelabels._distance.spread import Placing, SpreadSpace, spread_space
from rarelabels._features import Features

__all__ = [
    "COMPARED_BITS",
    "FeatureSpace",
    "Placing",
    "SpreadSpace",
    "feature_space",
    "one_hot",
    "plain_space",
    "row_sums",
    "squares_of_keys",
]


def feature_space(
    features: Features,
    queries: Features | None = None,
    *,
    scale_features: bool = True,
    quiet: bool = False,
) -> Any:
    """Place the samples of X and, behind them in the same scale, those of queries.

    Features that are missing in all samples of X do not count; unless `quiet`, a warning names
    them. Samples that lie in blocks elsewhere stay there.
    """
    if isinstance(features, BlockFeatures):
        return spread_space(features, scale_features=scale_features, quiet=quiet)
    return placed_space(features, queries, scale_features=scale_features, quiet=quiet)
