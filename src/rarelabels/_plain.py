"""Convert arrays to values that JSON can represent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Convert numbers, arrays and nested containers for JSON; NaN becomes None.

    >>> import numpy as np
    >>> plain({"a": np.array([1.5, np.nan]), "b": (np.int64(2), True)})
    {'a': [1.5, None], 'b': [2, True]}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def records(table: Any) -> list[dict[str, Any]]:
    """Convert a structured array to one dict per row.

    >>> import numpy as np
    >>> records(np.array([("a", 1)], dtype=[("label", "U1"), ("count", int)]))
    [{'label': 'a', 'count': 1}]
    """
    return [dict(zip(table.dtype.names, plain(row), strict=True)) for row in table.tolist()]
