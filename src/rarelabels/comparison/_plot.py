"""Draw the critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rarelabels.comparison._pairwise import wilcoxon_bergmann_hommel
from rarelabels.comparison._ranks import ranks
from rarelabels.comparison._table import read_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

# Smallest fraction of the width for the scale of ranks; names are made smaller to keep it.
NARROWEST = 0.25
MOST_SHRINKS = 30


def critical_difference_plot(
    scores: Any,
    *,
    alpha: float = 0.05,
    lower_is_better: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw average ranks of methods, with bars over those that do not differ significantly.

    Parameters
    ----------
    scores : dataframe, dict of columns or array of shape (n_datasets, n_methods)
        Scores, with a row for each data set and a column for each method; higher is better.
    alpha : float, default=0.05
        The level of significance.
    lower_is_better : bool, default=False
        Whether a lower score is better.
    ax : matplotlib Axes, optional
        Axes to draw on; by default, those of a new figure.

    Returns
    -------
    matplotlib Axes
        The axes; the best method is on the left.

    Notes
    -----
    The diagram was proposed by Demšar [1]_. Its bars are computed by `wilcoxon_bergmann_hommel`
    instead of a single critical difference of the ranks, so whether two methods differ depends only
    on their scores, not on the other methods in the table [2]_. A bar connects methods of
    neighboring ranks among which no two differ. This function requires matplotlib, which the extra
    `rarelabels[plot]` installs.

    References
    ----------
    .. [1] J. Demšar. Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR 7, 2006,
       1-30.
    .. [2] A. Benavoli, G. Corani, F. Mangili. Should We Really Use Post-Hoc Tests Based on
       Mean-Ranks? JMLR 17, 2016, 1-10.

    Examples
    --------
    >>> from rarelabels.comparison import critical_difference_plot
    >>> ax = critical_difference_plot(scores)  # doctest: +SKIP
    >>> ax.figure.savefig("ranks.pdf")  # doctest: +SKIP
    """
    table = read_scores(scores, least_columns=2, lower_is_better=lower_is_better)
    adjusted = np.asarray(wilcoxon_bergmann_hommel(table.values, alpha).adjusted_p_values)
    average = ranks(table.values).mean(axis=0)
    order = np.argsort(average, kind="stable")
    bars = indistinct_runs(adjusted[np.ix_(order, order)] > alpha)
    ax = _new_axes(len(order)) if ax is None else ax
    _draw_scale(ax, len(order))
    names_from = _draw_bars(ax, average[order], bars)
    _draw_methods(ax, [str(table.names[j]) for j in order], average[order], names_from)
    _fit_names(ax)
    return ax


def indistinct_runs(same: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the longest runs of methods among which no two differ.

    Parameters
    ----------
    same : bool array of shape (n_methods, n_methods)
        Which pairs of methods do not differ, methods in the order of their ranks.

    Returns
    -------
    list of (int, int)
        First and last position of each run. Runs within a longer one and single methods are left
        out.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import indistinct_runs
    >>> indistinct_runs(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool))
    [(0, 1), (1, 2)]
    """
    runs: list[tuple[int, int]] = []
    for first in range(len(same)):
        last = first
        while last + 1 < len(same) and same[first : last + 2, first : last + 2].all():
            last += 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def _new_axes(n_methods: int) -> Axes:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "critical_difference_plot needs matplotlib: pip install 'rarelabels[plot]'."
        ) from error
    height = 1.2 + 0.22 * n_methods
    return plt.figure(figsize=(7, height), layout="constrained").add_subplot()


def _draw_scale(ax: Axes, n_methods: int) -> None:
    """Show ranks as the axis on top, and hide the other axes."""
    ax.set_xlim(0.9, n_methods + 0.1)
    ax.set_xticks(range(1, n_methods + 1))
    ax.xaxis.set_ticks_position("top")
    ax.set_yticks([])
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.spines["top"].set_bounds(1, n_methods)


def _draw_methods(ax: Axes, names: list[str], average: Floats, top: float) -> None:
    """Connect each rank with the name of its method: the better half left, the others right.

    Names closer to the middle are placed lower, so that no two lines cross.
    """
    n_left = (len(names) + 1) // 2
    for place, (name, rank) in enumerate(zip(names, average, strict=True)):
        is_left = place < n_left
        depth = top - 0.6 * (place if is_left else len(names) - 1 - place)
        edge = 0.9 if is_left else len(names) + 0.1
        ax.plot([rank, rank, edge], [0, depth, depth], color="0.3", lw=0.9, clip_on=False)
        ax.annotate(
            f"{name}  {rank:.2f}" if is_left else f"{rank:.2f}  {name}",
            (edge, depth),
            xytext=(-4 if is_left else 4, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
            va="center",
        )
    ax.set_ylim(top - 0.6 * n_left, 0)


def _fit_names(ax: Axes) -> None:
    """Make the axes narrower until no name extends beyond the figure.

    Layout engines do this automatically. With several axes, names stay within the original position
    of these axes.
    """
    figure: Any = ax.figure
    if figure.get_layout_engine() is not None:
        return
    place = ax.get_position()
    is_alone = len(figure.axes) == 1
    left, right = (0.01, 0.99) if is_alone else (place.x0, place.x1)
    for _ in range(MOST_SHRINKS):
        boxes = [text.get_window_extent() for text in ax.texts]
        edges = figure.transFigure.inverted().transform(
            [(min(box.x0 for box in boxes), 0), (max(box.x1 for box in boxes), 0)]
        )[:, 0]
        place = ax.get_position()
        x0 = place.x0 + max(left - edges[0], 0.0)
        x1 = place.x1 - max(edges[1] - right, 0.0)
        if x1 - x0 >= NARROWEST * (right - left):
            ax.set_position((x0, place.y0, x1 - x0, place.height))
            return
        for text in ax.texts:
            text.set_fontsize(0.9 * float(text.get_fontsize()))


def _draw_bars(ax: Axes, average: Floats, bars: list[tuple[int, int]]) -> float:
    """Draw the bars below each other, and return the height below the last one."""
    for level, (first, last) in enumerate(bars):
        height = -0.3 - 0.25 * level
        ends = [average[first] - 0.03, average[last] + 0.03]
        ax.plot(ends, [height, height], color="C3", lw=4, solid_capstyle="butt")
    return -0.5 - 0.25 * len(bars)
