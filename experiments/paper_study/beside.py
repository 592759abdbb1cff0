"""Rows of figures from here, of those that the paper prints, and of their differences."""

from __future__ import annotations

import re
from collections.abc import Sequence

HERE, PAPER, DIFFERENCE = "here", "paper", "difference"


def three_rows(
    lead: tuple[str, ...], ours: Sequence[str], printed: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return three rows that begin alike: the cells here, the paper's, and the difference.

    >>> three_rows(("BR",), ["1.50(3/0)"], ["2.19(4/0)"])
    [('BR', 'here', '1.50(3/0)'), ('BR', 'paper', '2.19(4/0)'), ('BR', 'difference', '-0.69')]
    """
    gaps = [difference(a, b) for a, b in zip(ours, printed, strict=True)]
    return [(*lead, HERE, *ours), (*lead, PAPER, *printed), (*lead, DIFFERENCE, *gaps)]


def leading_number(cell: str) -> float | None:
    """Return the number that a cell begins with.

    >>> leading_number("4.23*(2/1)"), leading_number("-0.4(4)"), leading_number("text")
    (4.23, -0.4, None)
    """
    found = re.match(r"-?\d+(?:\.\d+)?", cell)
    return float(found[0]) if found else None


def difference(ours: str, printed: str) -> str:
    """Return the difference of two cells' numbers, in the digits that the first has."""
    a, b = leading_number(ours), leading_number(printed)
    if a is None or b is None:
        return ""
    found = re.match(r"-?\d+\.(\d+)", ours)
    digits = len(found[1]) if found else 0
    gap = round(a - b, digits)
    return "0" if gap == 0 else f"{gap:+.{digits}f}"
