"""LPROS and LPRUS: repeat samples of rare labelsets, remove samples of frequent ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._validation import samples_to_add, samples_to_remove, warn
from rarelabels.base import BaseSampler, Resample
from rarelabels.sampling._labelsets import labelset_numbers


class LPROS(BaseSampler):
    """Label powerset random oversampling: clone random samples of the minority labelsets.

    Each distinct labelset is a class of its own. Those with fewer samples than the mean are filled
    up, in equal shares, as far as the mean; a labelset that needs less than its share leaves the
    rest to the rarer ones. The features are never looked at, so they may be of any kind.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.1
        Samples to add: a share of the samples (float) or their number (int).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    n_jobs : int, default=None
        Without effect: there is nothing to run in parallel.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, counted as absent, or an error.

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
    LPRUS : Its twin, which removes samples.
    MLROS : The same idea on single labels.

    Notes
    -----
    Shares are whole samples: what division leaves over goes to the rarest labelsets, chance
    deciding between equals, and a labelset is filled until it is no longer below the mean, which
    need not be whole. The paper loses what is left when every labelset has come up to the mean;
    here it is spread over all labelsets by their frequency, that is over all samples alike, so that
    as many samples are added as were asked for. Where no labelset is rarer than another (all of
    them unique, for instance) this is all that happens, and a warning says so. Samples without
    labels share the empty labelset, which is one like any other.

    A rare labelset may be made of frequent labels, so MeanIR need not fall: with a tenth of the
    samples it falls on *yeast*, *medical* and *bibtex*, and rises on *scene* from 1.25 to 1.34.

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

    _takes_missing_values = True

    def __init__(
        self,
        *,
        sampling_ratio: float = 0.1,
        random_state: Any = None,
        n_jobs: int | None = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.sampling_ratio = sampling_ratio
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_new, labelset = (
            samples_to_add(self.sampling_ratio, X.n_samples),
            labelset_numbers(Y.positives),
        )
        sizes = np.bincount(labelset)
        room = room_below_mean(sizes)
        if n_new and not room.any():
            warn(
                f"all {sizes.size} labelsets are equally frequent, so LPROS clones samples of "
                "all of them alike; MLROS looks at single labels."
            )
        shares = spread_evenly(n_new, room, rng)
        clones = draw_from_groups(labelset, shares, rng)
        anywhere = rng.integers(X.n_samples, size=n_new - clones.size)
        return Resample(kept=np.arange(X.n_samples), clones=np.concatenate([clones, anywhere]))


class LPRUS(BaseSampler):
    """Label powerset random undersampling: remove random samples of the majority labelsets.

    Each distinct labelset is a class of its own. Those with more samples than the mean are cut
    down, in equal shares, as far as the mean; a labelset that has less to give than its share
    leaves the rest to the more frequent ones. The features are never looked at, so they may be of
    any kind.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.1
        Samples to remove: a share of the samples (float) or their number (int). Fewer are removed
        when all majority labelsets have come down to the mean before.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    n_jobs : int, default=None
        Without effect: there is nothing to run in parallel.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, counted as absent, or an error.

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
    LPROS : Its twin, which clones samples.
    MLRUS : The same idea on single labels.

    Notes
    -----
    Shares are whole samples: what division leaves over is taken from the most frequent labelsets,
    chance deciding between equals, and a labelset is cut until it is no longer above the mean,
    which need not be whole. Each sample is removed once at most. No labelset loses its last sample.
    As in the paper it ends, with fewer samples than asked for, when no labelset is above the mean;
    a warning says so where none was from the start (all of them unique, for instance). Samples
    without labels share the empty labelset, which is one like any other.

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

    _takes_missing_values = True

    def __init__(
        self,
        *,
        sampling_ratio: float = 0.1,
        random_state: Any = None,
        n_jobs: int | None = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.sampling_ratio = sampling_ratio
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_removed, labelset = (
            samples_to_remove(self.sampling_ratio, X.n_samples),
            labelset_numbers(Y.positives),
        )
        sizes = np.bincount(labelset)
        room = room_above_mean(sizes)
        if n_removed and not room.any():
            warn(
                f"all {sizes.size} labelsets are equally frequent, so LPRUS removes nothing; MLRUS "
                "looks at single labels."
            )
        shares = spread_evenly(n_removed, room, rng)
        removed = choose_from_groups(labelset, shares, rng)
        return Resample(kept=np.delete(np.arange(X.n_samples), removed))


def room_below_mean(sizes: Array) -> Array:
    """Return how many samples each labelset must gain to be no longer below the mean size."""
    return np.maximum(-(-sizes.sum() // sizes.size) - sizes, 0)


def room_above_mean(sizes: Array) -> Array:
    """Return how many samples each labelset must lose to be no longer above the mean size."""
    return np.maximum(sizes - sizes.sum() // sizes.size, 0)


def spread_evenly(amount: int, room: Array, rng: np.random.Generator) -> Array:
    """Spread an amount over groups in equal shares, to none more than it has room for.

    What a group cannot take, and what division leaves over, goes to those with more room.
    """
    shuffled = rng.permutation(room.size)
    order = shuffled[np.argsort(room[shuffled], kind="stable")]
    shares = []
    for n_left, space in zip(range(room.size, 0, -1), room[order].tolist(), strict=True):
        shares.append(min(space, amount // n_left))
        amount -= shares[-1]
    spread = np.empty(room.size, dtype=np.intp)
    spread[order] = shares
    return spread


def draw_from_groups(group: Array, amounts: Array, rng: np.random.Generator) -> Array:
    """Draw so many samples of each group, with replacement."""
    samples, sizes = np.argsort(group, kind="stable"), np.bincount(group)
    drawn = np.repeat(np.arange(amounts.size), amounts)
    return samples[(np.cumsum(sizes) - sizes)[drawn] + rng.integers(sizes[drawn])]


def choose_from_groups(group: Array, amounts: Array, rng: np.random.Generator) -> Array:
    """Draw so many samples of each group, without replacement."""
    shuffled = rng.permutation(group.size)
    samples, sizes = shuffled[np.argsort(group[shuffled], kind="stable")], np.bincount(group)
    place = np.arange(group.size) - (np.cumsum(sizes) - sizes)[group[samples]]
    return samples[place < amounts[group[samples]]]
