"""The critical-difference diagram."""

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

# The scale of ranks takes at least this share of the width; names get smaller before it is less.
NARROWEST = 0.25
MOST_SHRINKS = 30


def critical_difference_plot(
    scores: Any,
    *,
    alpha: float = 0.05,
    lower_is_better: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the methods' average ranks, and bars over those that do not differ significantly.

    Parameters
    ----------
    scores : dataframe, dict of columns or array of shape (n_datasets, n_methods)
        Scores, rows data sets, columns methods; higher is better.
    alpha : float, default=0.05
        The level of significance.
    lower_is_better : bool, default=False
        Whether a lower score is better.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes
        The best method is on the left.

    Notes
    -----
    The diagram is Demšar's [1]_. Its bars come from `wilcoxon_bergmann_hommel` rather than from
    one critical difference of the ranks: whether two methods differ then depends on their scores
    alone, not on which other methods are in the table [2]_. A bar joins neighbours in rank among
    which no two differ. Needs matplotlib: install the package with its extra, `rarelabels[plot]`.

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
    _make_room(ax)
    return ax


def indistinct_runs(same: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the longest runs of methods, first and last, among which no two differ.

    Parameters
    ----------
    same : bool array of shape (n_methods, n_methods)
        Which pairs of methods do not differ, methods in the order of their ranks.

    Returns
    -------
    list of (int, int)
        First and last place of each run. A run within a longer one is left out, and so is a
        single method.

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
    """Show ranks as the axis on top, and nothing else."""
    ax.set_xlim(0.9, n_methods + 0.1)
    ax.set_xticks(range(1, n_methods + 1))
    ax.xaxis.set_ticks_position("top")
    ax.set_yticks([])
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.spines["top"].set_bounds(1, n_methods)


def _draw_methods(ax: Axes, names: list[str], average: Floats, top: float) -> None:
    """Lead from each rank down and out to its method's name: the better half left, the rest right.

    Names sit lower the nearer they are to the middle, so that no two lines cross.
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


def _make_room(ax: Axes) -> None:
    """Make the axes narrower until no name reaches out of the figure.

    A layout engine does so itself. Next to other axes, names stay within the axes' own place.
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
    """Draw the bars below each other, and give the height below the last."""
    for level, (first, last) in enumerate(bars):
        height = -0.3 - 0.25 * level
        ends = [average[first] - 0.03, average[last] + 0.03]
        ax.plot(ends, [height, height], color="C3", lw=4, solid_capstyle="butt")
    return -0.5 - 0.25 * len(bars)
