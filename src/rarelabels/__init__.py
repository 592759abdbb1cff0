"""Multi-label data whose interesting labels are rare: measure it, resample it, learn it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rarelabels._neighbors import ApproximateNeighbors, Neighbors, find_neighbors
    from rarelabels.advisor import does_sampling_help

__version__ = "0.1.0"

__all__ = [
    "ApproximateNeighbors",
    "Neighbors",
    "__version__",
    "does_sampling_help",
    "find_neighbors",
]

ROOMS = (
    "advisor",
    "base",
    "comparison",
    "datasets",
    "decisions",
    "ensemble",
    "experiment",
    "learners",
    "measures",
    "metrics",
    "model_selection",
    "report",
    "sampling",
    "testing",
    "weights",
    "trees",
)


def __getattr__(name: str) -> Any:
    """Import what needs scikit-learn on first access, so that `--help` of commands is fast."""
    if name in ROOMS:
        return import_module(f"rarelabels.{name}")
    if name == "does_sampling_help":
        return import_module("rarelabels.advisor").does_sampling_help
    if name in __all__:
        return getattr(import_module("rarelabels._neighbors"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *ROOMS]
