"""Nearest neighbors: the only package that searches for them.

`find` decides which search is used. `scaling` turns X into a `FeatureSpace` (`space`), which knows
the distances between samples; `tie_keys` says when two distances are equal. `exact` has the exact
searches, `approximate` the search by faiss and `custom_search` the searches that users pass.
"""

from rarelabels._neighbors.find import (
    find_neighbors,
    local_neighbors,
    neighbors_among,
    neighbors_in_groups,
    neighbors_in_space,
    neighbors_of,
    query_neighbors,
)
from rarelabels._neighbors.result import (
    ApproximateNeighbors,
    Neighbors,
    check_not_found_before,
)
from rarelabels._neighbors.scaling import feature_space
from rarelabels._neighbors.space import FeatureSpace, plain_space

__all__ = [
    "ApproximateNeighbors",
    "FeatureSpace",
    "Neighbors",
    "check_not_found_before",
    "feature_space",
    "find_neighbors",
    "local_neighbors",
    "neighbors_among",
    "neighbors_in_groups",
    "neighbors_in_space",
    "neighbors_of",
    "plain_space",
    "query_neighbors",
]
