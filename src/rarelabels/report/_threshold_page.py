"""The page of a threshold report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rarelabels import __version__
from rarelabels.report._page import style_policy, template_environment, template_file

if TYPE_CHECKING:
    from rarelabels.decisions import ThresholdReport

# Charts of more labels would make the page slow; the table always has all labels.
MOST_CHARTS = 500


def threshold_page(report: ThresholdReport, *, title: str = "Thresholds") -> str:
    """Write the page of a threshold report: a table and a chart for each label.

    Parameters
    ----------
    report : ThresholdReport
        From :func:`rarelabels.decisions.threshold_report`.
    title : str, default="Thresholds"
        The heading of the page.

    Returns
    -------
    str
        An HTML document that loads nothing and has no script.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.decisions import threshold_report
    >>> from rarelabels.learners import RareLabelClassifier
    >>> from rarelabels.report import threshold_page
    >>> X, y = make_local_imbalance(80, random_state=0)
    >>> model = RareLabelClassifier(random_state=0).fit(X, y)
    >>> report = threshold_report(y, model.out_of_sample_scores_, random_state=0)
    >>> threshold_page(report).startswith("<!DOCTYPE html>")
    True
    """
    template = template_environment().get_template("thresholds.html")
    style = template_file("page.css")
    return str(
        template.render(
            title=title,
            rows=report.rows(),
            positives_to_tell=report.positives_to_tell,
            charts=[_trusted(chart) for chart in report.charts(MOST_CHARTS)],
            style=style,
            policy=style_policy(style),
            version=__version__,
        )
    )


def _trusted(chart: str) -> Any:
    """Mark a chart as HTML; its names were escaped when it was drawn."""
    from markupsafe import Markup

    return Markup(chart)  # noqa: S704
