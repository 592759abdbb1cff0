"""Correlate measures of data sets with performance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from rarelabels.comparison._table import MethodTable, as_columns, read_scores

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PearsonResult:
    """Correlations of measures with performances.

    Attributes
    ----------
    correlation : performances × measures
        Pearson's correlation coefficients, NaN for a constant column.
    pvalue : performances × measures
        Their two-sided p-values.
    critical_value : float
        A coefficient whose absolute value exceeds this is significant.
    significant : performances × measures
        Which coefficients are significant.
    alpha : float
        The level of significance.
    """

    correlation: Any
    pvalue: Any
    critical_value: float
    significant: Any
    alpha: float


def pearson_correlation(measures: Any, performance: Any, *, alpha: float = 0.01) -> PearsonResult:
    """Correlate measures of data sets with the performance of methods on them.

    Parameters
    ----------
    measures : dataframe, dict of columns or array of shape (n_datasets, n_measures)
        One column for each measure.
    performance : dataframe, dict of columns or array of shape (n_datasets, n_methods)
        One column for each method; rows are the same data sets in the same order. For both
        arguments, a single column may be a Series or an array of shape (n_datasets,).
    alpha : float, default=0.01
        The two-sided level of significance.

    Returns
    -------
    PearsonResult
        Object with `correlation`, `pvalue` and `significant` (a row for each performance, a column
        for each measure, in the container of `measures`) and `critical_value`.

    Examples
    --------
    >>> from rarelabels.comparison import pearson_correlation
    >>> measures = {"LImb": [0.2, 0.4, 0.6, 0.8], "MeanIR": [3.0, 1.0, 1.0, 3.0]}
    >>> result = pearson_correlation(measures, {"BR": [0.9, 0.7, 0.5, 0.2]})
    >>> {name: round(value, 4) for name, value in result.correlation["BR"].items()}
    {'LImb': -0.9944, 'MeanIR': -0.0967}
    >>> round(result.critical_value, 3)
    0.99
    """
    columns = read_scores(as_columns(measures), argument="measures")
    rows = read_scores(as_columns(performance), argument="performance")
    _check_same_rows(columns, rows)
    n_samples = len(columns.values)
    critical = pearson_critical_value(n_samples, alpha)
    correlation = _correlations(rows.values, columns.values)
    return PearsonResult(
        correlation=columns.per_pair(correlation, rows),
        pvalue=columns.per_pair(_p_values(correlation, n_samples), rows),
        critical_value=critical,
        significant=columns.per_pair(np.abs(correlation) > critical, rows),
        alpha=float(alpha),
    )


def pearson_critical_value(n_samples: int, alpha: float = 0.01) -> float:
    """Return the absolute value above which a correlation is significant in a two-sided test.

    Parameters
    ----------
    n_samples : int
        Number of correlated pairs, at least 3.
    alpha : float, default=0.01
        The level of significance.

    Returns
    -------
    float
        The critical value. Correlations below its negative are significant too.

    Examples
    --------
    >>> from rarelabels.comparison import pearson_critical_value
    >>> round(pearson_critical_value(13, alpha=0.01), 3)
    0.684
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}.")
    if n_samples < 3:
        raise ValueError(
            f"testing a correlation requires at least 3 data sets, got {n_samples}: two points "
            "always lie on a line. Add data sets."
        )
    t = stats.t.isf(alpha / 2, n_samples - 2)
    return float(t / np.sqrt(n_samples - 2 + t**2))


def _check_same_rows(measures: MethodTable, performance: MethodTable) -> None:
    if len(measures.values) != len(performance.values):
        raise ValueError(
            f"measures has {len(measures.values)} rows and performance {len(performance.values)}; "
            "both need one row for each data set, in the same order."
        )
    named = measures.index is not None and performance.index is not None
    if named and list(measures.index) != list(performance.index):
        raise ValueError(
            "measures and performance have different row names; put them in the same order, e.g. "
            "performance.loc[measures.index]."
        )


def _correlations(first: Floats, second: Floats) -> Floats:
    """Correlate each column of the first array with each column of the second."""
    return np.clip(_standardized(first).T @ _standardized(second), -1.0, 1.0)


def _standardized(values: Floats) -> Floats:
    """Center the columns and scale them to length 1; NaN for a constant column."""
    centered = values - values.mean(axis=0)
    constant = (values == values[0]).all(axis=0)
    lengths = np.where(constant, np.nan, np.linalg.norm(centered, axis=0))
    return centered / lengths


def _p_values(correlation: Floats, n_samples: int) -> Floats:
    # The correlation of independent normal samples has a beta distribution on [-1, 1].
    half = n_samples / 2 - 1
    return 2 * stats.beta.sf(np.abs(correlation), half, half, loc=-1, scale=2)
