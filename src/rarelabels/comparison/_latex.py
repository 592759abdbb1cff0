"""Write tables of scores as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.comparison._pairwise import wilcoxon_bergmann_hommel
from rarelabels.comparison._ranks import ranks
from rarelabels.comparison._table import read_scores

SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def latex_table(
    scores: Any,
    datasets: Sequence[Any] | None = None,
    *,
    decimals: int = 3,
    alpha: float = 0.05,
    lower_is_better: bool = False,
) -> str:
    r"""Write a table of scores as LaTeX, for the package booktabs.

    The best score on each data set is bold. The last row has the average ranks; a star marks the
    methods that are significantly worse than the one with the best rank.

    Parameters
    ----------
    scores : dataframe, dict of columns or array of shape (n_datasets, n_methods)
        Scores, with a row for each data set and a column for each method; higher is better.
        NaN marks a missing score; data sets with missing scores are left out of ranks and tests.
    datasets : sequence, default=None
        Names of the data sets; by default the index of a pandas dataframe, or numbers.
    decimals : int, default=3
        Number of decimals of the scores.
    alpha : float, default=0.05
        The level of significance of `wilcoxon_bergmann_hommel`.
    lower_is_better : bool, default=False
        Whether a lower score is better.

    Returns
    -------
    str
        A ``tabular`` environment.

    See Also
    --------
    wilcoxon_bergmann_hommel : The test that determines the stars.

    Examples
    --------
    >>> from rarelabels.comparison import latex_table
    >>> print(latex_table({"none": [0.5, 0.7], "MLSOL": [0.6, 0.65]}, ["flags", "cal_500"]))
    \begin{tabular}{lrr}
    \toprule
     & none & MLSOL \\
    \midrule
    flags & 0.500 & \textbf{0.600} \\
    cal\_500 & \textbf{0.700} & 0.650 \\
    \midrule
    average rank & 1.50 & 1.50 \\
    \bottomrule
    \end{tabular}
    """
    table, known = _read(scores)
    names = [str(name) for name in table.names]
    if datasets is None:
        index = getattr(scores, "index", None)
        datasets = range(1, len(known) + 1) if index is None else list(index)
    rows = [
        " & ".join([_escaped(name), *_cells(row, decimals, lower_is_better)])
        for name, row in zip(datasets, known, strict=True)
    ]
    complete = known[~np.isnan(known).any(axis=1)] * (-1 if lower_is_better else 1)
    last = [r"\midrule", f"average rank & {' & '.join(_ranks(complete, alpha))} \\\\"]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * len(names)}}}",
            r"\toprule",
            f" & {' & '.join(map(_escaped, names))} \\\\",
            r"\midrule",
            *(f"{row} \\\\" for row in rows),
            *(last if len(complete) and len(names) > 1 else []),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _read(scores: Any) -> tuple[Any, Array]:
    """Return the table, and its values with NaN for missing scores."""
    if isinstance(scores, dict):
        columns = {name: np.asarray(column, dtype=float) for name, column in scores.items()}
        values = np.column_stack([*columns.values()])
        filled = {name: np.nan_to_num(column) for name, column in columns.items()}
        return read_scores(filled, least_columns=1), values
    if hasattr(scores, "fillna"):
        return read_scores(scores.fillna(0.0), least_columns=1), scores.to_numpy(dtype=float)
    table = read_scores(scores, least_columns=1)
    return table, table.values


def _cells(row: Array, decimals: int, lower_is_better: bool) -> list[str]:
    """Return the scores of a data set as text, with the best rounded scores in bold."""
    texts = ["--" if np.isnan(score) else f"{score:.{decimals}f}" for score in row]
    if np.isnan(row).all():
        return texts
    best = f"{(np.nanmin if lower_is_better else np.nanmax)(row):.{decimals}f}"
    return [rf"\textbf{{{text}}}" if text == best else text for text in texts]


def _ranks(values: Array, alpha: float) -> list[str]:
    average = ranks(values).mean(axis=0)
    adjusted = np.asarray(wilcoxon_bergmann_hommel(values, alpha).adjusted_p_values)
    best = int(average.argmin())
    return [
        f"{rank:.2f}{'*' if adjusted[place, best] <= alpha else ''}"
        for place, rank in enumerate(average)
    ]


def _escaped(text: Any) -> str:
    return "".join(SPECIAL.get(sign, sign) for sign in str(text))
