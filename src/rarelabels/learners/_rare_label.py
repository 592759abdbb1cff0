"""A weighted mean of kernel ridge regression and a forest, for labels with few positives."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from rarelabels._containers import Array
from rarelabels._labels import Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import draw_seeds, seeded
from rarelabels._tables import structured_table
from rarelabels._validation import check_count, check_number
from rarelabels.decisions import check_rule, choose_thresholds
from rarelabels.learners._dataframes import is_frame
from rarelabels.learners._kernel_ridge import KernelRidgeClassifier
from rarelabels.learners._multi_label_forest import MultiLabelForest
from rarelabels.learners._out_of_sample import OutOfSampleClassifier, label_position
from rarelabels.learners._ridge.calibration import PooledCalibration, reliability_table
from rarelabels.learners._ridge.standardization import Standardization, blended
from rarelabels.learners._ridge.targets import Targets, used_samples
from rarelabels.learners.base import checked_numbers
from rarelabels.learners.composed import checked_frame
from rarelabels.learners.known_labels import (
    allowing_unknown,
    known_mask,
    known_weights,
    outer_model_warns,
)


@shared_parameters
class RareLabelClassifier(OutOfSampleClassifier):
    """Kernel ridge regression blended with a forest: the model to try first for rare labels.

    Both models predict all labels at once, and both score the training samples as if they were new:
    the kernel ridge regression with leave-one-out scores, the forest with out-of-bag scores. The
    weighted mean of these scores is used to choose thresholds and to calibrate probabilities.
    Therefore, all positives of a label are used both to fit the models and to choose its threshold.

    Parameters
    ----------
    kernel_ridge : KernelRidgeClassifier, default=None
        The first model, whose thresholds are not used. By default, a `KernelRidgeClassifier`.
    forest : MultiLabelForest, default=None
        The second model. By default, a `MultiLabelForest`.
    forest_share : float, default=0.3
        Weight of the forest in the score, from 0 to 1.
    threshold : str, rule or None, default="pooled_f1"
        The rule of :mod:`rarelabels.decisions` that chooses thresholds on out-of-sample scores. If
        None, a label is predicted if its probability is at least one half.
    categorical_features
        As in :func:`rarelabels.find_neighbors`. Both default models use this parameter.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. Both models then allow
        them, and unknown labels influence neither thresholds nor probabilities.
    {n_jobs}
    random_state : int, RandomState, Generator or None, default=None
        Seed for both models if their `random_state` is None.

    Attributes
    ----------
    kernel_ridge_ : KernelRidgeClassifier
        The fitted kernel ridge regression.
    forest_ : MultiLabelForest
        The fitted forest.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted if its `decision_function` is at least this.
    out_of_sample_scores_ : ndarray of float32 of shape (n_samples, n_labels)
        The scores of the training samples from models that were not fitted to them, on the scale of
        `decision_function`.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    KernelRidgeClassifier : The first model alone.
    MultiLabelForest : The second model alone.

    Notes
    -----
    The score is ``(1 - forest_share) * kernel + forest_share * forest``. The scores of both models
    are standardized for each label with the mean and the standard deviation of their out-of-sample
    scores.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.learners import RareLabelClassifier
    >>> X, y = make_local_imbalance(300, n_labels=3, difficulty=0.3, random_state=0)
    >>> model = RareLabelClassifier(random_state=0).fit(X, y)
    >>> model.predict(X).shape, model.out_of_sample_scores_.shape
    ((300, 3), (300, 3))
    """

    _delegates_labels = True

    def __init__(
        self,
        kernel_ridge: KernelRidgeClassifier | None = None,
        forest: MultiLabelForest | None = None,
        *,
        forest_share: float = 0.3,
        threshold: Any = "pooled_f1",
        categorical_features: Any = "auto",
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel_ridge = kernel_ridge
        self.forest = forest
        self.forest_share = forest_share
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit_data(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Self:
        weights = None if sample_weight is None else np.asarray(sample_weight)
        return super()._fit_data(X, y, sample_weight, given_weights=weights, **options)

    @shared_parameters
    def decision_function(self, X: Any) -> Any:
        """Return the score of each label; scores are comparable between labels.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray or dataframe of floats of shape (n_samples, n_labels)
            The scores, which can be any finite numbers.
        """
        check_is_fitted(self)
        return self._output.scores(self._raw_scores(self._read(X, reset=False)), X)

    def reliability(self, *, n_bins: int = 10) -> Array:
        """Compare probabilities with frequencies on the out-of-sample scores of the training data.

        Parameters
        ----------
        n_bins : int, default=10
            Number of bins of probabilities, which have about the same number of positives.

        Returns
        -------
        structured ndarray of shape (at most n_bins,)
            The fields are ``entries`` (pairs of a sample and a label), ``probability`` (their mean
            probability), ``frequency`` (the share of positives) and ``low`` and ``high``
            (its 95 % Wilson interval).
        """
        check_is_fitted(self)
        probabilities = self._calibration.probabilities(self.out_of_sample_scores_)
        n_checked = check_count("n_bins", n_bins, 1)
        return reliability_table(self._Y, probabilities, n_checked, self._known)

    def explain(self, X: Any, label: Any, *, n_samples: int = 3) -> Array:
        """Explain the score of a label for some samples.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_queries, n_features)
            The features of some samples.
        label : int or str
            The label, given by its column index or its name.
        n_samples : int, default=3
            Number of training samples with the label to return for each sample.

        Returns
        -------
        structured ndarray of shape (n_queries,)
            The fields are ``score``, ``threshold`` and ``probability``; ``kernel``, ``linear`` and
            ``forest``, which add up to the score; ``similar``, the positions of the training
            samples with the label that contribute most to the kernel part (-1 if there are fewer);
            and ``contribution``, the amount that each of these adds to the kernel part before it is
            standardized.
        """
        check_is_fitted(self)
        j = label_position(self, label)
        X = self._read(X, reset=False)
        parts = self.kernel_ridge_.part_scores(X)
        forest = np.asarray(self.forest_.predict_proba(X), dtype=float)
        ridge, trees = self._standardizations
        share = (1 - self.forest_share) / ridge.deviations[j]
        by_part = {name: share * table[:, j] for name, table in parts.items()}
        by_part["forest"] = self.forest_share * trees.of(forest)[:, j]
        scores = self._blended([np.sum([*parts.values()], axis=0), forest])
        similar, contributions = self.kernel_ridge_.similar_samples(X, label, n_samples=n_samples)
        return structured_table(
            {
                "score": scores[:, j],
                "threshold": np.full(len(scores), self.thresholds_[j]),
                "probability": self._calibration.probabilities(scores)[:, j],
                **by_part,
                "similar": similar,
                "contribution": contributions,
            }
        )

    def _read(self, X: Any, *, reset: bool) -> Any:
        check = checked_frame if is_frame(X) else checked_numbers
        return check(self, X, reset=reset)

    def _fit(
        self,
        X: Any,
        labels: Labels,
        rng: np.random.Generator,
        given_weights: Any = None,
        groups: Any = None,
    ) -> None:
        if not 0 <= check_number("forest_share", self.forest_share) <= 1:
            raise ValueError(f"forest_share must be from 0 to 1, got {self.forest_share!r}.")
        if self.threshold is not None:
            check_rule(self.threshold)
        first, second = draw_seeds(rng, 2)
        self.kernel_ridge_ = seeded(self._kernel_ridge(), first)
        self.forest_ = seeded(self._forest(), second)
        # The thresholds of the kernel ridge regression are not needed.
        self.kernel_ridge_.set_params(threshold=None)
        for model in (self.kernel_ridge_, self.forest_):
            with outer_model_warns():
                fit_inner(model, X, labels, given_weights, groups)
        Y, weights = labels.matrix, known_weights(labels.values, given_weights)
        used = slice(None) if weights is None else used_samples(weights, Y.shape[0])
        targets = Targets.of(Y[used], None if weights is None else weights[used])
        tables = [self.kernel_ridge_.leave_one_out_scores_, out_of_bag_scores(self.forest_)]
        self._standardizations = [Standardization.fit(table[used]) for table in tables]
        scores = self._blended(tables)
        self.out_of_sample_scores_ = scores.astype(np.float32)
        self._Y, self._known = Y, known_mask(labels.values)
        counted = targets.weights if targets.table is None else targets.table
        self._calibration = PooledCalibration.fit(targets.Y, scores[used], counted)
        if self.threshold is None:
            self.thresholds_ = self._calibration.scores_at_one_half()
        else:
            self.thresholds_ = choose_thresholds(
                targets.Y,
                scores[used],
                self.threshold,
                weights=targets.entry_weights,
                known=targets.known,
            )

    def _kernel_ridge(self) -> KernelRidgeClassifier:
        if self.kernel_ridge is not None:
            return clone(self.kernel_ridge)
        return KernelRidgeClassifier(
            categorical_features=self.categorical_features, n_jobs=self.n_jobs
        )

    def _forest(self) -> MultiLabelForest:
        if self.forest is not None:
            return clone(self.forest)
        return MultiLabelForest(categorical_features=self.categorical_features, n_jobs=self.n_jobs)

    def _blended(self, tables: list[Array]) -> Array:
        shares = 1 - self.forest_share, self.forest_share
        return blended(tables, shares, self._standardizations)

    def _raw_scores(self, X: Any) -> Array:
        kernel = np.asarray(self.kernel_ridge_.decision_function(X))
        return self._blended([kernel, np.asarray(self.forest_.predict_proba(X))])

    def _scores(self, X: Any) -> Array:
        return self._scores_and_decisions(X)[0]

    def _scores_and_decisions(self, X: Any) -> tuple[Array, Array]:
        scores = self._raw_scores(X)
        return self._calibration.probabilities(scores), self._decide(scores)

    def _decide(self, scores: Array) -> Array:
        if self.threshold is None:
            return scores >= self.thresholds_
        return check_rule(self.threshold).decide(scores, self.thresholds_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def fit_inner(model: Any, X: Any, labels: Labels, sample_weight: Any, groups: Any) -> None:
    """Fit one of the two models; it allows unknown labels if there are any."""
    if labels.has_gaps:
        allowing_unknown(model)
    model.fit(X, labels.given, sample_weight=sample_weight, groups=groups)


def out_of_bag_scores(forest: MultiLabelForest) -> Array:
    """Return the out-of-bag scores of a forest; missing scores are replaced by the label's mean."""
    if not forest.bootstrap:
        raise ValueError(
            "the forest must have bootstrap=True, got bootstrap=False; its out-of-bag scores are "
            "needed to choose the thresholds."
        )
    scores: Array = forest.oob_scores_
    if not np.isnan(scores).any():
        return scores
    known = ~np.isnan(scores)
    means = np.where(known, scores, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, scores, means)
