"""Generate large data sets with many labels, most of them rare."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from rarelabels._random import RandomState, as_generator
from rarelabels.datasets._dataset import MultiLabelDataset

Integers = npt.NDArray[np.int64]

WORDS_PER_LABEL = 20
BLOCK = 1 << 15  # samples
MOST_FREQUENT = 0.9  # largest frequency of a label


def make_multilabel(
    n_samples: int = 1000,
    n_features: int = 200,
    n_labels: int = 20,
    *,
    cardinality: float | None = None,
    density: float = 0.05,
    tail: float = 1.0,
    signal: float = 0.7,
    sparse_output: bool = True,
    random_state: RandomState = None,
) -> MultiLabelDataset:
    """Generate a data set with long-tailed labels; a million sparse samples take seconds.

    The frequency of the label of rank r is proportional to ``r ** -tail``, and samples are drawn
    independently. Sparse samples resemble texts: a fraction `signal` of the words of a sample is
    drawn from the words of its labels, the others from all words, and the values are word counts.
    Dense samples are the sum of the directions of their labels and noise.

    Parameters
    ----------
    n_samples, n_features, n_labels : int, default=1000, 200, 20
        Size of the data set.
    cardinality : float, optional
        Mean number of labels per sample, below 0.9 times n_labels. The default is 2, or half of the
        labels if there are fewer than four. Some samples have no labels.
    density : float, default=0.05
        Mean number of words per sample, as a fraction of n_features. Repeated words are a single
        entry of X. Ignored for dense samples.
    tail : float, default=1.0
        How fast frequencies decrease: 0 for equally frequent labels, 1 for Zipf's law.
    signal : float, default=0.7
        How much of the features the labels explain, from 0 to 1.
    sparse_output : bool, default=True
        Whether to return X and Y as CSR arrays instead of arrays.
    random_state : int, RandomState, Generator or None, default=None
        Random seed.

    Returns
    -------
    MultiLabelDataset
        The data set; ``X, Y = make_multilabel()`` unpacks it.

    Examples
    --------
    >>> from rarelabels.datasets import make_multilabel
    >>> dataset = make_multilabel(5000, 300, 50, cardinality=3, random_state=0)
    >>> dataset
    MultiLabelDataset('multilabel': 5000 samples, 300 features, 50 labels)
    >>> round(float(dataset.Y.sum()) / 5000, 1)
    3.0
    """
    cardinality = min(2.0, n_labels / 2) if cardinality is None else cardinality
    _check(n_labels, cardinality, density, signal)
    rng = as_generator(random_state)
    Y = long_tailed_labels(n_samples, label_shares(n_labels, cardinality, tail), rng)
    if sparse_output:
        X: Any = words_of_labels(Y, n_features, density, signal, rng)
        return MultiLabelDataset(X, Y, name="multilabel")
    X = directions_of_labels(Y, n_features, signal, rng)
    return MultiLabelDataset(X, Y.toarray(), name="multilabel")


def label_shares(n_labels: int, cardinality: float, tail: float) -> npt.NDArray[np.float64]:
    """Return the frequency of each label, in descending order; they add up to the cardinality."""
    weights = np.arange(1, n_labels + 1) ** -float(tail)
    shares = weights * (cardinality / weights.sum())
    for _ in range(n_labels):
        over = shares >= MOST_FREQUENT
        left = cardinality - MOST_FREQUENT * over.sum()
        shares = np.where(over, MOST_FREQUENT, shares * left / shares[~over].sum())
        if shares.max() <= MOST_FREQUENT:
            break
    return shares


def long_tailed_labels(
    n_samples: int, shares: npt.NDArray[np.float64], rng: np.random.Generator
) -> sparse.csr_array:
    """Draw labels, each sample and label independently.

    With a Poisson number of random points per cell of Y, -log(1 - p) on average, a cell remains
    empty with probability 1 - p. Cells with at least one point are therefore drawn with probability
    p, and nothing is computed for the other cells.
    """
    hits = rng.poisson(n_samples * -np.log1p(-shares))
    labels = np.repeat(np.arange(shares.size), hits)
    samples = rng.integers(n_samples, size=labels.size)
    cells = np.unique(samples * shares.size + labels)
    samples, labels = np.divmod(cells, shares.size)
    return _csr(samples, labels, np.ones(samples.size, dtype=np.int64), (n_samples, shares.size))


def words_of_labels(
    Y: sparse.csr_array,
    n_features: int,
    density: float,
    signal: float,
    rng: np.random.Generator,
) -> sparse.csr_array:
    """Return the word counts of each sample: words of its labels and random words."""
    words_of = rng.integers(n_features, size=(Y.shape[1], WORDS_PER_LABEL))
    lengths = rng.poisson(density * n_features, size=Y.shape[0])
    # In blocks: the draws for each word need much more memory than the result.
    texts = [
        _texts(
            Y[start : start + BLOCK],
            lengths[start : start + BLOCK],
            words_of,
            signal,
            rng,
            n_features,
        )
        for start in range(0, Y.shape[0], BLOCK)
    ]
    return sparse.csr_array(sparse.vstack(texts, format="csr"))


def _texts(
    Y: sparse.csr_array,
    lengths: Integers,
    words_of: Integers,
    signal: float,
    rng: np.random.Generator,
    n_features: int,
) -> sparse.csr_array:
    samples = np.repeat(np.arange(Y.shape[0]), lengths)
    labels = _label_of_each(Y, samples, rng)
    words = words_of[labels, rng.integers(WORDS_PER_LABEL, size=samples.size)]
    is_free = (rng.random(samples.size) >= signal) | (labels < 0)
    words[is_free] = rng.integers(n_features, size=np.count_nonzero(is_free))
    X = _csr(samples, words, np.ones(samples.size), (Y.shape[0], n_features))
    X.sum_duplicates()
    return X


def directions_of_labels(
    Y: sparse.csr_array, n_features: int, signal: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return the sum of the random directions of the labels of each sample, plus noise."""
    directions = rng.standard_normal((Y.shape[1], n_features))
    noise = rng.standard_normal((Y.shape[0], n_features))
    return signal * (Y @ directions) + (1 - signal) * noise


