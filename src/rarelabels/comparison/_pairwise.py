"""Compare all pairs of methods by Wilcoxon tests, corrected for their number."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from rarelabels._tables import html_table
from rarelabels.comparison._corrections import bergmann_hommel, holm
from rarelabels.comparison._table import MethodTable, read_scores

Floats = npt.NDArray[np.float64]

# The number of exhaustive sets grows with the Bell numbers: 21,147 for 9 methods, a million for 11.
MAX_EXHAUSTIVE = 9

# SciPy's limit for exact p-values in the presence of ties.
MAX_TIED = 13


@dataclass(frozen=True)
class PairwiseResult:
    """Result of all pairwise tests.

    Attributes with one value per method, or per pair of methods, are pandas objects if the scores
    are a pandas dataframe, arrays if they are an array, and dicts otherwise.

    Attributes
    ----------
    adjusted_p_values : methods × methods
        The p-values, corrected for the number of pairs; 1 on the diagonal.
    p_values : methods × methods
        The p-values of the single tests; 1 on the diagonal.
    wins, losses : one int per method
        Number of methods than which it is significantly better, or worse.
    alpha : float
        The level of significance.
    correction : "bergmann-hommel" or "holm"
        The correction of the p-values.
    note : str
        A note if there are too few data sets for any pair to differ significantly; otherwise
        empty.
    """

    adjusted_p_values: Any
    p_values: Any
    wins: Any
    losses: Any
    alpha: float
    correction: str
    note: str = ""

    def _repr_html_(self) -> str:
        wins, losses, p_values = map(_by_name, (self.wins, self.losses, self.adjusted_p_values))
        heads = ["method", "wins", "losses", *(f"p, {name}" for name in wins)]
        rows = (
            [
                name,
                wins[name],
                losses[name],
                *(f"{p:.3g}" for p in _by_name(p_values[name]).values()),
            ]
            for name in wins
        )
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"{html_table(heads, rows)}{note}"


def _by_name(values: Any) -> dict[Any, Any]:
    """Return the values of a Series, a dict or an array by name or number."""
    values = values.to_dict() if hasattr(values, "to_dict") else values
    return values if isinstance(values, dict) else dict(enumerate(values))


def wilcoxon_bergmann_hommel(
    scores: Any, alpha: float = 0.05, *, lower_is_better: bool = False
) -> PairwiseResult:
    """Compare all pairs of methods by Wilcoxon tests with Bergmann–Hommel's correction.

    Parameters
    ----------
    scores : dataframe, dict of columns or array of shape (n_datasets, n_methods)
        Scores, with a row for each data set and a column for each method; higher is better.
    alpha : float, default=0.05
        A pair differs if its adjusted p-value is at most this.
    lower_is_better : bool, default=False
        Whether a lower score is better.

    Returns
    -------
    PairwiseResult
        Object with `adjusted_p_values`, `p_values`, `wins` and `losses`.

    Warns
    -----
    UserWarning
        With more than 9 methods, Holm's correction is used instead of Bergmann–Hommel's. It is
        valid too, but less powerful.

    Notes
    -----
    The signed-rank tests are two-sided and equal to `scipy.stats.wilcoxon` with its defaults: data
    sets on which the two methods tie are dropped, and the p-value is exact up to 50 data sets, or
    13 if there are ties, and approximate otherwise. (Exact p-values with ties are computed here,
    because SciPy takes half a second for each.) Two methods with equal scores on all data sets have
    p = 1. The winner of a significant pair is the method with the larger sum of signed ranks.

    Bergmann–Hommel's correction uses the fact that not every set of hypotheses can be true: if A
    equals B and B equals C, then A equals C. It considers all sets that can be true, as described
    in [1]_; these correspond to the partitions of the methods.

    References
    ----------
    .. [1] S. García, F. Herrera. An Extension on "Statistical Comparisons of Classifiers over
       Multiple Data Sets" for all Pairwise Comparisons. JMLR 9, 2008, 2677-2694.
    .. [2] B. Bergmann, G. Hommel. Improvements of General Multiple Test Procedures for Redundant
       Systems of Hypotheses. In: Multiple Hypotheses Testing, Springer 1988, 100-115.
    .. [3] A. Benavoli, G. Corani, F. Mangili. Should We Really Use Post-Hoc Tests Based on
       Mean-Ranks? JMLR 17, 2016, 1-10.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import wilcoxon_bergmann_hommel
    >>> base = np.linspace(0.5, 0.7, 10)
    >>> gain = np.linspace(0.01, 0.1, 10)
    >>> result = wilcoxon_bergmann_hommel(
    ...     {"best": base + gain, "good": base, "same": base, "worst": base - gain**2}
    ... )
    >>> result.wins, result.losses
    ({'best': 3, 'good': 1, 'same': 1, 'worst': 0}, {'best': 0, 'good': 1, 'same': 1, 'worst': 3})
    >>> round(result.adjusted_p_values["best"]["worst"], 4)
    0.0117
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}.")
    table = read_scores(scores, least_columns=2, lower_is_better=lower_is_better)
    p_values = wilcoxon_p_values(table.values)
    adjusted, correction = _corrected(p_values, len(table.names))
    return _result(table, p_values, adjusted, float(alpha), correction)


