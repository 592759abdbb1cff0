"""LSDMLO: synthetic samples by a separate distance for each label."""

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
from rarelabels._parameter_docs import shared_parameters
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

# Number of pairs of labels that count as correlated.
N_PAIRS = 10
# Distances to parents are compared in blocks with this many entries.
ENTRIES_AT_ONCE = 2**21


@shared_parameters
class LSDMLO(BaseSampler):
    """Label-specific distance-based multi-label oversampling.

    A sparse linear model of all labels gives each label weights for the features, which define a
    separate distance for each label. Seeds are samples of minority labels (IRLbl above the mean,
    MeanIR) whose neighbors by the distance of the label include samples with and without the label.
    A seed is drawn more often if more of its neighbors carry the label or one that is correlated
    with it. A synthetic sample lies between the seed and one of its neighbors. If the two differ in
    a label, the synthetic sample takes the value of the parent that is nearer by the distance of
    that label.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.3
        How many samples to add: a fraction of the samples (float) or a number (int).
    {n_neighbors}
    alpha : float, default=1.0
        Strength of the label correlation term in the linear model.
    beta : float, default=0.25
        Strength of the sparsity term in the linear model.
    max_iter : int, default=100
        Maximum number of steps to fit the linear model.
    tol : float, default=0.01
        Change of the loss at which fitting the linear model stops.
    as_released : bool, default=False
        Whether to compute coefficients, correlated labels, neighbors and weights as the code
        released by the authors does, for comparison. That code does not scale features, treats
        categories as numbers, computes weights that depend on the order of the samples, and
        considers only correlated labels with a higher index.
    scale_features, categorical_features, metric, neighbors, n_jobs
        See :func:`rarelabels.find_neighbors`. `neighbors` may be a search, but not precomputed
        neighbors, because each label has a separate distance.
    {random_state}
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label, which is left out of counts and comparisons, and
        counted as absent in the linear model. A synthetic sample takes the value of the parent in
        which the label is known. If False, NaN in y is an error.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        Weight of each input sample. The probability of a sample to be drawn as a seed is
        proportional to it.
    coefficients_ : ndarray of shape (n_columns, n_labels)
        Coefficients of the linear model. The columns are the rescaled features, followed by the
        one-hot encoded categories with three or more values.
    feature_weights_ : ndarray of shape (n_columns, n_labels)
        Weights of the features in the distance of each label. They add up to 1.
    correlated_labels_ : dict of int to ndarray
        The labels that count as correlated with each label.
    {sample_indices_, then synthetic}
    {is_synthetic_}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLSOL : A method by some of the same authors, with one distance for all labels.
    MLONC : A method by some of the same authors, with natural neighbors.

    Notes
    -----
    This implementation follows a description of the released code, because the text of the paper
    was not available. It differs from the code as follows. The code divides scores by a running
    sum, which gives the first samples the largest weights; here they are divided by the total of
    the label. Correlation is symmetric. Features are rescaled, because a softmax of the
    coefficients of raw features gives nearly all weight to a single feature. Fewer than ten pairs
    of labels are not an error, and data without mixed neighborhoods is returned unchanged with a
    warning. The step size of the linear model is that of the code. It is much smaller than
    necessary, so `alpha` and `beta` have little effect. Missing values in X are an error, because
    the linear model needs every value.

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
        # Read first: the linear model needs every value, and this reports which one is missing.
        matrix, space = X.matrix, self._space(X)
        self.coefficients_ = label_coefficients(space.euclidean(), Y.positives, self._settings())
        self.feature_weights_ = softmax_weights(self.coefficients_)
        self.correlated_labels_ = correlated_labels_of(Y.positives, symmetric=not self.as_released)
        hoods = self._neighborhoods(space, Y.positives)
        scores = seed_scores(hoods, Y, self.correlated_labels_, running=self.as_released)
        self.weights_ = np.bincount(row_numbers(hoods.entries), scores, X.n_samples)
        if not self.weights_.any():
            warn(
                "no minority label has samples with neighbors both with and without the label, so "
                "LSDMLO adds no samples."
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
        """Return the feature space of X, with further samples appended if `values` are given."""
        if self.as_released:
            return plain_space(X.matrix if values is None else stack_matrices(X.matrix, values))
        queries = None if values is None else check_features(values, X.categorical)
        return feature_space(X, queries, scale_features=self.scale_features, metric=self.metric)

    def _neighborhoods(self, space: FeatureSpace, Y: sparse.csr_array) -> TailNeighborhoods:
        """Find the neighbors of the samples of each minority label by the distance of the label."""
        n_neighbors = check_n_neighbors(self.n_neighbors, space.n_samples)
        check_not_found_before(self.neighbors, "LSDMLO", "by a separate distance for each label")
        entries = with_entries(Y, label_groups(Y).is_minority[Y.indices])
        neighbors = np.empty((entries.nnz, n_neighbors), dtype=np.intp)
        for label, samples, places in columns_of(entries):
            label_space = space.weighted(self.feature_weights_[:, label])
            neighbors[places] = neighbors_of(
                label_space, samples, n_neighbors, self.neighbors, self.n_jobs
            )
        return TailNeighborhoods(entries, neighbors)

    def _nearness(self, X: Features, values: Matrix, seeds: Array, references: Array) -> Matrix:
        """Return the difference of squared distances to seed and reference in each column."""
        points = self._space(X, values).euclidean()
        new = points[X.n_samples :]
        to_seed, to_reference = new - points[seeds], new - points[references]
        return to_seed * to_seed - to_reference * to_reference


@dataclass(frozen=True, eq=False)
class TailNeighborhoods:
    """Minority labels of the samples, with neighbors by the distances of these labels.

    Attributes
    ----------
    entries : (n, q) csr_array
        The minority labels that each sample carries.
    neighbors : (m, k) ndarray
        Neighbors of the sample of each entry by the distance of the label of that entry.
    """

    entries: sparse.csr_array
    neighbors: Array

    def draw_references(self, seeds: Array, rng: np.random.Generator) -> Array:
        """Draw a minority label of each seed and one of its neighbors for that label."""
        starts, n_labels = self.entries.indptr[seeds], np.diff(self.entries.indptr)[seeds]
        entries = starts + rng.integers(n_labels)
        return self.neighbors[entries, rng.integers(self.neighbors.shape[1], size=seeds.size)]


def columns_of(entries: sparse.csr_array) -> list[tuple[int, Array, Array]]:
    """Return each label that has entries, with its samples and the positions of its entries."""
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
    """Return the labels correlated with each label, from the ten most similar pairs.

    Equally similar pairs are taken in the order of their labels. If not symmetric, a pair counts
    only for the label with the lower index, as in the released code.
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
    """Score each entry by its neighbors that carry the label or a correlated one.

    The score is 0 if all neighbors carry the label, or none does. Each score is divided by the
    total of the label or, if `running`, by the sum up to and including it.
    """
    scores, by_label = np.zeros(hoods.entries.nnz), Y.positives.tocsc()
    unknown = Y.unknown
    for label, samples, places in columns_of(hoods.entries):
        neighbors = hoods.neighbors[places]
        same = _carried(by_label, label)[neighbors].sum(axis=1)
        n_known = np.full(samples.size, neighbors.shape[1])
        if unknown is not None:
            n_known -= _carried(unknown.tocsc(), label)[neighbors].sum(axis=1)
        mixed = (same > 0) & (same < n_known)
        same_shares = np.where(mixed, same / np.maximum(n_known, 1), 0.0)
        correlated_shares = np.zeros(samples.size)
        for other in correlated[label].tolist():
            carries = _carried(by_label, other)
            # As in the code, the sample itself counts too, but not in the denominator.
            n_carriers = carries[neighbors].sum(axis=1) + carries[samples]
            correlated_shares = np.maximum(correlated_shares, n_carriers / neighbors.shape[1])
        scores[places] = np.where(
            mixed, _shares(same_shares, running) + _shares(correlated_shares, running), 0.0
        )
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
    """Label synthetic samples by the parent nearer in each label's distance, in a tie the seed.

    Parameters
    ----------
    Y : LabelMatrix of shape (n, q)
        The labels.
    seeds, references : (m,) ndarray
        The parents.
    nearness : (m, c) ndarray or csr_array
        The squared difference to the seed minus that to the reference in each column.
    weights : (c, q) ndarray
        Weights of the columns in the distance of each label.
    """
    seed_labels, reference_labels = Y.positives[seeds], Y.positives[references]
    step = max(1, ENTRIES_AT_ONCE // Y.shape[1])
    starts = range(0, seeds.size, step)
    of_seed, of_reference = [], []
    for start in starts:
        part = slice(start, start + step)
        differences = nearness[part] @ weights
        seed_part, reference_part = seed_labels[part], reference_labels[part]
        of_seed.append(differences[row_numbers(seed_part), seed_part.indices] <= 0)
        of_reference.append(differences[row_numbers(reference_part), reference_part.indices] > 0)
    both = seed_labels.multiply(reference_labels)
    labels = both + with_entries(seed_labels, np.concatenate([[], *of_seed]).astype(bool))
    labels = labels + with_entries(
        reference_labels, np.concatenate([[], *of_reference]).astype(bool)
    )
    unknown = None
    if Y.unknown is not None:
        seed_unknown, reference_unknown = Y.unknown[seeds], Y.unknown[references]
        labels = (
            labels
            + seed_labels.multiply(reference_unknown)
            + reference_labels.multiply(seed_unknown)
        )
        unknown = seed_unknown.multiply(reference_unknown).tocsr()
    labels = labels.astype(bool).astype(np.int8).tocsr().sorted_indices()
    return LabelMatrix(labels, unknown)
