"""Registries of objects by name, built in or added by other packages."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

T = TypeVar("T")

MOST_SHOWN = 20


@dataclass(frozen=True)
class Deferred:
    """A function that is imported when it is called, given as ``package.module:function``."""

    place: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.load()(*args, **kwargs)

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        module, _, name = self.place.partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function


@dataclass(frozen=True)
class Named:
    """The record of a class or function that is created by name.

    Attributes
    ----------
    name : str
        The name, in lower case.
    maker : Deferred
        The class or function.
    title : str
        The name as in the paper.
    """

    name: str
    maker: Deferred
    title: str = ""


@dataclass(frozen=True)
class Registry:
    """Functions and classes by name.

    Attributes
    ----------
    kind : str
        The kind of object, for error messages.
    group : str
        The entry point group for other packages.
    records : callable
        Returns the records of the built-in ones. Their names cannot be replaced.
    """

    kind: str
    group: str
    records: Callable[[], tuple[Named, ...]]

    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(sorted({*self._built_in(), *self._added()}))

    def make(self, name: Any, params: Mapping[str, Any]) -> Any:
        """Create an object by its name, in upper or lower case."""
        if not isinstance(name, str):
            raise TypeError(f"name must be the name of a {self.kind}, got {name!r}.")
        maker = self._maker(name.lower())
        self._check_params(name, maker, params)
        return maker(**params)

    def _built_in(self) -> dict[str, Deferred]:
        return {record.name: record.maker for record in self.records()}

    def _added(self) -> dict[str, EntryPoint]:
        return {point.name.lower(): point for point in entry_points(group=self.group)}

    def _maker(self, name: str) -> Callable[..., Any]:
        built_in = self._built_in()
        if name in built_in:
            return built_in[name].load()
        added = self._added()
        if name in added:
            return added[name].load()
        raise ValueError(f"no {self.kind} is called {name!r}; {did_you_mean(name, self.names())}")

    def _check_params(
        self, name: str, maker: Callable[..., Any], params: Mapping[str, Any]
    ) -> None:
        taken = inspect.signature(maker).parameters
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
            return
        for param in params:
            if param not in taken:
                raise TypeError(
                    f"the {self.kind} {name!r} has no parameter {param!r}; "
                    f"{did_you_mean(param, taken)}"
                )


def did_you_mean(name: Any, known: Iterable[Any]) -> str:
    """Suggest the most similar known names, or list them.

    >>> did_you_mean("Yeats", ["scene", "yeast"])
    "did you mean 'yeast'?"
    """
    by_lower = {str(one).lower(): str(one) for one in known}
    close = difflib.get_close_matches(str(name).lower(), by_lower, n=3)
    if close:
        return f"did you mean {' or '.join(repr(by_lower[one]) for one in close)}?"
    shown = ", ".join(list(by_lower.values())[:MOST_SHOWN])
    more = f", … ({len(by_lower)} in all)" if len(by_lower) > MOST_SHOWN else ""
    return f"there are {shown}{more}."


def part_of_models(kind: type[T]) -> type[T]:
    """Mark a class of which fitted models consist, so that files of models may hold it.

    Not for a class that imports or calls what its attributes name: a file could name anything.
    """
    kind._is_part_of_models = True  # type: ignore[attr-defined]
    return kind


def is_part_of_models(kind: Any) -> bool:
    """Whether a class itself is marked, not one that it is derived from."""
    return isinstance(kind, type) and bool(vars(kind).get("_is_part_of_models", False))
