"""Average ranks and the Friedman test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from rarelabels.comparison._table import read_scores


@dataclass(frozen=True)
class FriedmanResult:
    """Result of the Friedman test.

    Attributes
    ----------
    statistic : float
        The test statistic, corrected for ties.
    pvalue : float
        The p-value, computed with the chi-squared distribution.
    n_datasets, n_methods : int
        The size of the table.
    """

    statistic: float
    pvalue: float
    n_datasets: int
    n_methods: int


def average_ranks(scores: Any, *, lower_is_better: bool = False) -> Any:
    """Rank the methods on each data set, with 1 for the best, and average over data sets.

    Parameters
    ----------
    scores : dataframe, dict of columns or array of shape (n_datasets, n_methods)
        Scores, with a row for each data set and a column for each method; higher is better.
    lower_is_better : bool, default=False
        Whether a lower score is better.

    Returns
    -------
    pandas.Series, ndarray or dict
        The average rank of each method: a Series indexed by method for a pandas dataframe, an array
        for an array, otherwise a dict. Equal scores share the mean of their ranks.

    References
    ----------
    J. Demšar. Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR 7, 2006, 1-30.

    Examples
    --------
    >>> from rarelabels.comparison import average_ranks
    >>> average_ranks({"MLSOL": [0.9, 0.8, 0.7], "MLROS": [0.8, 0.7, 0.7], "none": [0.6, 0.5, 0.6]})
    {'MLSOL': 1.1666666666666667, 'MLROS': 1.8333333333333333, 'none': 3.0}
    """
    table = read_scores(scores, lower_is_better=lower_is_better)
    return table.per_column(ranks(table.values).mean(axis=0))


def friedman_test(scores: Any) -> FriedmanResult:
    """Test whether at least one of three or more methods differs from the others.

    Parameters
    ----------
    scores : dataframe, dict of columns or array of shape (n_datasets, n_methods)
        Scores, rows data sets, columns methods; higher or lower is better.

    Returns
    -------
    FriedmanResult
        Object with `statistic` and `pvalue` as in `scipy.stats.friedmanchisquare`. If all methods
        tie on all data sets, these are 0 and 1.

    References
    ----------
    M. Friedman. The Use of Ranks to Avoid the Assumption of Normality Implicit in the Analysis of
    Variance. Journal of the American Statistical Association 32, 1937, 675-701.

    Examples
    --------
    >>> from rarelabels.comparison import friedman_test
    >>> result = friedman_test([[0.9, 0.8, 0.6], [0.8, 0.7, 0.5], [0.7, 0.6, 0.5]])
    >>> result.statistic, round(result.pvalue, 4)
    (6.0, 0.0498)
    """
    values = read_scores(scores).values
    if values.shape[1] < 3:
        raise ValueError(
            f"the Friedman test needs at least 3 methods, got {values.shape[1]}; "
            "for two, use wilcoxon_bergmann_hommel."
        )
    if (values == values[:, :1]).all():
        return FriedmanResult(0.0, 1.0, *values.shape)
    test = stats.friedmanchisquare(*values.T)
    return FriedmanResult(float(test.statistic), float(test.pvalue), *values.shape)


def ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Rank the values of each row, highest first; ties share the mean of their ranks."""
    return stats.rankdata(-values, axis=1)
