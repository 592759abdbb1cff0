"""How many samples each label gets."""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array


def in_proportion(amount: int, sizes: Array) -> Array:
    """Divide an amount in proportion to sizes; the largest remainders are rounded up."""
    if not sizes.any():
        return np.zeros(sizes.size, dtype=np.intp)
    shares, remainders = np.divmod(amount * sizes, sizes.sum())
    first = np.argsort(-remainders, kind="stable")
    shares[first[: amount - shares.sum()]] += 1
    return shares
