"""Immutable values, and their canonical text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

Pairs: TypeAlias = tuple[tuple[str, Any], ...]


def frozen_pairs(params: Mapping[str, Any] | None) -> Pairs:
    """Return parameters as sorted pairs, lists as tuples, so that they can be compared and hashed.

    >>> frozen_pairs({"n_neighbors": [5, 6], "label": None})
    (('label', None), ('n_neighbors', (5, 6)))
    """
    return tuple((name, frozen(value)) for name, value in sorted((params or {}).items()))


def frozen(value: Any) -> Any:
    """Turn lists into tuples, all the way down."""
    if isinstance(value, Mapping):
        raise ValueError(f"a parameter must be a number, a text or a list of them, got {value!r}.")
    return tuple(frozen(item) for item in value) if isinstance(value, (list, tuple)) else value


def canonical_json(value: Any) -> str:
    """Write a value as JSON in the one way that it can be written.

    >>> canonical_json({"b": 1, "a": (2, 0.5)})
    '{"a":[2,0.5],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def stable_key(value: Any) -> str:
    """Hash a value to 24 hexadecimal digits, the same on every machine and in every session."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:24]
