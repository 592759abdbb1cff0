"""Small random data sets for hypothesis: ties, flipped minority classes and empty rows included."""

import numpy as np
from hypothesis import strategies as st


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


def n_neighbors_for(X, draw, largest=6):
    return draw(st.integers(1, min(largest, X.shape[0] - 1)))
