"""A page to look at: summary dicts first, then figures, then one HTML file."""

from rarelabels.report._comparison_summary import comparison_summary
from rarelabels.report._data_summary import data_summary, measures_summary
from rarelabels.report._from_store import stored_comparison
from rarelabels.report._page import render_page
from rarelabels.report._tables_summary import tables_summary

__all__ = [
    "comparison_summary",
    "data_summary",
    "measures_summary",
    "render_page",
    "stored_comparison",
    "tables_summary",
]
