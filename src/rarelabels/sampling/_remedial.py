"""REMEDIAL: part frequent from rare labels where they share a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._local import row_numbers, unknown_cells
from rarelabels._validation import Features, label_matrix
from rarelabels.base import BaseSampler, Resample
from rarelabels.measures._scumble import scumble_of_rows
from rarelabels.sampling._label_groups import label_groups, labels_held
from rarelabels.sampling._labelsets import with_entries

# A mean of equal values may come out a last bit below them.
ROUNDING = 1e-12


class REMEDIAL(BaseSampler):
    """Resampling by decoupling highly imbalanced labels.

    A row with SCUMBLE above the mean carries labels of very different frequency. It is split in
    two of the same features: the row in its place keeps the minority labels, those whose IRLbl is
    above the mean, and a clone behind all rows takes the others. Nothing is random, and each label
    keeps its count. The features are never looked at, so they may be of any kind.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        Without effect: there is no chance in it.
    n_jobs : int, default=None
        Without effect: there is nothing to run in parallel.
    allow_missing_labels : bool, default=False
        Whether NaN in y is a label that is not known, left out of the counts and unknown in
        both halves, or an error.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_samples_new,)
        The input row that each row is; first all of them in their order, then the clones.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        False throughout: a clone is not made up.
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
    A row whose labels are all on one side of the mean is left as it is, however high its SCUMBLE:
    the paper would put an unlabelled clone beside it. Both copies of a split row have the same
    features and different labels, which is hard on learners that go by distance.

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

    def __init__(
        self,
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        allow_missing_labels: bool = False,
    ) -> None:
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X: Features, Y: sparse.csr_array, rng: np.random.Generator) -> Resample:
        is_split, is_minority = rows_to_split(Y)
        leaves = is_split[row_numbers(Y)] & ~is_minority[Y.indices]
        clones = np.flatnonzero(is_split)
        parts = [with_entries(Y, ~leaves), with_entries(Y, leaves)[clones]]
        labels = label_matrix(sparse.vstack(parts, format="csr"))
        if (unknown := unknown_cells(Y)) is not None:
            labels.unknown = sparse.vstack([unknown, unknown[clones]], format="csr")
        return Resample(kept=np.arange(X.n_samples), clones=clones, labels=labels)


def rows_to_split(Y: sparse.csr_array) -> tuple[Array, Array]:
    """Tell the rows that are split, and the labels that the row in its place keeps."""
    groups = label_groups(Y)
    concurrence = scumble_of_rows(Y, groups.ratios)
    n_held, n_minority = np.diff(Y.indptr), labels_held(Y, groups.is_minority)
    is_mixed = (n_minority > 0) & (n_minority < n_held)
    return is_mixed & (concurrence > concurrence.mean() + ROUNDING), groups.is_minority
