"""COCOA: cross-coupling aggregation of labels, with undersampling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._random import draw_seeds
from rarelabels._registry import part_of_models
from rarelabels._tasks import Tasks
from rarelabels._validation import check_count
from rarelabels.decisions import check_rule
from rarelabels.learners._base_estimator import check_estimator
from rarelabels.learners._batch_trainer import trainer_for
from rarelabels.learners._trainer import Models
from rarelabels.learners._undersampling import balanced_tasks, draw_places
from rarelabels.learners.composed import MetaLearner
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.known_labels import known_mask
from rarelabels.learners.thresholds import training_thresholds

# The class of a sample for a label and its partner: neither of them, the label, or only the
# partner. Without a partner, only the first two classes are used.
NEITHER, LABEL, PARTNER = 0, 1, 2
# Number of class entries, over all targets of a block, that are in memory at a time. It influences
# the random draws, because blocks are drawn one after another.
ENTRIES_AT_ONCE = 2**24


@dataclass(frozen=True)
class Couplings:
    """The models of one label.

    Attributes
    ----------
    binary : classifier
        The model of the label alone.
    partners : list of ints
        The partners of the label.
    couples : list of classifiers
        The three-class model of each couple: 0 is neither label, 1 is the label, and 2 is only the
        partner.
    """

    binary: Any
    partners: list[int]
    couples: list[Any]


@part_of_models
class AllCouplings(Sequence[Couplings]):
    """The couplings of all labels, created on access."""

    def __init__(self, models: Models, owner: Array, partner: Array) -> None:
        self.models, self.owner, self.partner = models, owner, partner

    def __len__(self) -> int:
        return int(self.owner[-1]) + 1

    def __getitem__(self, label: Any) -> Any:
        index = range(len(self))[label]
        if isinstance(index, range):
            return [self[j] for j in index]
        start, end = np.searchsorted(self.owner, [index, index + 1]).tolist()
        partners = self.partner[start + 1 : end].tolist()
        return Couplings(self.models[start], partners, list(self.models[start + 1 : end]))


@shared_parameters
class COCOA(MetaLearner):
    """Average a balanced model of each label with models that couple it with other labels.

    For each label, a binary model is fitted to data that is undersampled until both classes have
    the same size. For each of a few random partners, a model with three classes (neither label,
    only the partner, the label) is fitted to data undersampled to the size of the smallest class.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier that is cloned for each model. By default, a decision tree with entropy and
        ``min_samples_leaf=2``.
    n_couples : int, default=10
        Number of partners of each label, or all other labels if there are fewer.
    threshold : str or rule, default="f1"
        The decision rule that chooses the thresholds from the scores of the training samples: the
        name of one of :data:`rarelabels.decisions.RULES`, or a rule object. ``"f1"`` is the exact
        maximum, as in the paper.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. A model is fitted to the
        samples whose class is known. The class of a sample with the label does not depend on the
        partner.
    n_jobs : int, default=None
        Number of threads that fit labels. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed for the partners and the drawn samples, and for the classifiers if their
        `random_state` is None.

    Attributes
    ----------
    couplings_ : sequence
        For each label, its ``binary`` model, its ``partners`` and their ``couples``. A partner is
        left out if one of the three classes has no sample.
    thresholds_ : ndarray of shape (n_labels,)
        The thresholds that `threshold` chooses on the training data.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    References
    ----------
    M.-L. Zhang, Y.-K. Li, X.-Y. Liu. Towards Class-Imbalance Aware Multi-Label Learning.
    International Joint Conference on Artificial Intelligence, 2015, 4041-4047.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from rarelabels.learners import COCOA
    >>> X, y = make_multilabel_classification(n_classes=4, random_state=0)
    >>> learner = COCOA(n_couples=2, random_state=0).fit(X, y)
    >>> [couplings.partners for couplings in learner.couplings_]
    [[1, 2], [0, 3], [0, 3], [1, 2]]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_couples: int = 10,
        threshold: Any = "f1",
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_couples = n_couples
        self.threshold = threshold
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(
        self, X: Matrix, labels: Labels, rng: np.random.Generator, params: FitParams = NO_PARAMS
    ) -> None:
        check_rule(self.threshold)
        n_couples, values = check_count("n_couples", self.n_couples, 0), labels.values
        trainer = trainer_for(check_estimator(self.estimator), X, self.n_jobs, params)
        owner, partner = coupled_labels(values, n_couples, rng)
        seeds = draw_seeds(rng, owner.size)
        blocks = couple_tasks(values, owner, partner, rng, params.weight_table)
        models = trainer.fit(blocks, seeds, lambda t: f"label {labels.names[owner[t]]!r}")
        self.couplings_ = AllCouplings(models, owner, partner)
        self.thresholds_ = training_thresholds(
            self.threshold, labels.matrix, self._scores(X), params.weights, known_mask(values)
        )

    def _scores(self, X: Matrix) -> Array:
        models, owner = self.couplings_.models, self.couplings_.owner
        data = models.prepare(X)
        return models.mean_probability(data, LABEL, owner, self.n_labels_in_, self.n_jobs)

    def _decide(self, scores: Array) -> Array:
        return check_rule(self.threshold).decide(scores, self.thresholds_)


