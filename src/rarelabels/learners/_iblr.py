"""IBLR: logistic regressions on the features and on the label shares among the neighbors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from rarelabels._containers import Array, Matrix
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_number
from rarelabels.learners._batch_trainer import trainer_for
from rarelabels.learners._binary_relevance import fit_labels
from rarelabels.learners._neighbor_learner import NeighborLearner, neighbor_counts
from rarelabels.learners._ridge.column_summary import ColumnSummary, KnownValues
from rarelabels.learners._ridge.indicators import IndicatorColumns
from rarelabels.learners._ridge.kernels import row_blocks
from rarelabels.learners._ridge.scalings import UnitScaling
from rarelabels.learners.fit_params import NO_PARAMS, FitParams

# Convergence criteria of the solver. All columns have a range of 1, so it needs a few dozen
# iterations. With this tolerance, sparse and dense columns give the same scores.
SOLVER = {"tol": 1e-7, "max_iter": 1000}
# The regressions use a dense table up to this number of entries, for sparse and dense features.
DENSE_IF_SPARSE, DENSE_ENTRIES = 2**22, 2**26


@shared_parameters
class IBLR(NeighborLearner):
    """Instance-based learning and logistic regression: the labels of neighbors are features.

    The share of neighbors with each label describes the neighborhood of a sample. One logistic
    regression for each label uses the shares of all labels, so it also learns which labels occur
    together. It uses the features of the sample as well.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors of each sample.
    add_features : bool, default=True
        Whether the regressions also use the features, as IBLR-ML+ in the paper. If False, they use
        only the label shares, as IBLR-ML does.
    C : float, default=1.0
        Inverse strength of the penalty, as in scikit-learn's ``LogisticRegression``. The larger the
        value, the closer the result is to the paper, which has no penalty.
    scale_features, categorical_features, metric, neighbors
        As in :func:`rarelabels.find_neighbors`. New samples are scaled like the training data.
    n_jobs : int, default=None
        Number of threads for the neighbor search and for the labels. The result does not depend on
        it.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. The regression of a label
        learns from the samples for which it is known. Shares are computed among the neighbors for
        which the label is known; if there are none, the share among all samples is used. Samples
        without a known label are not used.

    Attributes
    ----------
    estimators_ : sequence of classifiers
        The logistic regression of each label. If `add_features` is True, the first columns are the
        features, rescaled to a range of 1, with indicators of categories and of missing values
        after the numbers. The last columns are the shares of the labels.
    shares_ : ndarray of shape (n_labels,)
        Share of positives of each label among the samples for which it is known.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    MLkNN : Bayes' rule applied to the number of neighbors with the label.

    Notes
    -----
    A training sample is never counted as a neighbor of itself. The paper does not say how to break
    ties at the k-th distance; here, the sample with the lower index is the neighbor. The paper
    estimates coefficients by maximum likelihood. They are infinite if a label is separable, which
    is common for rare labels; this is why a penalty is used. Features are rescaled to a range of 1,
    like the shares. On yeast and enron, the ranking was better than with standard deviations of 1.

    References
    ----------
    W. Cheng, E. Hüllermeier. Combining instance-based learning and logistic regression for
    multilabel classification. Machine Learning 76(2-3), 2009, 211-225.

    Examples
    --------
    >>> from rarelabels.learners import IBLR
    >>> X, y = [[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]], [[0], [0], [0], [1], [1], [1]]
    >>> learner = IBLR(n_neighbors=2).fit(X, y)
    >>> learner.predict([[0.15], [0.95]])
    array([[0],
           [1]])
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        add_features: bool = True,
        C: float = 1.0,
        scale_features: bool = True,
        categorical_features: Any = "auto",
        metric: str = "euclidean",
        neighbors: Any = None,
        n_jobs: int | None = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.add_features = add_features
        self.C = C
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels

    def _fit(
        self,
        X: Features,
        labels: Labels,
        rng: np.random.Generator,
        sample_weight: Array | None = None,
    ) -> None:
        C = check_number("C", self.C, above=0)
        regression = LogisticRegression(C=C, random_state=0, **SOLVER)
        values, weights = self._keep_samples(X, labels, sample_weight)
        self._unknown, self.shares_ = values.unknown, known_shares(values)
        self._fit_scaling()
        neighbors = self._training_neighbors()
        self._n_neighbors = neighbors.shape[1]
        params = NO_PARAMS
        if weights is not None:
            params = FitParams({"sample_weight": weights}, values.n_samples)
        columns = self._columns(self._features.numbers, neighbors)
        trainer = trainer_for(regression, columns, self.n_jobs, params)
        known_labels = replace(labels, values=values)
        self.estimators_ = fit_labels(trainer, known_labels, rng, params.weight_table)

    def _scores(self, X: Features) -> Array:
        neighbors = self._neighbors_of(X, self._n_neighbors)
        scores = np.empty((X.n_samples, self.n_labels_in_))
        for rows in row_blocks(X.n_samples, self.n_features_in_ + self.n_labels_in_):
            columns = self._columns(X.numbers[rows], neighbors[rows])
            scores[rows] = self.estimators_.probability(columns, 1, self.n_jobs)
        return scores

    def _fit_scaling(self) -> None:
        """Learn how features become numbers with a range of 1."""
        self._indicators: IndicatorColumns | None = None
        self._scaling: UnitScaling | None = None
        X = self._features
        n_entries = X.n_samples * (self.n_features_in_ + self.n_labels_in_)
        limit = DENSE_IF_SPARSE if sparse.issparse(X.numbers) else DENSE_ENTRIES
        self._is_sparse = n_entries > limit
        if self.add_features:
            self._indicators = IndicatorColumns.fit(KnownValues.of(X.numbers, X.categorical))
            columns = ColumnSummary.of(self._indicators.transform(X.numbers))
            self._scaling = UnitScaling().fit(columns)

    def _columns(self, numbers: Matrix, neighbors: Array) -> Matrix:
        """Return the columns of the regressions for samples with these neighbors."""
        shares = neighbor_shares(self._labels, self._unknown, neighbors, self.shares_)
        as_table = sparse.csr_array if self._is_sparse else as_dense
        parts = [as_table(shares)]
        if self._indicators is not None and self._scaling is not None:
            # Dense columns are shifted and sparse ones are not, so all samples must be in the same
            # format.
            features = as_table(self._indicators.transform(numbers))
            parts.insert(0, self._scaling.transform(features))
        return sparse.csr_array(sparse.hstack(parts)) if self._is_sparse else np.hstack(parts)


def as_dense(table: Matrix) -> Array:
    """Return a table as an array of floats."""
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)


def known_shares(values: LabelMatrix) -> Array:
    """Return the share of positives of each label among the samples for which it is known."""
    n_known = np.full(values.shape[1], values.n_samples)
    if values.unknown is not None:
        n_known -= np.asarray(values.unknown.sum(axis=0))
    return np.asarray(values.positives.sum(axis=0)) / n_known


def neighbor_shares(
    positives: sparse.csr_array,
    unknown: sparse.csr_array | None,
    neighbors: Array,
    default_shares: Array,
) -> Matrix:
    """Return the share of neighbors with each label among those for which it is known.

    `default_shares` are used if a label is unknown for all neighbors of a sample.
    """
    n_positive = neighbor_counts(positives, neighbors)
    if unknown is None:
        return n_positive / neighbors.shape[1]
    n_known = neighbors.shape[1] - neighbor_counts(unknown, neighbors).toarray()
    shares = n_positive.toarray() / np.maximum(n_known, 1)
    return np.where(n_known > 0, shares, default_shares)
