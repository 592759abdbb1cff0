"""Keep what the next jobs are likely to need again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """The run was ended, and the current job has no result."""


class Memo:
    """The last value under each name, made again when its dependencies change.

    The dependencies must determine the value, so that a job gives the same numbers whether its
    values are kept here or made again.

    >>> memo = Memo()
    >>> memo.get("square", 3, lambda: 9), memo.get("square", 3, lambda: 1 / 0)
    (9, 9)
    >>> memo.get("square", 4, lambda: 16)
    16
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Hashable, Any]] = {}

    def get(self, name: str, depends_on: Hashable, make: Callable[[], T]) -> T:
        """Return the value; make it if it is not kept."""
        entry = self._kept.get(name)
        if entry is None or entry[0] != depends_on:
            # The old value goes first: there may not be room for both.
            self._kept.pop(name, None)
            entry = self._kept[name] = (depends_on, make())
        return entry[1]


class Recent:
    """The values used last, by what determines them.

    >>> recent = Recent(2)
    >>> [recent.get(number, lambda: number**2) for number in (1, 2, 1, 3)]
    [1, 4, 1, 9]
    >>> recent.get(1, lambda: "kept"), recent.get(2, lambda: "made again")
    (1, 'made again')
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, depends_on: Hashable, make: Callable[[], T]) -> T:
        """Return the value; make it if it is not kept."""
        if depends_on not in self._kept:
            self._kept[depends_on] = make()
        self._kept.move_to_end(depends_on)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return self._kept[depends_on]
