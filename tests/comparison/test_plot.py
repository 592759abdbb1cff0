"""The critical-difference diagram."""

import sys

import numpy as np
import pytest

from rarelabels.comparison import critical_difference_plot
from rarelabels.comparison._plot import indistinct_runs


def test_runs_by_hand():
    # Methods 0-1-2 are the same among themselves, and so are 1-2-3; 0 and 3 differ, 4 is alone.
    same = np.array(
        [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 1]]
    ).astype(bool)
    assert indistinct_runs(same) == [(0, 2), (1, 3)]


def test_one_run_or_none():
    assert indistinct_runs(np.ones((4, 4), dtype=bool)) == [(0, 3)]
    assert indistinct_runs(np.eye(4, dtype=bool)) == []


def test_draws_every_method_and_the_bars():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rng = np.random.default_rng(0)
    values = rng.random((13, 1)) + np.array([0.5, 0, 0, 0.25]) + rng.normal(0, 0.02, (13, 4))
    table = dict(zip(["best", "one", "other", "good"], values.T, strict=True))
    _, ax = plt.subplots()
    assert critical_difference_plot(table, ax=ax) is ax
    texts = [text.get_text() for text in ax.texts]
    assert texts[0] == "best  1.00"
    assert texts[1] == "good  2.00"
    assert {text.split()[-1] for text in texts[2:]} == {"one", "other"}
    thick = [line for line in ax.lines if line.get_linewidth() == 4]
    assert len(thick) == 1
    assert critical_difference_plot(table).figure is not ax.figure
    plt.close("all")


@pytest.mark.parametrize("size", [(7, 2.5), (4, 3)])
@pytest.mark.parametrize("columns", [1, 2])
def test_names_are_never_cut(size, columns):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    names = ["EMLSOL", "an ensemble over MLSMOTE", "RareLabelClassifier", "MLUL", "model alone"]
    rng = np.random.default_rng(0)
    scores = {name: rng.random(8) - place for place, name in enumerate(names)}
    figure, axes = pyplot.subplots(1, columns, figsize=size, squeeze=False)
    ax = axes[0, -1]
    place = ax.get_position()
    critical_difference_plot(scores, ax=ax)
    figure.canvas.draw()
    inverse = figure.transFigure.inverted()
    boxes = [inverse.transform_bbox(text.get_window_extent()) for text in ax.texts]
    left, right = (0, 1) if columns == 1 else (place.x0, place.x1)
    assert min(box.x0 for box in boxes) >= left - 1e-6
    assert max(box.x1 for box in boxes) <= right + 1e-6
    shown = [text.get_text().split("  ") for text in ax.texts]
    assert [words[0] for words in shown[:3]] == names[:3]
    assert [words[1] for words in shown[3:]] == names[3:]
    pyplot.close(figure)


def test_says_what_to_install_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'rarelabels\[plot\]'"):
        critical_difference_plot(np.random.default_rng(0).random((5, 3)))
