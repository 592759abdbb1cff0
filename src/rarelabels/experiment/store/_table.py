"""A table of scores: rows data sets, columns methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Average scores, ready for :mod:`rarelabels.comparison`.

    Attributes
    ----------
    values : ndarray of shape (n_datasets, n_methods)
        Means over folds; NaN where folds are missing.
    datasets, methods : tuple of str
        The names of rows and columns, in the plan's order.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import average_ranks
    >>> from rarelabels.experiment import ScoreTable
    >>> table = ScoreTable(np.array([[0.5, 0.6], [0.7, 0.9]]), ("a", "b"), ("Default", "MLSOL"))
    >>> average_ranks(table.columns())
    {'Default': 2.0, 'MLSOL': 1.0}
    """

    values: Floats
    datasets: tuple[str, ...]
    methods: tuple[str, ...]

    def columns(self) -> dict[str, list[float]]:
        """Return the scores of each method, a list over data sets.

        Returns
        -------
        dict of str to list of float
            By method, in the table's order.
        """
        return {name: self.values[:, j].tolist() for j, name in enumerate(self.methods)}

    def to_pandas(self) -> Any:
        """Return the table as a pandas dataframe.

        Returns
        -------
        pandas.DataFrame
            Indexed by data set.
        """
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.datasets), columns=list(self.methods))

    def select(self, methods: Iterable[str]) -> ScoreTable:
        """Keep some methods, in the order given.

        Parameters
        ----------
        methods : iterable of str
            Their names.

        Returns
        -------
        ScoreTable
            With those columns.
        """
        kept = tuple(methods)
        missing = [name for name in kept if name not in self.methods]
        if missing:
            raise KeyError(f"the table has no method {missing[0]!r}; it has {self.methods}.")
        places = [self.methods.index(name) for name in kept]
        return ScoreTable(self.values[:, places], self.datasets, kept)

    def complete(self) -> ScoreTable:
        """Drop the data sets on which a method has no score.

        Returns
        -------
        ScoreTable
            Without NaN.
        """
        whole = np.flatnonzero(~np.isnan(self.values).any(axis=1))
        names = tuple(self.datasets[i] for i in whole)
        return ScoreTable(self.values[whole], names, self.methods)


def table_of(cells: Iterable[Mapping[str, Any]], n_folds: int | None) -> ScoreTable:
    """Make the table of cells with a dataset, a method, a value and its number of folds.

    A cell with fewer than `n_folds` folds stays empty; None: any number will do.
    """
    found = list(cells)
    datasets = tuple(dict.fromkeys(cell["dataset"] for cell in found))
    methods = tuple(dict.fromkeys(cell["method"] for cell in found))
    values = np.full((len(datasets), len(methods)), np.nan)
    for cell in found:
        enough = n_folds is None or cell["folds"] >= n_folds
        if enough and cell["value"] is not None:
            values[datasets.index(cell["dataset"]), methods.index(cell["method"])] = cell["value"]
    return ScoreTable(values, datasets, methods)
