"""An ensemble of classifier chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import as_generator, draw_seeds
from rarelabels._tasks import Tasks
from rarelabels._validation import check_count
from rarelabels.learners._base_estimator import check_estimator, in_parallel
from rarelabels.learners._batch_trainer import trainer_for
from rarelabels.learners._label_chain import LabelChain, bootstrap_samples, chain_scores, link_names
from rarelabels.learners._trainer import Trainer
from rarelabels.learners.composed import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams


@shared_parameters
class EnsembleOfClassifierChains(MetaLearner):
    """Chains of binary classifiers in random order, each fitted to a bootstrap sample.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier that is cloned for each link. By default, a decision tree with entropy and
        ``min_samples_leaf=2``.
    n_chains : int, default=10
        Number of chains, each of which contains all labels.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. A link learns from the
        samples of its bootstrap for which its label is known. If the label of an earlier link is
        unknown, the prediction of that link is used. If a label is unknown for the whole bootstrap
        sample of a chain, it is left out of this chain.
    n_jobs : int, default=None
        Number of threads that fit chains. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the orders and the bootstrap samples, and for the classifiers if their
        `random_state` is None.

    Attributes
    ----------
    chains_ : list
        The chains. Each has the attributes ``labels``, in the order of the chain, and ``models``.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    ECCRU3 : Chains with undersampling, in which rare labels occur more often.

    Notes
    -----
    A link is fitted with the true labels of earlier links, and it predicts with their predicted
    labels. Scores are the mean of the chains' probabilities, while the paper counts votes. A label
    is predicted if its score is at least one half. scikit-learn's ``ClassifierChain`` is not used,
    because it cannot be fitted to a label with a single class in a bootstrap sample.

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
            separately=values.unknown is not None,
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
    """Fit a chain of all labels in random order to a bootstrap sample."""
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
