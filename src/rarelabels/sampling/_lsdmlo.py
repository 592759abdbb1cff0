"""LSDMLO: synthetic samples by distances of each label's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, stack_matrices
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import row_numbers
from rarelabels._neighbors import (
    FeatureSpace,
    check_not_found_before,
    feature_space,
    neighbors_of,
    plain_space,
)
from rarelabels._validation import (
    check_count,
    check_features,
    check_n_neighbors,
    samples_to_add,
    warn,
)
from rarelabels.base import BaseSampler, Resample, Synthetic
from rarelabels.sampling._draw import draw_with_replacement
from rarelabels.sampling._interpolation import interpolate
from rarelabels.sampling._label_features import (
    Descent,
    label_coefficients,
    softmax_weights,
    squared_cosines,
)
from rarelabels.sampling._label_groups import label_groups
from rarelabels.sampling._labelsets import with_entries

# Pairs of labels that count as correlated.
N_PAIRS = 10
# Distances to parents are compared in blocks of so many.
ENTRIES_AT_ONCE = 2**21


class LSDMLO(BaseSampler):
    """Label-specific distance-based multi-label oversampling.

    A sparse linear model of all labels gives each label weights of the features, and with them a
    distance of its own. Seeds are samples of minority labels (IRLbl above the mean, MeanIR) whose
    neighbours, by the label's distance, are mixed, the more often the more of these carry the label
    or one that is correlated with it. A synthetic sample lies between the seed and one of its
    neighbours; a label in which the two differ is that of the parent that is nearer by that
    label's distance.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.3
        Samples to add: a share of the samples (float) or their number (int).
    n_neighbors : int, default=5
        Neighbours of each sample.
    alpha : float, default=1.0
        Strength of the correlation of labels in the linear model.
    beta : float, default=0.25
        Strength of its sparsity.
    max_iter : int, default=100
        Most steps of the linear model.
    tol : float, default=0.01
        Change of its loss at which it ends.
    as_released : bool, default=False
        Whether to compute coefficients, correlated labels, neighbours and weights as the authors'
        released code does, for comparison: features as they are, categories as numbers, weights
        that depend on the order of the samples, and correlated labels of a higher number alone.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`. `neighbors` may be a search, but no neighbours
        found before: each label has its own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws. The same seed gives the same samples for any `n_jobs`.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of counts and comparisons (and
        absent in the linear model), or an error. A synthetic sample takes the value of whichever
        parent knows it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        Weight of each input sample, to which its chance as a seed is proportional.
    coefficients_ : ndarray of shape (n_columns, n_labels)
        The linear model, over the rescaled features with categories of three values and more
        unfolded behind the others.
    feature_weights_ : ndarray of shape (n_columns, n_labels)
        Weights of the features in each label's distance; they add up to 1.
    correlated_labels_ : dict of int to ndarray
        For each label those that count as correlated with it.
    sample_indices_ : ndarray of shape (n_samples_new,)
        For each sample that came out the input sample it is; for a synthetic one its seed.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        Which samples are synthetic.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.

    See Also
    --------
    MLSOL : By some of the same authors, with one distance for all labels.
    MLONC : By some of the same authors, with natural neighbours.

    Notes
    -----
    Written from a description of the released code, since the paper's text was not at hand. Where
    the code divides by a running sum, so that the first sample weighs most, scores are divided by
    the label's total; correlation is symmetric; features are rescaled, since a softmax of
    coefficients of raw features leaves all but one without weight; fewer than ten pairs of labels
    are no error, and data without mixed neighbourhoods is returned unchanged with a warning. The
    step of the linear model is the code's, far shorter than it need be, so that `alpha` and `beta`
    matter little. Missing values in X are an error, since the linear model needs every value.

    References
    ----------
    Liu, Wu, Peng, Zhou, Wang, Chen and Tsoumakas, "Addressing Imbalance in Multi-Label Data via
    Label-Specific Distance-based Oversampling", arXiv:2606.05927, 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.sampling import LSDMLO
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (X + rng.normal(size=(100, 2)) > 1.5).astype(int)
    >>> X_new, y_new = LSDMLO(sampling_ratio=0.3, random_state=0).fit_resample(X, y)
    >>> X_new.shape, y.sum(axis=0), y_new.sum(axis=0)
    ((130, 2), array([ 8, 18]), array([20, 22]))
    """

    def __init__(
        self,
        *,
        sampling_ratio: float = 0.3,
        n_neighbors: int = 5,
        alpha: float = 1.0,
        beta: float = 0.25,
        max_iter: int = 100,
        tol: float = 0.01,
        as_released: bool = False,
        scale_features: bool = True,
        categorical_features: Any = "auto",
        metric: str = "euclidean",
        neighbors: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.sampling_ratio = sampling_ratio
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.beta = beta
        self.max_iter = max_iter
        self.tol = tol
        self.as_released = as_released
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_new, samples = samples_to_add(self.sampling_ratio, X.n_samples), np.arange(X.n_samples)
        # Read first: a linear model needs every value, and this says which one is missing.
        matrix, space = X.matrix, self._space(X)
        self.coefficients_ = label_coefficients(space.euclidean(), Y.positives, self._settings())
        self.feature_weights_ = softmax_weights(self.coefficients_)
        self.correlated_labels_ = correlated_labels_of(Y.positives, symmetric=not self.as_released)
        hoods = self._neighborhoods(space, Y.positives)
        scores = seed_scores(hoods, Y, self.correlated_labels_, running=self.as_released)
        self.weights_ = np.bincount(row_numbers(hoods.entries), scores, X.n_samples)
        if not self.weights_.any():
            warn(
                "no minority label has samples with neighbours of both kinds, so LSDMLO adds "
                "nothing."
            )
            return Resample(kept=samples)
        seeds = draw_with_replacement(self.weights_, n_new, rng)
        references = hoods.draw_references(seeds, rng)
        values = interpolate(matrix[seeds], matrix[references], X.categorical, rng)
        nearness = self._nearness(X, values, seeds, references)
        labels = nearer_labels(Y, seeds, references, nearness, self.feature_weights_)
        return Resample(kept=samples, synthetic=Synthetic(values, labels, grown_from=seeds))

    def _settings(self) -> Descent:
        check_count("max_iter", self.max_iter, 0)
        for name in ("alpha", "beta", "tol"):
            value = getattr(self, name)
            if not isinstance(value, (int, float, np.number)) or not 0 <= value < np.inf:
                raise ValueError(f"{name} must be a number of at least 0, got {value!r}.")
        return Descent(self.alpha, self.beta, self.max_iter, self.tol)

    def _space(self, X: Features, values: Matrix | None = None) -> FeatureSpace:
        """Place the samples of X, and those with other values behind them."""
        if self.as_released:
            return plain_space(X.matrix if values is None else stack_matrices(X.matrix, values))
        queries = None if values is None else check_features(values, X.categorical)
        return feature_space(X, queries, scale_features=self.scale_features, metric=self.metric)

    def _neighborhoods(self, space: FeatureSpace, Y: sparse.csr_array) -> TailNeighborhoods:
        """Search the neighbours of each minority label's samples by the label's own distance."""
        n_neighbors = check_n_neighbors(self.n_neighbors, space.n_samples)
        check_not_found_before(self.neighbors, "LSDMLO", "by a separate distance for each label")
        entries = with_entries(Y, label_groups(Y).is_minority[Y.indices])
        found = np.empty((entries.nnz, n_neighbors), dtype=np.intp)
        for label, samples, places in columns_of(entries):
            own = space.weighted(self.feature_weights_[:, label])
            found[places] = neighbors_of(own, samples, n_neighbors, self.neighbors, self.n_jobs)
        return TailNeighborhoods(entries, found)

    def _nearness(self, X: Features, values: Matrix, seeds: Array, references: Array) -> Matrix:
        """Return, by column, how much nearer each synthetic sample is to its reference: squares."""
        points = self._space(X, values).euclidean()
        new = points[X.n_samples :]
        to_seed, to_reference = new - points[seeds], new - points[references]
        return to_seed * to_seed - to_reference * to_reference


@dataclass(frozen=True, eq=False)
class TailNeighborhoods:
    """Which samples carry which minority labels, and the neighbours by these labels' distances.

    Attributes
    ----------
    entries : (n, q) csr_array
        The minority labels that each sample carries.
    neighbors : (m, k) ndarray
        For each entry the neighbours of its sample by the distance of its label.
    """

    entries: sparse.csr_array
    neighbors: Array

    def draw_references(self, seeds: Array, rng: np.random.Generator) -> Array:
        """Draw a minority label of each seed, and one of the seed's neighbours for it."""
        starts, n_held = self.entries.indptr[seeds], np.diff(self.entries.indptr)[seeds]
        drawn = starts + rng.integers(n_held)
        return self.neighbors[drawn, rng.integers(self.neighbors.shape[1], size=seeds.size)]


def columns_of(entries: sparse.csr_array) -> list[tuple[int, Array, Array]]:
    """Return each label that has entries, its samples, and the places of its entries."""
    places = sparse.csr_array(
        (np.arange(entries.nnz), entries.indices, entries.indptr), shape=entries.shape
    ).tocsc()
    labels = np.flatnonzero(np.diff(places.indptr)).tolist()
    spans = [slice(places.indptr[label], places.indptr[label + 1]) for label in labels]
    return [
        (label, places.indices[span], places.data[span])
        for label, span in zip(labels, spans, strict=True)
    ]


def correlated_labels_of(Y: sparse.csr_array, *, symmetric: bool) -> dict[int, Array]:
    """Return the labels correlated with each label: those of the ten most similar pairs.

    Equally similar pairs are taken in the order of their labels. If not symmetric, a pair counts
    for the lower of its labels alone, as in the released code.
    """
    squares = sparse.triu(squared_cosines(Y), k=1).tocsr().sorted_indices()
    first = np.argsort(-squares.data, kind="stable")[:N_PAIRS]
    lower, higher = row_numbers(squares)[first], squares.indices[first]
    if symmetric:
        lower, higher = np.concatenate([lower, higher]), np.concatenate([higher, lower])
    return {label: np.sort(higher[lower == label]) for label in range(Y.shape[1])}


def seed_scores(
    hoods: TailNeighborhoods,
    Y: LabelMatrix,
    correlated: dict[int, Array],
    *,
    running: bool = False,
) -> Array:
    """Score each entry by its neighbours that carry the label or a correlated one.

    Neighbourhoods that all carry the label, or none of which does, score 0. Each score is a share
    of the label's total or, if `running`, of the sum up to it.
    """
    scores, by_label = np.zeros(hoods.entries.nnz), Y.positives.tocsc()
    unknown = Y.unknown
    for label, samples, places in columns_of(hoods.entries):
        found = hoods.neighbors[places]
        same = _carried(by_label, label)[found].sum(axis=1)
        n_known = np.full(samples.size, found.shape[1])
        if unknown is not None:
            n_known -= _carried(unknown.tocsc(), label)[found].sum(axis=1)
        mixed = (same > 0) & (same < n_known)
        own = np.where(mixed, same / np.maximum(n_known, 1), 0.0)
        near = np.zeros(samples.size)
        for other in correlated[label].tolist():
            carries = _carried(by_label, other)
            # The sample itself counts too, over the number of its neighbours, as in the code.
            n_carriers = carries[found].sum(axis=1) + carries[samples]
            near = np.maximum(near, n_carriers / found.shape[1])
        scores[places] = np.where(mixed, _shares(own, running) + _shares(near, running), 0.0)
    return scores


def _carried(by_label: sparse.csc_array, label: int) -> Array:
    carries = np.zeros(by_label.shape[0], dtype=bool)
    carries[by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]] = True
    return carries


def _shares(values: Array, running: bool) -> Array:
    totals = np.cumsum(values) if running else np.full(values.size, values.sum())
    return np.divide(values, totals, out=np.zeros(values.size), where=totals > 0)


def nearer_labels(
    Y: LabelMatrix, seeds: Array, references: Array, nearness: Matrix, weights: Array
) -> LabelMatrix:
    """Label synthetic samples by the parent that is nearer by each label's distance, or the seed.

    Parameters
    ----------
    Y : LabelMatrix of shape (n, q)
        The labels.
    seeds, references : (m,) ndarray
        The parents.
    nearness : (m, c) ndarray or csr_array
        In each column the squared difference to the seed less that to the reference.
    weights : (c, q) ndarray
        Weights of the columns in each label's distance.
    """
    own, other = Y.positives[seeds], Y.positives[references]
    step = max(1, ENTRIES_AT_ONCE // Y.shape[1])
    starts = range(0, seeds.size, step)
    of_seed, of_reference = [], []
    for start in starts:
        part = slice(start, start + step)
        gaps = nearness[part] @ weights
        mine, theirs = own[part], other[part]
        of_seed.append(gaps[row_numbers(mine), mine.indices] <= 0)
        of_reference.append(gaps[row_numbers(theirs), theirs.indices] > 0)
    both = own.multiply(other)
    made = both + with_entries(own, np.concatenate([[], *of_seed]).astype(bool))
    made = made + with_entries(other, np.concatenate([[], *of_reference]).astype(bool))
    unknown = None
    if Y.unknown is not None:
        hidden, others_hidden = Y.unknown[seeds], Y.unknown[references]
        made = made + own.multiply(others_hidden) + other.multiply(hidden)
        unknown = hidden.multiply(others_hidden).tocsr()
    made = made.astype(bool).astype(np.int8).tocsr().sorted_indices()
    return LabelMatrix(made, unknown)
