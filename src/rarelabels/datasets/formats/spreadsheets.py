"""Texts in tables that a spreadsheet would run as formulas: an apostrophe before them."""

from __future__ import annotations

import re

from rarelabels.datasets.formats._numbers import parse_number

# What makes a spreadsheet take a text for a formula, behind any number of our own marks.
_FORMULA = re.compile(r"'*[=+\-@]")


def marked(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run.

    >>> marked("=1+1"), marked("-5"), marked("a=b")
    ("'=1+1", '-5', 'a=b')
    """
    if _FORMULA.match(text) is None or _is_number(text):
        return text
    return "'" + text


def unmarked(text: str) -> str:
    """Return the text that was given to `marked`.

    >>> unmarked("'=1+1"), unmarked("'quoted'")
    ('=1+1', "'quoted'")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _is_number(text: str) -> bool:
    try:
        parse_number(text)
    except ValueError:
        return False
    return True
