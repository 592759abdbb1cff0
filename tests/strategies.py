"""Small random data sets for hypothesis: ties, flipped minority classes and empty rows included."""

import numpy as np
from hypothesis import strategies as st

KINDS = {
    "huge": lambda rng, n: rng.choice([-1, 1], n) * rng.integers(1, 9, n) * 2.0**1019,
    "large": lambda rng, n: rng.normal(size=n) * 1e160,
    "small": lambda rng, n: rng.normal(size=n) * 1e-170,
    "tiny": lambda rng, n: rng.integers(0, 9, n) * 5e-324,
    "offset": lambda rng, n: 1e9 + rng.normal(size=n),
    "beside one": lambda rng, n: rng.choice([1e-17, 3e-17, 4e-17, 8e-17, 1.0, -1.0], n),
    "plain": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "next to the top": lambda rng, n: rng.choice([-1.0, 1.0, 1 - 2.0**-53, 1 - 2.0**-52], n),
}


@st.composite
def data_sets(draw, min_samples=3, max_samples=14, max_features=4, max_labels=4):
    """Give X (n, d), Y (n, q) and the categorical columns."""
    n = draw(st.integers(min_samples, max_samples))
    d, q = draw(st.integers(1, max_features)), draw(st.integers(1, max_labels))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    # Few values make ties; many make none.
    n_values = draw(st.sampled_from([2, 3, 4, 1000]))
    X = rng.integers(n_values, size=(n, d)).astype(float)
    Y = (rng.random((n, q)) < draw(st.sampled_from([0.2, 0.5, 0.8]))).astype(int)
    categorical = [j for j in range(d) if draw(st.booleans())]
    return X, Y, categorical


@st.composite
def directions(draw, max_samples=14, max_features=4):
    """Give X (n, d) with parallel, opposite, orthogonal, zero and nearly equal rows."""
    n, d = draw(st.integers(3, max_samples)), draw(st.integers(1, max_features))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = (rng.normal(size=(n, d)), rng.integers(-2, 3, (n, d)), rng.integers(0, 2, (n, d)))
    X = kinds[draw(st.integers(0, 2))].astype(float)
    if draw(st.booleans()):
        X = X[rng.integers(0, n, n)]
    if draw(st.booleans()):
        X = X * (1 + rng.choice([0.0, 1e-9, 1e-5], (n, d)) * rng.normal(size=(n, d)))
    return X * rng.choice([1.0, 3.0, 0.1, 1e200, 1e-200], (n, 1))


def n_neighbors_for(X, draw, largest=6):
    return draw(st.integers(1, min(largest, X.shape[0] - 1)))


@st.composite
def extreme_data(draw, kinds=tuple(KINDS)):
    n = draw(st.integers(4, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    return np.column_stack([KINDS[kind](rng, n) for kind in chosen])


@st.composite
def with_gaps(draw, **sizes):
    X, Y, categorical = draw(data_sets(**sizes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0.1, 0.4, 0.9]))
    if draw(st.booleans()):
        X = X * rng.random(X.shape)
    return np.where(rng.random(X.shape) < share, np.nan, X), Y, categorical
