"""Find the backend of a table: this process, or a library for data larger than memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol


class Backend(Protocol):
    """A library for tables that need not fit in memory, and how X and y are read from them."""

    name: str

    def features(self, X: Any, categorical_features: Any) -> Any:
        """Return the `Features` of X, which are not loaded into memory."""
        ...

    def space(self, features: Any, *, scale_features: bool, metric: Any, quiet: bool) -> Any:
        """Return the `RemoteSpace` of features, which implements the neighbor search."""
        ...

    def labels(self, y: Any) -> Any:
        """Return the container of y, whose labels are gathered in memory."""
        ...

    def without_samples(self, X: Any) -> Any:
        """Return a block of X without samples, as an array or a dataframe in memory."""
        ...

    def predictions(self, X: Any, predict: Callable[[Any], Any], like: Any) -> Any:
        """Return a table with the predictions of a function for each block of X.

        `like` is the result of the function for an empty block.
        """
        ...

    def persist(self, data: Any) -> Any:
        """Compute a table once and keep it in the memory of its workers."""
        ...

    def refusal(self, data: Any) -> str:
        """Return the error message for a table that is not in memory."""
        ...


@dataclass(frozen=True)
class BackendRecord:
    """How tables of a backend are recognized, without importing its library.

    Attributes
    ----------
    package : str
        The package that defines the classes of the tables.
    attribute : str
        An attribute that every table has.
    module : str
        The module of this package whose `BACKEND` reads the tables.
    """

    package: str
    attribute: str
    module: str


BACKENDS = (BackendRecord("dask", "__dask_graph__", "rarelabels._dask.backend"),)


def backend_of(data: Any) -> Backend | None:
    """Return the backend of a table, or None for data in memory."""
    package = type(data).__module__.partition(".")[0]
    for record in BACKENDS:
        if package == record.package and hasattr(data, record.attribute):
            backend: Backend = import_module(record.module).BACKEND
            return backend
    return None
