"""Dask as a backend: its collections as X and y, and who supports them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rarelabels._containers import Container
from rarelabels._dask.collection import block_without_rows
from rarelabels._dask.features import DaskFeatures, dask_features
from rarelabels._dask.labels import dask_labels
from rarelabels._dask.predictions import block_predictions
from rarelabels._dask.scaling import block_scaling, transformed_scaling
from rarelabels._dask.space import DaskSpace
from rarelabels._distances import Distance

FUNCTIONS = ("find_neighbors", "describe", "limb", "local_imbalance", "label_types")


class DaskBackend:
    """Dask arrays and dataframes as X, and these, bags and series as y."""

    name = "Dask"

    def features(self, X: Any, categorical_features: Any) -> DaskFeatures:
        """Return the features of X, which are not loaded into memory."""
        return dask_features(X, categorical_features)

    def space(
        self, features: Any, *, scale_features: bool, metric: Distance, quiet: bool
    ) -> DaskSpace:
        """Return the space of features, which searches for neighbors block by block."""
        if metric.transform is not None:
            return DaskSpace(features, transformed_scaling(features, metric, quiet=quiet))
        scaling = block_scaling(features, scale_features=scale_features, quiet=quiet)
        return DaskSpace(features, scaling)

    def labels(self, y: Any) -> Container:
        """Return the container of y, whose labels are gathered."""
        return dask_labels(y)

    def without_samples(self, X: Any) -> Any:
        """Return a block of X without samples, as an array or a dataframe in memory."""
        return block_without_rows(X)

    def predictions(self, X: Any, predict: Callable[[Any], Any], like: Any) -> Any:
        """Return a collection of what a function predicts for each block of X."""
        return block_predictions(X, predict, like)

    def persist(self, data: Any) -> Any:
        """Compute a collection once and keep it in the memory of its workers."""
        return data.persist()

    def refusal(self, data: Any) -> str:
        """Return the message for a collection where data in memory is needed."""
        return (
            f"got a Dask {type(data).__name__}, which only {', '.join(supporters())} and a "
            "SamplerChain of these accept; compute() returns it in the memory of one machine."
        )


def supporters() -> list[str]:
    """Return the functions, and the classes by their own flag, that accept Dask collections."""
    modules = [import_module(f"rarelabels.{name}") for name in ("learners", "sampling")]
    classes = [getattr(module, name) for module in modules for name in module.__all__]
    return [*FUNCTIONS, *(c.__name__ for c in classes if getattr(c, "_works_on_blocks", False))]


BACKEND = DaskBackend()
