"""REMEDIAL: separate frequent from rare labels where one sample carries both."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._local import row_numbers
from rarelabels.base import BaseSampler, Resample
from rarelabels.measures.concurrence import scumble_of_samples
from rarelabels.sampling._label_groups import label_groups, labels_held
from rarelabels.sampling._labelsets import with_entries

# A mean of equal values may come out a last bit below them.
ROUNDING = 1e-12


class REMEDIAL(BaseSampler):
    """Resampling by decoupling highly imbalanced labels.

    A sample with SCUMBLE above the mean carries labels of very different frequency. It is split
    in two samples with the same features: the one in its place keeps the minority labels, those
    whose IRLbl is above the mean, and a clone behind all samples takes the others. Nothing is
    random, and each label keeps its count. The features are not used, so they may be of any kind.

    Parameters
    ----------
    skip_one_sided : bool, default=False
        Whether to leave a sample whole whose labels are all minority labels, or none of them,
        however high its SCUMBLE. False splits it like any other, and one of the two samples is
        left without labels, as in the paper and its implementations.
    random_state : int, RandomState, Generator or None, default=None
        Without effect: nothing is drawn at random.
    n_jobs : int, default=None
        Without effect: there is nothing to run in parallel.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of the counts and unknown in
        both halves, or an error.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_samples_new,)
        The input sample that each sample is; first all of them in their order, then the clones.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        False throughout: a clone is not synthetic.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.

    See Also
    --------
    rhwrsmt : REMEDIAL, then MLSMOTE.
    rarelabels.measures.scumble : What it lowers.

    Notes
    -----
    The two samples of a split have the same features and different labels, which is hard on
    classifiers that go by distance.

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
    _supports_dask = True

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
        leaves = is_split[row_numbers(positives)] & ~is_minority[positives.indices]
        clones = np.flatnonzero(is_split)
        in_place = LabelMatrix(with_entries(positives, ~leaves), Y.unknown)
        others = LabelMatrix(with_entries(positives, leaves), Y.unknown)
        labels = in_place.stack(others.take(clones))
        return Resample(kept=np.arange(X.n_samples), clones=clones, labels=labels)


def is_highly_concurrent(Y: sparse.csr_array) -> Array:
    """Return the mask of the samples whose SCUMBLE is above the mean."""
    concurrence = scumble_of_samples(Y, label_groups(Y).ratios)
    return concurrence > concurrence.mean() + ROUNDING


def is_one_sided(Y: sparse.csr_array, is_minority: Array) -> Array:
    """Return the mask of the samples with minority labels alone, or with none of them."""
    n_minority = labels_held(Y, is_minority)
    return (n_minority == 0) | (n_minority == np.diff(Y.indptr))
