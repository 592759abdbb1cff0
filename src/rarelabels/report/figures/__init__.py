"""The charts of the page, as SVG. `CHARTS` lists them with their positions and captions."""

from rarelabels.report.figures._chart import Chart, View
from rarelabels.report.figures._cooccurrence import scumble_figure, together_figure
from rarelabels.report.figures._gains import gains_figure
from rarelabels.report.figures._labels import frequency_figure, types_bar_svg
from rarelabels.report.figures._labelsets import per_sample_figure
from rarelabels.report.figures._map import first_label, map_figure, mark_shapes
from rarelabels.report.figures._merging import MOST_POINTS
from rarelabels.report.figures._scores import ranks_figure, scores_figure, time_figure
from rarelabels.report.figures._svg import joined, tag

__all__ = [
    "CHARTS",
    "MOST_POINTS",
    "Chart",
    "View",
    "first_label",
    "frequency_figure",
    "joined",
    "mark_shapes",
    "tag",
    "types_bar_svg",
]

CHARTS = (
    Chart(
        "methods",
        lambda view: scores_figure(view.comparison),
        "{{ comparison.metric_title }} on {{ comparison.n_folds }} folds at most (small dots), "
        "their mean, and its 95 % interval. The dashed line is the mean of "
        "{{ comparison.baseline }}.",
        needs_comparison=True,
    ),
    Chart(
        "ranks",
        lambda view: ranks_figure(view.comparison),
        "Average rank over the folds, 1 is best. A bar joins methods that do not differ "
        "significantly; with every pair tested, fewer differences are significant than above.",
        needs_comparison=True,
    ),
    Chart("time", lambda view: time_figure(view.comparison), needs_comparison=True),
    Chart(
        "gains",
        lambda view: gains_figure(view, "minority_samples"),
        "Labels on the left are rare.",
        needs_comparison=True,
    ),
    Chart(
        "gains",
        lambda view: gains_figure(view, "local_imbalance"),
        "The samples of labels on the right lie among samples of the other class.",
        needs_comparison=True,
    ),
    Chart(
        "labels",
        lambda view: frequency_figure(view.data["labels"], view.shown),
        "Point at a label for its name, click it to see it on the "
        '<a href="#samples-map">map</a>. By keyboard: arrow keys, then Enter.',
    ),
    Chart("per_sample", lambda view: per_sample_figure(view.data["labelsets"])),
    Chart(
        "together",
        lambda view: together_figure(view.data["cooccurrence"]),
        "Down: {{ together.rare|length }} of {{ together.n_rare }} rare labels, the rarest first. "
        "Across: {{ together.frequent|length }} of {{ together.n_frequent }} frequent ones. The "
        "stronger the color, the larger the share of the rare label’s samples that also "
        "carry the frequent one.",
    ),
    Chart(
        "scumble",
        lambda view: scumble_figure(view.data["cooccurrence"]["scumble"]),
        "Samples by their own SCUMBLE: 0 for samples whose labels are equally frequent, and for "
        "those with one label or none.",
    ),
    Chart(
        "map",
        lambda view: map_figure(view.data["map"], view.chosen),
        '<span id="map-words" role="status"></span> {{ map.points|length|short }} of '
        "{{ map.n_samples|short }} samples, by the first two components of {{ map.method }}, which "
        "hold {{ map.explained|sum|percent }} of the variance."
        "{% if map.points|length < map.n_samples %} Some samples of every label are among them."
        "{% endif %}",
    ),
)
