"""Escape texts that a spreadsheet would run as formulas, with an apostrophe."""

from __future__ import annotations

import re

from rarelabels.datasets.number_parser import parse_number

# Start of a text that a spreadsheet interprets as a formula, after any number of apostrophes.
_FORMULA = re.compile(r"'*[=+\-@]")


def escape_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run.

    >>> escape_formula("=1+1"), escape_formula("-5"), escape_formula("a=b")
    ("'=1+1", '-5', 'a=b')
    """
    if _FORMULA.match(text) is None or _is_number(text):
        return text
    return "'" + text


def unescape_formula(text: str) -> str:
    """Return the text that was passed to `escape_formula`.

    >>> unescape_formula("'=1+1"), unescape_formula("'quoted'")
    ('=1+1', "'quoted'")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _is_number(text: str) -> bool:
    try:
        parse_number(text)
    except ValueError:
        return False
    return True
