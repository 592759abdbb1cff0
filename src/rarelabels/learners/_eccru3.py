"""ECCRU3: classifier chains with random undersampling, in which rare labels occur more often."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._local import known_counts, label_counts
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import as_generator, draw_seeds
from rarelabels._validation import check_count, check_number
from rarelabels.decisions import check_rule
from rarelabels.learners._base_estimator import check_estimator, in_parallel
from rarelabels.learners._batch_trainer import trainer_for
from rarelabels.learners._label_chain import LabelChain, bootstrap_samples, chain_scores, link_names
from rarelabels.learners._trainer import Trainer
from rarelabels.learners._undersampling import balanced_tasks
from rarelabels.learners.composed import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.known_labels import classes_by_label, known_mask
from rarelabels.learners.thresholds import training_thresholds


@shared_parameters
class ECCRU3(MetaLearner):
    """Classifier chains fitted to balanced bootstrap samples; rare labels occur in more chains.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier that is cloned for each link. By default, a decision tree with entropy and
        ``min_samples_leaf=2``.
    n_chains : int, default=10
        Number of chains that contain a label whose minority class is of average size.
    min_ratio, max_ratio : float, default=0.5 and 10
        Bounds of the number of chains of a label, as multiples of `n_chains`.
    threshold : str or rule, default="f1"
        The decision rule that chooses the thresholds from the scores of the training samples: the
        name of one of :data:`rarelabels.decisions.RULES`, or a rule object. ``"f1"`` is the exact
        maximum, as in the paper.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. A link learns from samples
        for which its label is known, and minority classes are counted among these. If a label is
        unknown for the whole bootstrap sample of a chain, it is left out of this chain.
    n_jobs : int, default=None
        Number of threads that fit chains. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the orders, the bootstrap samples and the undersampling, and for the classifiers if
        their `random_state` is None.

    Attributes
    ----------
    chains_per_label_ : ndarray of ints of shape (n_labels,)
        Number of chains that contain each label.
    chains_ : list
        The chains. Each has the attributes ``labels``, in the order of the chain, and ``models``.
    thresholds_ : ndarray of shape (n_labels,)
        The thresholds that `threshold` chooses on the training data.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    EnsembleOfClassifierChains : Chains over all labels, without undersampling.

    Notes
    -----
    Label j, whose minority class has size m_j, is in the first
    clip(⌊n_chains · mean(m) / m_j⌋, min_ratio · n_chains, max_ratio · n_chains) chains, and in at
    least one. The mean is over the labels with two classes. A label with a single class is in
    `n_chains` chains. Links are fitted with the predicted labels of earlier links, as in the
    authors' implementation. That implementation stops when only one label is left; here, every
    label is in all of its chains.

    References
    ----------
    B. Liu, G. Tsoumakas. Making Classifier Chains Resilient to Class Imbalance. Asian Conference on
    Machine Learning, 2018, 280-295.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.learners import ECCRU3
    >>> X = np.arange(100.0)[:, None]
    >>> y = np.column_stack([X < 50, X < 25, X < 3]).astype(int)
    >>> ECCRU3(random_state=0).fit(X, y).chains_per_label_
    array([ 5, 10, 86])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_chains: int = 10,
        min_ratio: float = 0.5,
        max_ratio: float = 10,
        threshold: Any = "f1",
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_chains = n_chains
        self.min_ratio = min_ratio
        self.max_ratio = max_ratio
        self.threshold = threshold
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(
        self, X: Matrix, labels: Labels, rng: np.random.Generator, params: FitParams = NO_PARAMS
    ) -> None:
        check_rule(self.threshold)
        bounds, values = check_ratios(self.min_ratio, self.max_ratio), labels.values
        n_chains = check_count("n_chains", self.n_chains, 1)
        self.chains_per_label_ = chains_per_label(values, n_chains, *bounds)
        trainer = trainer_for(check_estimator(self.estimator), X, self.n_jobs, params)
        data, names = (classes_by_label(values), params.weight_table), labels.names
        calls = (
            (trainer, *data, np.flatnonzero(self.chains_per_label_ > c), seed, names)
            for c, seed in enumerate(draw_seeds(rng, self.chains_per_label_.max()))
        )
        self.chains_ = in_parallel(fit_balanced_chain, calls, self.n_jobs)
        self.thresholds_ = training_thresholds(
            self.threshold, labels.matrix, self._scores(X), params.weights, known_mask(values)
        )

    def _scores(self, X: Matrix) -> Array:
        return chain_scores(self.chains_, X, self.n_labels_in_, self.n_jobs)

    def _decide(self, scores: Array) -> Array:
        return check_rule(self.threshold).decide(scores, self.thresholds_)


def check_ratios(min_ratio: Any, max_ratio: Any) -> tuple[float, float]:
    """Check the bounds of the number of chains of a label."""
    low = check_number("min_ratio", min_ratio, at_least=0)
    return low, check_number("max_ratio", max_ratio, at_least=low)


def chains_per_label(
    values: LabelMatrix, n_chains: int, min_ratio: float, max_ratio: float
) -> Array:
    """Return the number of chains of each label; smaller minority classes are in more chains."""
    counts = label_counts(values.positives)
    minority = np.minimum(counts, known_counts(values) - counts)
    has_both = minority > 0
    number = np.full(minority.size, n_chains)
    if has_both.any():
        wanted = np.floor(n_chains * minority[has_both].mean() / minority[has_both])
        number[has_both] = np.clip(wanted, min_ratio * n_chains, max_ratio * n_chains).astype(int)
    return np.maximum(number, 1)


def fit_balanced_chain(
    trainer: Trainer,
    by_label: Array,
    weights: Array | None,
    labels: Array,
    seed: int,
    names: tuple[str, ...],
) -> LabelChain:
    """Fit a chain of some labels, each link to a balanced part of the chain's bootstrap sample.

    `by_label` contains the labels of all samples, (n_labels, n_samples), and -1 for unknown labels.
    `weights` are weights of samples and labels, or None.
    """
    rng = as_generator(seed)
    order, samples = rng.permutation(labels), bootstrap_samples(by_label.shape[1], rng)
    classes = by_label[order[:, None], samples]
    is_known = (classes >= 0).any(axis=1)
    order, classes = order[is_known], classes[is_known]
    tasks, seeds = balanced_tasks(classes, 2, rng), draw_seeds(rng, order.size)
    if weights is not None:
        tasks = tasks.with_weights(weights[samples[None, :], order[:, None]])
    return LabelChain(
        order, trainer.fit_chain(samples, tasks, None, seeds, link_names(order, names))
    )