def coupled_labels(
    values: LabelMatrix, n_couples: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw the partners of each label; return those for which all three classes occur.

    Returns
    -------
    owner, partner : ndarrays of ints
        The label of each model and its partner. The first model of a label has no partner, -1.
    """
    n_samples, n_labels = values.shape
    Y = values.positives.astype(np.int64)
    owner, partner = random_partners(n_labels, n_couples, rng)
    together = (Y.T @ Y).toarray()
    count = together.diagonal()
    alone = count[partner] - together[owner, partner]
    neither = n_samples - count[owner] - alone
    if values.unknown is not None:
        U = values.unknown.astype(np.int64)
        # Numbers of samples with one label and another unknown, and with two unknown labels.
        undecided, both = (Y.T @ U).toarray(), (U.T @ U).toarray()
        n_unknown = both.diagonal()
        known = n_samples - n_unknown[owner] - n_unknown[partner] + both[owner, partner]
        alone = alone - undecided[partner, owner]
        neither = known - (count[owner] - undecided[owner, partner]) - alone
    has_all_classes = (count[owner] > 0) & (alone > 0) & (neither > 0)
    owner = np.concatenate([np.arange(n_labels), owner[has_all_classes]])
    partner = np.concatenate([np.full(n_labels, -1), partner[has_all_classes]])
    order = np.lexsort((partner, owner))
    return owner[order], partner[order]


def random_partners(n_labels: int, n_couples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw other labels for each label, or all of them if there are not enough."""
    n_others, n_each = n_labels - 1, min(n_couples, n_labels - 1)
    places = draw_places(np.full(n_labels, n_others), np.full(n_labels, n_each), rng)
    owner = np.repeat(np.arange(n_labels), n_each)
    partner = places - owner * n_others
    return owner, partner + (partner >= owner)


def couple_tasks(
    values: LabelMatrix,
    owner: Array,
    partner: Array,
    rng: np.random.Generator,
    weights: Array | None = None,
) -> Iterator[Tasks]:
    """Yield balanced tasks of all labels and couples; no label is divided between blocks.

    Parameters
    ----------
    values : LabelMatrix of shape (n_samples, n_labels)
        The labels.
    owner, partner : (n_models,) ndarrays of ints
        The labels and partners that `coupled_labels` returns.
    rng : Generator
        Random generator that draws the samples.
    weights : (n_samples, n_labels) ndarray or None
        Weights of samples and labels. A sample has the smallest weight of the labels that determine
        its class.
    """
    n_samples, n_labels = values.shape
    rows = values.positives.T.tocsr()
    unknown = None if values.unknown is None else values.unknown.T.tocsr()
    ends = np.searchsorted(owner, np.arange(n_labels), side="right")
    start = 0
    while start < owner.size:
        limit = start + max(1, ENTRIES_AT_ONCE // n_samples)
        fitting = ends[(ends > start) & (ends <= limit)]
        stop = int(fitting[-1]) if fitting.size else int(ends[ends > start][0])
        part = slice(start, stop)
        classes = couple_classes(rows, unknown, owner[part], partner[part])
        tasks = balanced_tasks(classes, 3, rng)
        if weights is not None:
            tasks = tasks.with_weights(
                couple_weights(classes, weights.T, owner[part], partner[part])
            )
        yield tasks
        start = stop


def couple_classes(
    rows: sparse.csr_array, unknown: sparse.csr_array | None, owner: Array, partner: Array
) -> Array:
    """Return the class of each sample for each label and its partner, or -1 if it is unknown.

    The class of a sample with the label is known even if its partner is unknown.
    """
    classes = np.full((owner.size, rows.shape[1]), NEITHER, dtype=np.int8)
    coupled = np.flatnonzero(partner >= 0)
    classes[coupled] = PARTNER * rows[partner[coupled]].toarray()
    if unknown is not None:
        classes[coupled] -= (PARTNER + 1) * unknown[partner[coupled]].toarray()
        classes = np.maximum(classes, -1)
    is_label = rows[owner].tocoo()
    classes[is_label.coords] = LABEL
    if unknown is not None:
        classes[unknown[owner].tocoo().coords] = -1
    return classes


def couple_weights(classes: Array, weights: Array, owner: Array, partner: Array) -> Array:
    """Return the weight of each sample for each label and its partner."""
    label_weights = weights[owner]
    pair_weights = np.minimum(label_weights, weights[partner])
    depends_on_label = (classes == LABEL) | (partner < 0)[:, None]
    return np.where(depends_on_label, label_weights, pair_weights)