def wilcoxon_p_values(values: Floats) -> Floats:
    """Test every pair of columns, in the order of `numpy.triu_indices`."""
    pairs = zip(*np.triu_indices(values.shape[1], 1), strict=True)
    return np.array([_wilcoxon(values[:, a] - values[:, b]) for a, b in pairs])


def _wilcoxon(differences: Floats) -> float:
    if not differences.any():
        return 1.0
    sizes = np.abs(differences[differences != 0])
    if np.unique(sizes).size < differences.size <= MAX_TIED:
        return _p_value_over_all_signs(differences)
    with warnings.catch_warnings():
        # SciPy warns that the approximation is rough for few data sets; its p-value is documented.
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(differences).pvalue)


def _p_value_over_all_signs(differences: Floats) -> float:
    """Return the exact two-sided p-value over all signs of the differences, including ties."""
    present = differences[differences != 0]
    # Doubled ranks are integers, so equal sums compare equal.
    doubled = np.rint(2 * stats.rankdata(np.abs(present))).astype(np.int64)
    sums = np.zeros(1, dtype=np.int64)
    for rank in doubled:
        sums = np.concatenate([sums, sums + rank])
    observed = doubled[present > 0].sum()
    return float(min(1.0, 2 * min(np.mean(sums <= observed), np.mean(sums >= observed))))


def _corrected(p_values: Floats, n_methods: int) -> tuple[Floats, str]:
    if n_methods <= MAX_EXHAUSTIVE:
        return bergmann_hommel(p_values, n_methods), "bergmann-hommel"
    warnings.warn(
        f"{n_methods} methods have too many exhaustive sets of hypotheses for Bergmann-Hommel's "
        f"correction (the limit is {MAX_EXHAUSTIVE} methods); Holm's is used instead, which is "
        "valid but less powerful. Compare fewer methods to avoid it.",
        UserWarning,
        stacklevel=3,
    )
    return holm(p_values), "holm"


def _result(
    table: MethodTable, p_values: Floats, adjusted: Floats, alpha: float, correction: str
) -> PairwiseResult:
    n_methods = len(table.names)
    adjusted_matrix = _symmetric(adjusted, n_methods)
    better = (adjusted_matrix <= alpha) & (signed_rank_sums(table.values) > 0)
    return PairwiseResult(
        adjusted_p_values=table.per_pair(adjusted_matrix),
        p_values=table.per_pair(_symmetric(p_values, n_methods)),
        wins=table.per_column(better.sum(axis=1)),
        losses=table.per_column(better.sum(axis=0)),
        alpha=alpha,
        correction=correction,
        note=too_few_datasets(len(table.values), len(p_values), alpha),
    )


def too_few_datasets(n_datasets: int, n_pairs: int, alpha: float) -> str:
    """Return a note if no pair of methods can differ significantly on so few data sets.

    The smallest p-value of an exact two-sided signed-rank test is 2 / 2**n_datasets, and both
    corrections multiply the smallest one by the number of pairs.

    >>> too_few_datasets(5, 1, 0.05)[:64]
    'With 5 data sets no pair of methods can differ significantly: th'
    >>> too_few_datasets(6, 1, 0.05)
    ''
    """
    smallest = min(1.0, n_pairs * 2.0 ** (1 - n_datasets))
    if smallest <= alpha:
        return ""
    needed = math.ceil(1 + math.log2(n_pairs / alpha))
    return (
        f"With {n_datasets} data sets no pair of methods can differ significantly: the adjusted "
        f"p-value cannot be below {smallest:.3g}. At least {needed} data sets are needed."
    )


def signed_rank_sums(values: Floats) -> Floats:
    """Return the sum of signed ranks for each pair of methods."""
    differences = values[:, :, None] - values[:, None, :]
    sizes = np.where(differences == 0, np.nan, np.abs(differences))
    return np.nansum(np.sign(differences) * _ranks_of_present(sizes), axis=0)


def _ranks_of_present(sizes: Floats) -> Floats:
    return stats.rankdata(sizes, axis=0, nan_policy="omit")


def _symmetric(pairs: Floats, n_methods: int) -> Floats:
    matrix = np.ones((n_methods, n_methods))
    rows, columns = np.triu_indices(n_methods, 1)
    matrix[rows, columns] = matrix[columns, rows] = pairs
    return matrix
