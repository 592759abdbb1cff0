"""REMEDIAL: separate frequent from rare labels in samples that carry both."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import row_numbers
from rarelabels._parameter_docs import shared_parameters
from rarelabels.base import BaseSampler, Resample
from rarelabels.measures.concurrence import scumble_of_samples
from rarelabels.sampling._label_groups import count_labels, label_groups
from rarelabels.sampling._labelsets import with_entries

# The mean of equal values may be smaller than them by the last bit.
ROUNDING = 1e-12


@shared_parameters
class REMEDIAL(BaseSampler):
    """Resampling by decoupling highly imbalanced labels.

    A sample with SCUMBLE above the mean carries labels of very different frequency. It is split
    into two samples with the same features. The first replaces the original and keeps the minority
    labels, whose IRLbl is above the mean. The second is a clone, added after all samples, with the
    other labels. The method is deterministic and does not change label counts. The features are not
    used, so they may be of any type.

    Parameters
    ----------
    skip_one_sided : bool, default=False
        Whether to leave samples unchanged that carry only minority labels, or none, even if their
        SCUMBLE is above the mean. If False, they are split too, and one of the two samples has no
        labels, as in the paper and its implementations.
    {random_state, ignored}
    {n_jobs, ignored}
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label, which is left out of the counts and remains unknown
        in both samples of a split. If False, NaN in y is an error.

    Attributes
    ----------
    {sample_indices_, then clones}
    {is_synthetic_, not clones}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    rhwrsmt : REMEDIAL, then MLSMOTE.
    rarelabels.measures.scumble : The measure that REMEDIAL lowers.

    Notes
    -----
    The two samples of a split have the same features and different labels, which is difficult for
    classifiers that use distances.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "Dealing with difficult minority labels in imbalanced
    mutilabel data sets", Neurocomputing 326-327, 2019.

    Examples
    --------
    >>> from rarelabels.sampling import REMEDIAL
    >>> X = [["a"], ["b"], ["c"], ["d"]]
    >>> y = [[1, 0], [1, 0], [1, 1], [0, 0]]
    >>> X_new, y_new = REMEDIAL().fit_resample(X, y)
    >>> X_new
    [['a'], ['b'], ['c'], ['d'], ['c']]
    >>> y_new
    [[1, 0], [1, 0], [0, 1], [0, 0], [1, 0]]
    """

    _takes_missing_values = True
    _works_on_blocks = True

    def __init__(
        self,
        *,
        skip_one_sided: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.skip_one_sided = skip_one_sided
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        positives = Y.positives
        is_minority = label_groups(positives).is_minority
        is_split = is_highly_concurrent(positives)
        if self.skip_one_sided:
            is_split &= ~is_one_sided(positives, is_minority)
        moves_to_clone = is_split[row_numbers(positives)] & ~is_minority[positives.indices]
        clones = np.flatnonzero(is_split)
        in_place = LabelMatrix(with_entries(positives, ~moves_to_clone), Y.unknown)
        others = LabelMatrix(with_entries(positives, moves_to_clone), Y.unknown)
        labels = in_place.stack(others.take(clones))
        return Resample(kept=np.arange(X.n_samples), clones=clones, labels=labels)


def is_highly_concurrent(Y: sparse.csr_array) -> Array:
    """Return the mask of the samples whose SCUMBLE is above the mean."""
    concurrence = scumble_of_samples(Y, label_groups(Y).ratios)
    return concurrence > concurrence.mean() + ROUNDING


def is_one_sided(Y: sparse.csr_array, is_minority: Array) -> Array:
    """Return the mask of the samples with only minority labels, or without any."""
    n_minority = count_labels(Y, is_minority)
    return (n_minority == 0) | (n_minority == np.diff(Y.indptr))
