"""MLROS: clone random samples of rare labels."""

from __future__ import annotations

from itertools import islice

import numpy as np
from scipy import sparse

from rarelabels._containers import Array
from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import samples_to_add
from rarelabels.base import Resample
from rarelabels.sampling._label_groups import LabelsOnlySampler, carriers, label_groups, turns


@shared_parameters
class MLROS(LabelsOnlySampler):
    """Multi-label random oversampling: clone random samples of the minority labels.

    Minority labels are those whose IRLbl is above the mean, MeanIR. They take turns: in each turn,
    one random sample that carries the label is cloned. A label drops out once its IRLbl, including
    the clones made so far, is no longer above the mean. The method stops when enough samples have
    been added or no label is left. The features are not used, so they may be of any type.

    Parameters
    ----------
    sampling_ratio : float or int, default=0.1
        How many samples to add: a fraction of the samples (float) or a number (int). Fewer are
        added if all minority labels reach the mean first.
    {random_state}
    {n_jobs, ignored}
    allow_missing_labels : bool, default=False
        Whether NaN in y marks an unknown label, which is left out of the counts and remains unknown
        in clones. If False, NaN in y is an error.

    Attributes
    ----------
    {sample_indices_, then clones}
    {is_synthetic_, not clones}
    {n_features_in_, n_labels_in_, feature_names_in_}

    See Also
    --------
    MLRUS : The counterpart that removes samples.
    LPROS : The same idea on whole labelsets.

    Notes
    -----
    The running count of a label is compared with the highest label count and MeanIR of the input.
    A clone counts for every label that it carries, so a label may drop out before it has had a
    turn. A label with a single positive has that sample cloned repeatedly. A label without
    positives has no turns, and samples without labels are never cloned. Some implementations draw
    all clones of a label from a list without updating the counts, and add too many.

    References
    ----------
    Charte, Rivera, del Jesus and Herrera, "Addressing imbalance in multilabel classification:
    Measures and random resampling algorithms", Neurocomputing 163, 2015.

    Examples
    --------
    >>> from rarelabels.sampling import MLROS
    >>> X = [["a"], ["b"], ["c"], ["d"], ["e"]]
    >>> y = [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1]]
    >>> X_new, y_new = MLROS(sampling_ratio=3, random_state=0).fit_resample(X, y)
    >>> X_new
    [['a'], ['b'], ['c'], ['d'], ['e'], ['e']]

    One clone of three is enough: 4 / 2 is below the mean of 4 / 4 and 4 / 1.
    """

    _works_on_blocks = True

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        n_clones = samples_to_add(self.sampling_ratio, X.n_samples)
        return Resample(
            kept=np.arange(X.n_samples),
            clones=minority_clones(Y.positives, n_clones=n_clones, rng=rng),
        )


def minority_clones(Y: sparse.csr_array, *, n_clones: int, rng: np.random.Generator) -> Array:
    """Draw samples to clone for the minority labels in turn, until no minority label is left."""
    groups = label_groups(Y)
    minority = np.flatnonzero(groups.is_minority)
    samples_of, counts, top = carriers(Y, minority), groups.counts.tolist(), groups.counts.max()

    def has_turn(label: int) -> bool:
        return bool(top / counts[label] > groups.mean_ratio)

    clones = []
    for label in islice(turns(minority.tolist(), has_turn), n_clones):
        sample = samples_of[label][rng.integers(samples_of[label].size)]
        clones.append(sample)
        for carried in Y.indices[Y.indptr[sample] : Y.indptr[sample + 1]].tolist():
            counts[carried] += 1
    return np.array(clones, dtype=np.intp)
