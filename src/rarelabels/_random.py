"""The one door for seeds."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

RandomState: TypeAlias = int | np.integer | np.random.RandomState | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Give the generator that a `random_state` argument stands for.

    An int gives the same generator each time, None a fresh one; a Generator is used as it is, and
    a RandomState seeds a new generator from its own stream, so both move on from call to call.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint32))
    is_seed = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if random_state is None or (is_seed and random_state >= 0):
        return np.random.default_rng(random_state)
    raise ValueError(
        "random_state must be None, a non-negative int, a numpy RandomState or Generator, "
        f"got {random_state!r}."
    )
