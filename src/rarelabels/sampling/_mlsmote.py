"""MLSMOTE: synthetic samples between samples that share a rare label."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features, check_in_memory
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import (
    check_not_found_before,
    feature_space,
    neighbors_in_groups,
)
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_n_neighbors, samples_to_add, warn
from rarelabels.base import BaseSampler, Resample
from rarelabels.sampling._amounts import in_proportion
from rarelabels.sampling._label_groups import carriers, label_groups
from rarelabels.sampling._mulan_mlsmote import MulanMLSMOTE
from rarelabels.sampling._smote import (
    RULES,
    neighborhood_samples,
    spread_over_places,
    stack_padded,
)
from rarelabels.sampling._value_difference import neighbors_by_value_difference

CATEGORY_DISTANCES = ("overlap", "vdm")


@shared_parameters
class MLSMOTE(BaseSampler):
    """Multi-label SMOTE: add synthetic samples between neighbors that share a minority label.

    Each sample that carries a minority label (IRLbl above the mean, MeanIR) gets a synthetic
    sample for this label. Its neighbors are searched among the samples that carry the label too.
    Every numeric feature lies between the sample and one random neighbor, and a categorical
    feature is the most frequent value of the neighbors. The labels are those that enough of the
    sample and its neighbors carry.

    Parameters
    ----------
    sampling_ratio : float, int or None, default=None
        Samples to add. None: one for each sample of each minority label. Otherwise a share of the
        samples (float) or their number (int), spread over the minority labels in proportion to the
        samples that carry them, and over these samples as evenly as can be.
    n_neighbors : int, default=5
        Number of neighbors of each sample, or all if there are fewer.
    label_generation : {"ranking", "majority", "union", "intersection"}, default="ranking"
        A synthetic sample gets the labels that at least half of the sample and its neighbors
        carry (ranking), that more than half of them carry (majority), that any of them carries
        (union), or that all of them carry (intersection).
    category_distance : {"overlap", "vdm"}, default="overlap"
        What two categories add to the squared distance: 1 if they differ (overlap), or their value
        difference metric for the label (vdm), as in the paper. See the notes.
    mulan_compatible : bool, default=False
        Whether to resample as Mulan's MLSMOTE does: the synthetic samples of one label are seeds
        and neighbors for the labels after it. See the notes.
    scale_features, categorical_features, metric, neighbors, n_jobs
        As in :func:`rarelabels.find_neighbors`. `neighbors` may be a search, but not the result
        of an earlier search, which has neighbors among all samples.
    {random_state}
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label, which is left out of counts and comparisons. A
        label is unknown in a synthetic sample only if it is unknown in the seed and in all its
        neighbors. If False, NaN in y is an error.

    Attributes
    ----------
    {sample_indices_, then synthetic}
    {is_synthetic_}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLSOL : Synthetic samples where labels are locally imbalanced.
    rhwrsmt : REMEDIAL, then MLSMOTE.

    Notes
    -----
    Features are rescaled once over all samples, not again for each label. A label with a single
    carrier gets no synthetic sample. If a label has at most `n_neighbors` carriers, all the others
    are neighbors of each. Synthetic samples are never seeds, unless `mulan_compatible` is set.
    Each carries the label that it was generated for, so none is without labels, and a sample with
    several minority labels is used once for each.

    The paper's text requires labels in half or more of the sample and its neighbors, and its
    pseudo-code in more than half; we follow the text. The most frequent value of a categorical
    feature is that of the neighbors alone, as in the paper, and the nearest one decides a tie.
    Each numeric feature has a separate random step, while some implementations draw one step for
    a sample.

    With ``category_distance="vdm"``, the categories a and b add
    ``|P(1|a) - P(1|b)| + |P(0|a) - P(0|b)|`` to the squared distance, where ``P(1|a)`` is the share
    of all samples with category a that have the label for which samples are made. A missing
    category is a category like any other. This is the metric of Stanfill and Waltz with the
    exponent 1 and without weights.

    With ``mulan_compatible=True``, everything that is not random is as in Mulan's class MLSMOTE.
    Labels are processed in their order, including those whose IRLbl equals the mean. Seeds and
    neighbors of a label are all samples that carry it so far, including synthetic ones, and
    features are rescaled over these samples. Samples that tie with the last neighbor are neighbors
    too. A category is the most frequent value of the sample and its neighbors, and the lowest
    decides a tie. Use it for comparisons only: the result depends on the order of the labels and
    can grow very large. More than 100 times the given samples are refused.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "MLSMOTE: Approaching imbalanced multilabel learning
    through synthetic instance generation", Knowledge-Based Systems 89, 2015.

    Stanfill and Waltz, "Toward memory-based reasoning", Communications of the ACM 29, 1986.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.sampling import MLSMOTE
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (X + rng.normal(size=(100, 2)) > 1.5).astype(int)
    >>> X_new, y_new = MLSMOTE(random_state=0).fit_resample(X, y)
    >>> X_new.shape, y.sum(axis=0), y_new.sum(axis=0)
    ((108, 2), array([ 8, 18]), array([16, 25]))
    """

    _takes_missing_values = True
    _works_on_blocks = True

    def __init__(
        self,
        *,
        sampling_ratio: float | None = None,
        n_neighbors: int = 5,
        label_generation: str = "ranking",
        category_distance: str = "overlap",
        mulan_compatible: bool = False,
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
        self.label_generation = label_generation
        self.category_distance = category_distance
        self.mulan_compatible = mulan_compatible
        self.scale_features = scale_features
        self.categorical_features = categorical_features
        self.metric = metric
        self.neighbors = neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        # A label may have fewer carriers than neighbors are requested, so any number is valid.
        n_neighbors = check_n_neighbors(self.n_neighbors, sys.maxsize)
        check_choices(self.label_generation, self.neighbors)
        self._check_category_distance(X)
        if self.mulan_compatible:
            check_in_memory(X, "mulan_compatible=True")
            mulan = MulanMLSMOTE(
                n_neighbors=n_neighbors,
                label_generation=self.label_generation,
                sampling_ratio=self.sampling_ratio,
                scale_features=self.scale_features,
                metric=self.metric,
                neighbors=self.neighbors,
                n_jobs=self.n_jobs,
            )
            return Resample(np.arange(X.n_samples), synthetic=mulan.samples(X, Y, rng))
        carried = samples_of_minority_labels(Y.positives)
        amounts = amounts_for_labels(self.sampling_ratio, list(carried.values()), X.n_samples)
        if not amounts.any():
            return Resample(kept=np.arange(X.n_samples))
        groups = {label: carried[label] for label, n in zip(carried, amounts, strict=True) if n}
        neighbors = self._neighbors_in_groups(X, Y, groups, n_neighbors)
        amounts = amounts[amounts > 0]
        seeds, hoods = [], []
        for samples, nearest, amount in zip(groups.values(), neighbors, amounts, strict=True):
            places = spread_over_places(samples.size, amount, rng)
            seeds.append(samples[places])
            hoods.append(nearest[places])
        synthetic = neighborhood_samples(
            X,
            Y,
            np.concatenate(seeds),
            stack_padded(hoods),
            self.label_generation,
            rng,
        )
        return Resample(kept=np.arange(X.n_samples), synthetic=synthetic)

    def _check_category_distance(self, X: Features) -> None:
        if self.category_distance not in CATEGORY_DISTANCES:
            raise ValueError(
                f"category_distance must be one of {', '.join(map(repr, CATEGORY_DISTANCES))}, "
                f"got {self.category_distance!r}."
            )
        if self.category_distance != "vdm":
            return
        check_in_memory(X, 'category_distance="vdm"')
        if self.mulan_compatible or self.metric != "euclidean":
            raise ValueError(
                'category_distance="vdm" needs mulan_compatible=False and metric="euclidean", got '
                f"mulan_compatible={self.mulan_compatible!r} and metric={self.metric!r}."
            )

    def _neighbors_in_groups(
        self, X: Features, Y: LabelMatrix, groups: dict[int, Array], n_neighbors: int
    ) -> list[Array]:
        """Return for each label the nearest of its samples for each of them."""
        if self.category_distance == "vdm":
            return neighbors_by_value_difference(
                X,
                Y,
                groups,
                n_neighbors,
                scale_features=self.scale_features,
                neighbors=self.neighbors,
                n_jobs=self.n_jobs,
            )
        space = feature_space(X, scale_features=self.scale_features, metric=self.metric)
        samples = list(groups.values())
        return neighbors_in_groups(space, samples, n_neighbors, self.neighbors, self.n_jobs)


def check_choices(label_generation: Any, neighbors: Any) -> None:
    """Check the rule for labels, and that no neighbors of all samples were given."""
    if label_generation not in RULES:
        raise ValueError(
            f"label_generation must be one of {', '.join(map(repr, RULES))}, "
            f"got {label_generation!r}."
        )
    check_not_found_before(neighbors, "MLSMOTE", "among the samples of one label at a time")


def samples_of_minority_labels(Y: sparse.csr_array) -> dict[int, Array]:
    """Return the samples of each minority label that at least two samples carry."""
    groups = carriers(Y, np.flatnonzero(label_groups(Y).is_minority))
    return {label: samples for label, samples in groups.items() if samples.size > 1}


def amounts_for_labels(sampling_ratio: Any, groups: list[Array], n_samples: int) -> Array:
    """Return how many samples are made for each label."""
    sizes = np.array([samples.size for samples in groups], dtype=np.intp)
    if sampling_ratio is None:
        return sizes
    n_new = samples_to_add(sampling_ratio, n_samples)
    if n_new and not groups:
        warn(
            "no minority label (IRLbl above the mean) has two samples or more: "
            "MLSMOTE adds nothing."
        )
    return in_proportion(n_new, sizes)
