"""Make text from files safe to print: a terminal does not interpret it."""

from __future__ import annotations

from typing import Any


def printable(text: Any) -> str:
    r"""Return text with control characters and the like written as escapes.

    >>> printable("a\x1b[31mb"), printable("קצר")
    ('a\\x1b[31mb', 'קצר')
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
