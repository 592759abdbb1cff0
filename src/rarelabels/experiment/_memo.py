"""Keep what the next job is likely to need again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Memo:
    """The last value under each name, made anew when what it depends on is not the same.

    What a value depends on must determine it, so that a job gives the same numbers whether it
    finds a value here or makes it.

    >>> memo = Memo()
    >>> memo.get("square", 3, lambda: 9), memo.get("square", 3, lambda: 1 / 0)
    (9, 9)
    >>> memo.get("square", 4, lambda: 16)
    16
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Hashable, Any]] = {}

    def get(self, name: str, depends_on: Hashable, make: Callable[[], T]) -> T:
        """Give the value, making it where it is not there."""
        kept = self._kept.get(name)
        if kept is None or kept[0] != depends_on:
            # The old value goes first: there may not be room for both.
            self._kept.pop(name, None)
            kept = self._kept[name] = (depends_on, make())
        return kept[1]
