"""An ensemble of classifier chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._random import as_generator, draw_seeds
from rarelabels._tasks import Tasks
from rarelabels._validation import check_count
from rarelabels.learners._batches import trainer_for
from rarelabels.learners._chain import LabelChain, bootstrap_samples, chain_scores, link_names
from rarelabels.learners._models import Trainer, check_estimator, in_parallel
from rarelabels.learners.base import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams


class EnsembleOfClassifierChains(MetaLearner):
    """Chains of binary classifiers in random orders, each on a bootstrap of the samples.

    Parameters
    ----------
    estimator : classifier, default=None
        By default a decision tree with entropy and ``min_samples_leaf=2``.
    n_chains : int, default=10
        Chains, each over all labels.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. A link learns from the
        samples of its bootstrap that know its label, and sees what the links before it predict
        where their labels are unknown. A label that the bootstrap of a chain does not know is left
        out of that chain.
    n_jobs : int, default=None
        Threads over the chains. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Draws orders and bootstraps, and seeds the classifiers that have no seed of their own.

    Attributes
    ----------
    chains_ : list
        The chains, each with its ``labels`` in their order and their ``models``.
    classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
        As in :class:`rarelabels.learners.MultiLabelClassifier`.

    See Also
    --------
    ECCRU3 : Chains with undersampling, longer for rare labels.

    Notes
    -----
    A link sees the true labels of those before it when it learns, and the predicted ones when it
    predicts. Scores are the mean of the chains' probabilities, where the paper counts votes: a
    label is predicted where they are at least one half. scikit-learn's ``ClassifierChain`` is not
    used, because it cannot learn a label that has a single class in a bootstrap.

    References
    ----------
    J. Read, B. Pfahringer, G. Holmes, E. Frank. Classifier chains for multi-label classification.
    Machine Learning 85, 2011, 333-359.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from rarelabels.learners import EnsembleOfClassifierChains
    >>> X, y = make_multilabel_classification(n_classes=4, random_state=0)
    >>> learner = EnsembleOfClassifierChains(n_chains=3, random_state=0).fit(X, y)
    >>> [chain.labels.tolist() for chain in learner.chains_]
    [[0, 3, 2, 1], [3, 2, 0, 1], [3, 0, 2, 1]]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_chains: int = 10,
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_chains = n_chains
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(
        self, X: Matrix, labels: Labels, rng: np.random.Generator, params: FitParams = NO_PARAMS
    ) -> None:
        seeds = draw_seeds(rng, check_count("n_chains", self.n_chains, 1))
        values = labels.values
        trainer = trainer_for(
            check_estimator(self.estimator),
            X,
            self.n_jobs,
            params,
            one_by_one=values.unknown is not None,
        )
        table = params.weight_table
        calls = ((trainer, values, seed, labels.names, table) for seed in seeds)
        self.chains_ = in_parallel(fit_random_chain, calls, self.n_jobs)

    def _scores(self, X: Matrix) -> Array:
        return chain_scores(self.chains_, X, self.n_labels_in_, self.n_jobs)


def fit_random_chain(
    trainer: Trainer,
    values: LabelMatrix,
    seed: int,
    names: tuple[str, ...],
    weights: Array | None = None,
) -> LabelChain:
    """Fit a chain of all labels, in random order and on a bootstrap."""
    rng = as_generator(seed)
    order, samples = rng.permutation(values.shape[1]), bootstrap_samples(values.n_samples, rng)
    seeds = draw_seeds(rng, order.size)
    feed = values.positives[samples].toarray()[:, order]
    if values.unknown is None:
        tasks = Tasks.same_samples(samples.size, feed, 2)
    else:
        feed = feed - values.unknown[samples].toarray()[:, order]
        is_known = (feed >= 0).any(axis=0)
        order, feed = order[is_known], feed[:, is_known]
        seeds = [seeds[link] for link in np.flatnonzero(is_known).tolist()]
        tasks = Tasks.known_classes(feed.T, 2)
    if weights is not None:
        tasks = tasks.with_weights(weights[samples[None, :], order[:, None]])
    return LabelChain(
        order, trainer.fit_chain(samples, tasks, feed, seeds, link_names(order, names))
    )
