"""MLRUS: remove samples of frequent labels at random."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._validation import samples_to_remove
from rarelabels.base import BaseSampler, Resample
from rarelabels.sampling._label_groups import carriers, label_groups, labels_held, turns


class MLRUS(BaseSampler):
    """Multi-label random undersampling: remove random samples of the majority labels.

    Majority labels are those whose IRLbl is below the mean, MeanIR. They take turns: a label whose
    IRLbl, without the samples removed so far, is no longer below the mean is out; any other loses
    one random sample that carries it. It ends with the samples asked for, or when no label is left.
    The features are never looked at, so they may be of any kind.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.1
        Samples to remove: a share of the samples (float) or their number (int). Fewer are removed
        when all majority labels have come down to the mean before, or no sample is left that may
        go.
    spare_minority : bool, default=False
        True draws the samples to remove from those that carry no minority label (IRLbl above the
        mean), all of them equally likely, instead of taking turns: samples without labels may go
        too, and no minority label loses a sample.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    n_jobs : int, default=None
        Without effect: there is nothing to run in parallel.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of the counts, or an error.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_samples_new,)
        The input samples that were kept, in their order.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        False throughout.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.

    See Also
    --------
    MLROS : Its twin, which clones samples.
    LPRUS : The same idea on whole labelsets.

    Notes
    -----
    The highest label count and MeanIR, against which a label's running count is held, stay those
    of the input. Each removal draws among the samples that are still there, so no sample is removed
    twice and a label that has run out of samples leaves. Turns are how Mulan reads the paper: a
    sample is removed for a majority label even where it carries a minority label too, and samples
    without labels are never removed. ``spare_minority=True`` is the rule of the R packages of the
    paper's authors.

    MeanIR need not fall: in turns, a middling label loses as many samples as the most frequent one,
    and rare labels lose samples too. With a tenth of the samples it falls on *scene* (1.25 to 1.05)
    but rises on *medical* (39.1 to 44.1 on average) and *bibtex* (12.5 to 12.8).

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "Addressing imbalance in multilabel classification:
    Measures and random resampling algorithms", Neurocomputing 163, 2015.

    Examples
    --------
    >>> from rarelabels.sampling import MLRUS
    >>> X = [["a"], ["b"], ["c"], ["d"], ["e"]]
    >>> y = [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1]]
    >>> X_new, y_new = MLRUS(sampling_ratio=4, random_state=0).fit_resample(X, y)
    >>> X_new, sum(first for first, _ in y_new)
    ([['d'], ['e']], 1)

    Three of the four asked for: 4 / 2 is below the mean of 4 / 4 and 4 / 1, 4 / 1 no longer.
    """

    _takes_missing_values = True
    _supports_dask = True

    def __init__(
        self,
        *,
        sampling_ratio: float = 0.1,
        spare_minority: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.sampling_ratio = sampling_ratio
        self.spare_minority = spare_minority
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_removed = samples_to_remove(self.sampling_ratio, X.n_samples)
        draw = removals_sparing_minority if self.spare_minority else majority_removals
        removed = draw(Y.positives, n_removed=n_removed, rng=rng)
        return Resample(kept=np.delete(np.arange(X.n_samples), removed))


def majority_removals(Y: sparse.csr_array, *, n_removed: int, rng: np.random.Generator) -> Array:
    """Draw samples to remove for the majority labels in turn, until none is a majority any more."""
    groups = label_groups(Y)
    majority = np.flatnonzero(groups.is_majority)
    # In a random order that is read once, the next sample still there is a fair draw of those left.
    orders = {
        label: iter(rng.permutation(samples)) for label, samples in carriers(Y, majority).items()
    }
    counts, top = groups.counts.tolist(), groups.counts.max()

    def has_turn(label: int) -> bool:
        return counts[label] > 0 and bool(top / counts[label] < groups.mean_ratio)

    removed: dict[int, None] = {}  # A set that keeps its order.
    for label in islice(turns(majority.tolist(), has_turn), n_removed):
        sample = int(next(sample for sample in orders[label] if sample not in removed))
        removed[sample] = None
        for held in Y.indices[Y.indptr[sample] : Y.indptr[sample + 1]].tolist():
            counts[held] -= 1
    return np.array(list(removed), dtype=np.intp)


def removals_sparing_minority(
    Y: sparse.csr_array, *, n_removed: int, rng: np.random.Generator
) -> Array:
    """Draw samples to remove, all equally likely, among those without minority labels."""
    may_go = np.flatnonzero(labels_held(Y, label_groups(Y).is_minority) == 0)
    return rng.permutation(may_go)[:n_removed]