def _label_of_each(Y: sparse.csr_array, samples: Integers, rng: np.random.Generator) -> Integers:
    """Draw a label of the sample for each word; -1 if the sample has none."""
    counts = np.diff(Y.indptr)[samples]
    drawn = (rng.random(samples.size) * counts).astype(np.int64)
    places = np.minimum(Y.indptr[samples] + drawn, Y.indices.size - 1)
    return (
        np.where(counts > 0, Y.indices[places], -1) if Y.indices.size else np.full(samples.size, -1)
    )


def _csr(
    rows: Integers, columns: Integers, values: npt.NDArray[Any], shape: tuple[int, int]
) -> sparse.csr_array:
    """Return a CSR array from entries with ascending rows."""
    kind = np.int32 if rows.size <= np.iinfo(np.int32).max else np.int64
    indptr = np.zeros(shape[0] + 1, dtype=kind)
    np.cumsum(np.bincount(rows, minlength=shape[0]), out=indptr[1:])
    return sparse.csr_array((values, columns.astype(kind), indptr), shape=shape)


def _check(n_labels: int, cardinality: float, density: float, signal: float) -> None:
    if not 0 < cardinality < MOST_FREQUENT * n_labels:
        raise ValueError(
            f"cardinality must be above 0 and below {MOST_FREQUENT} * n_labels = "
            f"{MOST_FREQUENT * n_labels:g}, got {cardinality!r}."
        )
    if not 0 <= density <= 1:
        raise ValueError(f"density must be from 0 to 1, got {density!r}.")
    if not 0 <= signal <= 1:
        raise ValueError(f"signal must be from 0 to 1, got {signal!r}.")
