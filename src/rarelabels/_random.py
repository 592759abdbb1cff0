"""Random generators and seeds."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

RandomState: TypeAlias = int | np.integer | np.random.RandomState | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return the generator for a `random_state` argument.

    An int gives the same generator each time, None a new one. A Generator is used directly, and a
    RandomState seeds a new generator from its stream, so both change their state with each call.
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


def draw_seeds(rng: np.random.Generator, n_seeds: int) -> list[int]:
    """Draw one seed for each member of a model, before any of them is fitted."""
    return [int(seed) for seed in rng.integers(2**31 - 1, size=n_seeds)]


def seeded(estimator: Any, seed: int, *, override: bool = False) -> Any:
    """Return a clone of an estimator whose unset `random_state` parameters are seeded.

    A seed that is already set is kept, and learners of this package seed their own members, unless
    `override` is True.
    """
    from sklearn.base import clone

    fresh = clone(estimator)
    rng, params = as_generator(seed), fresh.get_params()
    names = [name for name in sorted(params) if name.split("__")[-1] == "random_state"]
    for name in names:
        is_open = params[name] is None and not _is_seeded_inside(name, {"": fresh, **params})
        if override or is_open:
            fresh.set_params(**{name: int(rng.integers(2**31 - 1))})
    return fresh


def _is_seeded_inside(name: str, parts: dict[str, Any]) -> bool:
    """Return whether an estimator around the parameter is a learner that seeds its members."""
    path = name.split("__")[:-1]
    around = ["__".join(path[:depth]) for depth in range(len(path))]
    return any(getattr(parts.get(owner), "_seeds_members", False) for owner in around)
