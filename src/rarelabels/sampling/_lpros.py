"""LPROS and LPRUS: repeat samples of rare labelsets, remove samples of frequent ones."""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array
from rarelabels._equal_rows import equal_row_groups
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import samples_to_add, samples_to_remove, warn
from rarelabels.base import Resample
from rarelabels.sampling._label_groups import LabelsOnlySampler


@shared_parameters
class LPROS(LabelsOnlySampler):
    """Label powerset random oversampling: clone random samples of the minority labelsets.

    Each distinct labelset is treated as a class. Labelsets with fewer samples than the mean are
    filled up to the mean in equal shares. A labelset that needs less than its share leaves the rest
    to the rarer ones. The features are not used, so they may be of any type.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.1
        How many samples to add: a fraction of the samples (float) or a number (int).
    {random_state}
    {n_jobs, ignored}
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label, which is counted as absent. If False, NaN in y is
        an error.

    Attributes
    ----------
    {sample_indices_, then clones}
    {is_synthetic_, not clones}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    LPRUS : The counterpart that removes samples.
    MLROS : The same idea on single labels.

    Notes
    -----
    Shares are whole numbers. The remainder of the division goes to the rarest labelsets, with ties
    broken at random, and a labelset is filled until it is no longer below the mean, which need not
    be a whole number. In the paper, samples that remain to be added when every labelset has reached
    the mean are lost. Here they are drawn from all samples with equal probability, so that exactly
    the requested number of samples is added. If all labelsets are equally frequent (for example,
    all unique), all clones are drawn this way and a warning is raised. Samples without labels share
    the empty labelset, which is treated like any other.

    A rare labelset may consist of frequent labels, so MeanIR does not always fall. With a tenth of
    the samples it falls on *yeast*, *medical* and *bibtex*, and rises on *scene* from 1.25 to 1.34.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "A first approach to deal with imbalance in multi-label
    datasets", Hybrid Artificial Intelligent Systems, 2013.

    Examples
    --------
    >>> from rarelabels.sampling import LPROS
    >>> X = [["a"], ["b"], ["c"], ["d"], ["e"]]
    >>> y = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    >>> X_new, y_new = LPROS(sampling_ratio=1, random_state=0).fit_resample(X, y)
    >>> X_new, y_new[-1]
    ([['a'], ['b'], ['c'], ['d'], ['e'], ['e']], [0, 1])
    """

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_new = samples_to_add(self.sampling_ratio, X.n_samples)
        labelset = equal_row_groups(Y.positives)
        sizes = np.bincount(labelset)
        lacking = lacking_below_mean(sizes)
        if n_new and not lacking.any():
            warn(
                f"all {sizes.size} labelsets are equally frequent, so LPROS clones samples of "
                "all of them with equal probability; MLROS balances single labels instead."
            )
        shares = spread_evenly(n_new, lacking, rng)
        clones = draw_from_groups(labelset, shares, rng)
        anywhere = rng.integers(X.n_samples, size=n_new - clones.size)
        return Resample(kept=np.arange(X.n_samples), clones=np.concatenate([clones, anywhere]))


@shared_parameters
class LPRUS(LabelsOnlySampler):
    """Label powerset random undersampling: remove random samples of the majority labelsets.

    Each distinct labelset is treated as a class. Labelsets with more samples than the mean are
    reduced to the mean in equal shares. A labelset that can lose less than its share leaves the
    rest to the more frequent ones. The features are not used, so they may be of any type.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.1
        How many samples to remove: a fraction of the samples (float) or a number (int). Fewer are
        removed if all majority labelsets reach the mean first.
    {random_state}
    {n_jobs, ignored}
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label, which is counted as absent. If False, NaN in y is
        an error.

    Attributes
    ----------
    {sample_indices_, kept}
    {is_synthetic_, never}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    LPROS : The counterpart that clones samples.
    MLRUS : The same idea on single labels.

    Notes
    -----
    Shares are whole numbers. The remainder of the division is taken from the most frequent
    labelsets, with ties broken at random, and a labelset is reduced until it is no longer above the
    mean, which need not be a whole number. Each sample is removed at most once. No labelset loses
    its last sample. As in the paper, the method stops when no labelset is above the mean, even if
    fewer samples than requested have been removed. If no labelset is above the mean from the start
    (for example, if all are unique), a warning is raised. Samples without labels share the empty
    labelset, which is treated like any other.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "A first approach to deal with imbalance in multi-label
    datasets", Hybrid Artificial Intelligent Systems, 2013.

    Examples
    --------
    >>> from rarelabels.sampling import LPRUS
    >>> X = [["a"], ["b"], ["c"], ["d"], ["e"]]
    >>> y = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    >>> X_new, y_new = LPRUS(sampling_ratio=1, random_state=0).fit_resample(X, y)
    >>> X_new
    [['a'], ['b'], ['d'], ['e']]
    """

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_removed = samples_to_remove(self.sampling_ratio, X.n_samples)
        labelset = equal_row_groups(Y.positives)
        sizes = np.bincount(labelset)
        excess = excess_above_mean(sizes)
        if n_removed and not excess.any():
            warn(
                f"all {sizes.size} labelsets are equally frequent, so LPRUS removes nothing; MLRUS "
                "balances single labels instead."
            )
        shares = spread_evenly(n_removed, excess, rng)
        removed = choose_from_groups(labelset, shares, rng)
        return Resample(kept=np.delete(np.arange(X.n_samples), removed))


def lacking_below_mean(sizes: Array) -> Array:
    """Return how many samples each labelset must gain so that it is not below the mean size."""
    return np.maximum(-(-sizes.sum() // sizes.size) - sizes, 0)


def excess_above_mean(sizes: Array) -> Array:
    """Return how many samples each labelset must lose so that it is not above the mean size."""
    return np.maximum(sizes - sizes.sum() // sizes.size, 0)


def spread_evenly(amount: int, capacities: Array, rng: np.random.Generator) -> Array:
    """Spread an amount over groups in equal shares, at most the capacity of each group.

    The amount that a group cannot take, and the remainder of the division, go to the groups with
    more capacity.
    """
    shuffled = rng.permutation(capacities.size)
    order = shuffled[np.argsort(capacities[shuffled], kind="stable")]
    shares = []
    for n_left, capacity in zip(
        range(capacities.size, 0, -1), capacities[order].tolist(), strict=True
    ):
        shares.append(min(capacity, amount // n_left))
        amount -= shares[-1]
    spread = np.empty(capacities.size, dtype=np.intp)
    spread[order] = shares
    return spread


def draw_from_groups(group: Array, amounts: Array, rng: np.random.Generator) -> Array:
    """Draw the given number of samples of each group with replacement."""
    samples, sizes = np.argsort(group, kind="stable"), np.bincount(group)
    groups_drawn = np.repeat(np.arange(amounts.size), amounts)
    return samples[(np.cumsum(sizes) - sizes)[groups_drawn] + rng.integers(sizes[groups_drawn])]


def choose_from_groups(group: Array, amounts: Array, rng: np.random.Generator) -> Array:
    """Draw the given number of samples of each group without replacement."""
    shuffled = rng.permutation(group.size)
    samples, sizes = shuffled[np.argsort(group[shuffled], kind="stable")], np.bincount(group)
    place = np.arange(group.size) - (np.cumsum(sizes) - sizes)[group[samples]]
    return samples[place < amounts[group[samples]]]
