"""A page to look at: summary dicts first, then figures, then one HTML file."""

from rarelabels.report._comparison_page import comparison_page
from rarelabels.report._data_summary import data_summary, measures_of, measures_summary
from rarelabels.report._page import render_page
from rarelabels.report._tables_summary import tables_summary
from rarelabels.report._threshold_page import threshold_page

__all__ = [
    "comparison_page",
    "data_summary",
    "measures_of",
    "measures_summary",
    "render_page",
    "tables_summary",
    "threshold_page",
]
