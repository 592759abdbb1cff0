"""Multi-label data whose interesting labels are rare: measure it, resample it, learn it."""

from rarelabels._neighbors import Neighbors, find_neighbors

__version__ = "0.1.0.dev0"

__all__ = ["Neighbors", "__version__", "find_neighbors"]
