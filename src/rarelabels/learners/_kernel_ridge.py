"""Kernel ridge regression on all labels, tuned by exact leave-one-out scores."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from rarelabels._containers import Array
from rarelabels._features import Features, check_in_memory
from rarelabels._labels import Labels
from rarelabels._parameter_docs import shared_parameters
from rarelabels._validation import check_count, check_number, group_numbers
from rarelabels.decisions import check_rule, choose_thresholds
from rarelabels.learners._category_reader import CategoryReader
from rarelabels.learners._out_of_sample import OutOfSampleClassifier, label_position
from rarelabels.learners._ridge.calibration import PooledCalibration
from rarelabels.learners._ridge.kernels import Kernel, SampleTable, check_kernel, fitted_kernel
from rarelabels.learners._ridge.memory import check_exact_memory
from rarelabels.learners._ridge.parts import (
    EXACT_PENALTIES,
    PartScores,
    Problem,
    RidgePart,
    fit_kernel_part,
    fit_linear_part,
)
from rarelabels.learners._ridge.penalties import check_penalties
from rarelabels.learners._ridge.samples import training_samples
from rarelabels.learners._ridge.scalings import candidate_scalings
from rarelabels.learners._ridge.standardization import Standardization, blended
from rarelabels.learners._ridge.targets import Targets, pattern_cost, used_samples
from rarelabels.learners.known_labels import known_weights

# By default, landmarks are used for more samples than this.
EXACT_SAMPLES = 10_000
DEFAULT_LANDMARKS = 2_000
# By default, patterns of unknown labels are solved exactly if this takes at most a few minutes.
MOST_PATTERN_COST = 5e12


@shared_parameters
class KernelRidgeClassifier(OutOfSampleClassifier, CategoryReader):
    """Ridge regression on a kernel, fitted to all labels with one factorization.

    Leave-one-out scores are exact and cost almost nothing once the kernel matrix is factorized.
    They are used to choose the scaling of the features, the penalty of each label and the
    thresholds, so no positives of a rare label are lost to a validation fold. A linear part is
    added to the kernel part, and labels of similar frequency share penalties and thresholds.

    Parameters
    ----------
    kernel : "rbf" or callable, default="rbf"
        The kernel that compares samples. The width of the RBF kernel is computed from the median
        distance. A callable gets two dense arrays of scaled samples and returns their similarities,
        like the functions of ``sklearn.metrics.pairwise``.
    penalties : list of float, default=(0.3, 1, 3, 10, 30)
        Penalties of the kernel part to choose from.
    linear_share : float, default=0.3
        Weight of the linear part in the score, from 0 to 1.
    linear_penalties : list of float, default=(0.1, 1, 10, 100, 1000)
        Penalties of the linear part to choose from.
    scaling : {"auto", "unit", "standard", "rows"}, default="auto"
        "unit" rescales each column to [0, 1], "standard" to mean 0 and deviation 1, and "rows"
        gives each sample length 1, with counts as log(1 + x) and whole numbers weighted by inverse
        document frequency. "auto" compares the errors of "unit" and of "rows", if no value is
        negative and at least half are zero, or else "standard".
    threshold : str, rule or None, default="pooled_f1"
        The rule of :mod:`rarelabels.decisions` that chooses thresholds on leave-one-out scores. If
        None, a label is predicted if its probability is at least one half.
    n_landmarks : int, None or "auto", default="auto"
        If None, the solution is exact. If an int, samples are compared with this number of
        landmarks, which are drawn from the training samples; samples with rare labels are drawn
        more often. "auto" solves exactly for up to 10,000 samples, and uses 2,000 landmarks for
        more samples and for Dask collections.
    categorical_features
        As in :func:`rarelabels.find_neighbors`. Categories become indicators.
    allow_missing_labels : bool, default=False
        Whether y may hold NaN, None or NA for labels that are not known. Each label is fitted to
        the samples for which it is known; see the notes.
    {n_jobs}
    random_state : int, RandomState, Generator or None, default=None
        Seed for landmarks, and for the samples whose distances are compared when there are more
        than 2,000.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted if its `decision_function` is at least this.
    leave_one_out_scores_ : ndarray of float32 of shape (n_samples, n_labels)
        The scores of the training samples from models fitted to all other samples, on the scale of
        `decision_function`.
    scaling_, linear_scaling_ : str or None
        The scalings that were chosen for the two parts.
    penalties_, linear_penalties_ : ndarray of shape (n_labels,) or None
        The penalties that were chosen for each label.
    gamma_ : float or None
        The width parameter of the RBF kernel.
    n_landmarks_ : int or None
        Number of landmarks, None if the solution is exact.
    {classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_}

    See Also
    --------
    rarelabels.decisions.choose_thresholds : The rules for thresholds.

    Notes
    -----
    Exact solutions need memory for two float32 matrices of n_samples × n_samples, and one more for
    each further thread. For more than 1,000 samples, a pilot fit with 400 landmarks chooses the
    scaling and two penalties, and only these are solved exactly.

    X can be a Dask array or dataframe. Workers sum up the blocks that they hold, and the result
    equals that of one machine up to rounding errors. A fit reads X about twenty times, so call
    ``X.persist()`` first if the workers have enough memory. The labels and the leave-one-out scores
    are in the memory of the client. Predictions for Dask collections are Dask collections. Groups
    are only supported if X is in memory.

    The label means, the scaling and the width of the kernel are computed once from all samples, and
    not again for each leave-one-out score.

    A missing value is replaced by the mean of its column, and an indicator column says that it was
    missing. A category that was not seen at fit has no indicator.

    If labels are unknown, or if weights differ between labels, exact solutions need a system for
    each group of labels that are known for the same samples. If a label is unknown for few samples,
    its solution is computed from the inverse of the system of all samples. With 53 labels, a fit
    takes 2 times as long as with complete labels if 1 % of the entries are unknown at random, and 8
    times at 30 to 50 %. By default, landmarks are used if it would take more than a few minutes.
    With landmarks, and in the linear part, conjugate gradients solve the problem of each label, and
    leave-one-out scores are approximate: the leverage of a sample is computed as if its label were
    unknown at random. The leave-one-out score of an unknown label is its score.

    Probabilities are calibrated on leave-one-out scores. Labels of similar frequency share the
    logistic curves.

    References
    ----------
    R. Rifkin, R. Lippert. Notes on regularized least squares. MIT-CSAIL-TR-2007-025, 2007.

    C. Williams, M. Seeger. Using the Nyström method to speed up kernel machines. Advances in Neural
    Information Processing Systems 13, 2001, 682-688.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.learners import KernelRidgeClassifier
    >>> X, y = make_local_imbalance(300, n_labels=3, difficulty=0.3, random_state=0)
    >>> model = KernelRidgeClassifier(random_state=0).fit(X, y)
    >>> model.scaling_, model.leave_one_out_scores_.shape
    ('unit', (300, 3))
    """

    _least_samples = 1
    _works_on_blocks = True

    def __init__(
        self,
        *,
        kernel: str | Callable[[Array, Array], Array] = "rbf",
        penalties: Any = (0.3, 1, 3, 10, 30),
        linear_share: float = 0.3,
        linear_penalties: Any = (0.1, 1, 10, 100, 1000),
        scaling: str = "auto",
        threshold: Any = "pooled_f1",
        n_landmarks: int | str | None = "auto",
        categorical_features: Any = "auto",
        allow_missing_labels: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.penalties = penalties
        self.linear_share = linear_share
        self.linear_penalties = linear_penalties
        self.scaling = scaling
        self.threshold = threshold
        self.n_landmarks = n_landmarks
        self.categorical_features = categorical_features
        self.allow_missing_labels = allow_missing_labels
        self.n_jobs = n_jobs
        self.random_state = random_state

    @shared_parameters
    def decision_function(self, X: Any) -> Any:
        """Return the score of each label.

        Scores are comparable between labels: the leave-one-out scores of each part and label have
        mean 0 and standard deviation 1 before the parts are added.

        Parameters
        ----------
        {X, or a Dask collection}

        Returns
        -------
        ndarray or dataframe of floats of shape (n_samples, n_labels)
            The scores, which can be any finite numbers. For a Dask collection, a Dask array or
            dataframe.
        """
        check_is_fitted(self)
        return self._by_block(KernelRidgeClassifier._decision_scores, X, self._output.scores)

    @shared_parameters
    def _for_workers(self) -> Any:
        model = copy(self)
        # Workers do not need the attributes that are as large as the training data.
        del model.leave_one_out_scores_, model._positives, model._used_samples
        return model

    def _decision_scores(self, X: Any) -> Any:
        return self._output.scores(self._raw_scores(self._read(X, reset=False)), X)

    def similar_samples(self, X: Any, label: Any, *, n_samples: int = 3) -> tuple[Array, Array]:
        """Return the training samples with a label that contribute most to its score.

        A training sample contributes its similarity to the new sample, times its coefficient.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_queries, n_features)
            The features of some samples.
        label : int or str
            The label, given by its column index or its name.
        n_samples : int, default=3
            Number of training samples to return for each sample.

        Returns
        -------
        samples : ndarray of int of shape (n_queries, n_samples)
            Positions in the training data, sorted by decreasing contribution; -1 if fewer samples
            have the label. With landmarks, only landmarks are returned.
        contributions : ndarray of shape (n_queries, n_samples)
            Their contributions to the score of the kernel part, before it is standardized.
        """
        check_is_fitted(self)
        j, n_returned = label_position(self, label), check_count("n_samples", n_samples, 1)
        if "kernel" not in self._parts:
            raise ValueError(
                "similar_samples needs the kernel part, which does not exist with linear_share=1; "
                "use a smaller linear_share."
            )
        part = self._parts["kernel"]
        features = self._read(X, reset=False)
        check_in_memory(features, "similar_samples")
        columns = self._indicators.transform(features.numbers)
        anchors = self._used_samples[part.anchor_samples]
        has_label = np.isin(anchors, self._positives[j])
        contributions = part.contributions(columns, j)[:, has_label]
        order = np.argsort(-contributions, axis=1, kind="stable")[:, :n_returned]
        samples = np.full((len(contributions), n_returned), -1)
        amounts = np.zeros(samples.shape)
        samples[:, : order.shape[1]] = anchors[has_label][order]
        amounts[:, : order.shape[1]] = np.take_along_axis(contributions, order, axis=1)
        return samples, amounts

    @shared_parameters
    def part_scores(self, X: Any) -> dict[str, Array]:
        """Return the contribution of each part to the score of each label.

        Parameters
        ----------
        {X}

        Returns
        -------
        dict of str to ndarray of shape (n_samples, n_labels)
            The contributions of the parts ``"kernel"`` and ``"linear"``, if they are used. Their
            sum is `decision_function`.
        """
        check_is_fitted(self)
        return self._part_scores(self._read(X, reset=False))

    def _fit(
        self,
        X: Features,
        labels: Labels,
        rng: np.random.Generator,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> None:
        penalties = check_penalties("penalties", self.penalties)
        linear_penalties = check_penalties("linear_penalties", self.linear_penalties)
        self._check_parameters()
        Y, weights = labels.matrix, known_weights(labels.values, sample_weight)
        used = used_samples(weights, X.n_samples)
        numbers = self._group_numbers(X, groups)
        if numbers is not None:
            # Samples are sorted so that those of a group are consecutive.
            used = used[np.argsort(numbers[used], kind="stable")]
            numbers = numbers[used]
        targets = Targets.of(Y[used], None if weights is None else weights[used], numbers)
        n_landmarks = self._landmarks_for(X, targets)
        samples = training_samples(X, used)
        self._indicators, self._used_samples = samples.indicators, used
        by_label = Y.tocsc()
        self._positives = np.split(by_label.indices, by_label.indptr[1:-1])
        problem = Problem(
            samples=samples,
            targets=targets,
            scalings=candidate_scalings(self.scaling, samples.columns),
            penalties=penalties,
            n_landmarks=n_landmarks,
            n_jobs=self.n_jobs,
        )
        with threadpool_limits(limits=1, user_api="blas"):
            scores = self._fit_parts(problem, linear_penalties, rng)
        counted = targets.weights if targets.table is None else targets.table
        self._calibration = PooledCalibration.fit(targets.Y, scores, counted)
        self.thresholds_ = self._thresholds(targets, scores)
        self.leave_one_out_scores_ = scores.astype(np.float32, copy=False)
        if targets.n_samples < Y.shape[0]:
            self.leave_one_out_scores_ = self._raw_scores(X).astype(np.float32)
            self.leave_one_out_scores_[used] = scores
        elif numbers is not None:
            self.leave_one_out_scores_ = np.empty_like(self.leave_one_out_scores_)
            self.leave_one_out_scores_[used] = scores

    def _group_numbers(self, X: Features, groups: Any) -> Array | None:
        """Check the groups and return their numbers, or None without groups."""
        if groups is None:
            return None
        if X.backend is not None:
            raise ValueError(
                f"groups need X in memory, but X is a {X.backend.name} collection; call "
                "X.compute() first, or fit without groups."
            )
        return group_numbers(groups, X.n_samples, at_least=2)

    def _check_parameters(self) -> None:
        check_kernel(self.kernel)
        if not 0 <= check_number("linear_share", self.linear_share) <= 1:
            raise ValueError(f"linear_share must be from 0 to 1, got {self.linear_share!r}.")
        if self.threshold is not None:
            check_rule(self.threshold)

    def _landmarks_for(self, X: Features, targets: Targets) -> int | None:
        """Return the number of landmarks, or None for exact solutions."""
        n_samples, n_labels = targets.Y.shape
        n_landmarks = self.n_landmarks
        if isinstance(n_landmarks, str) and n_landmarks != "auto":
            raise ValueError(f'n_landmarks must be an int, None or "auto", got {n_landmarks!r}.')
        if n_landmarks == "auto":
            needs_landmarks = n_samples > EXACT_SAMPLES or X.backend is not None
            needs_landmarks = needs_landmarks or pattern_cost(targets) > MOST_PATTERN_COST
            n_landmarks = DEFAULT_LANDMARKS if needs_landmarks else None
        if n_landmarks is None:
            if X.backend is not None:
                raise ValueError(
                    "n_landmarks=None solves exactly, which needs X in memory, but X is a "
                    f'{X.backend.name} collection; use n_landmarks="auto" or a number.'
                )
            n_at_once = min(effective_n_jobs(self.n_jobs), EXACT_PENALTIES)
            check_exact_memory(n_samples, n_labels, n_at_once, DEFAULT_LANDMARKS)
            return None
        return min(check_count("n_landmarks", n_landmarks, 1), n_samples)

    def _fit_parts(
        self, problem: Problem, linear_penalties: Array, rng: np.random.Generator
    ) -> Array:
        """Fit the parts, and return the leave-one-out scores of their weighted sum."""

        def make_kernel(points: SampleTable) -> Kernel:
            return fitted_kernel(self.kernel, points, rng)

        fits = {}
        if self.linear_share < 1:
            fits["kernel"] = fit_kernel_part(problem, make_kernel, rng, fit_intercept=False)
        if self.linear_share > 0:
            linear = replace(problem, penalties=linear_penalties)
            fits["linear"] = fit_linear_part(linear, rng)
        self._parts = {name: fit.part for name, fit in fits.items()}
        self.n_landmarks_ = problem.n_landmarks
        self.scaling_, self.penalties_ = _choices(self._parts.get("kernel"))
        self.linear_scaling_, self.linear_penalties_ = _choices(self._parts.get("linear"))
        kernel = self._parts["kernel"].kernel if "kernel" in self._parts else None
        self.gamma_ = getattr(kernel, "gamma", None)
        scores = [fit.leave_one_out for fit in fits.values()]
        self._standardizations = [Standardization.fit(table) for table in scores]
        return blended(scores, self._shares, self._standardizations)

    @property
    def _shares(self) -> list[float]:
        """The weights of the parts that are used."""
        return [1 - self.linear_share, self.linear_share] if len(self._parts) == 2 else [1.0]

    def _thresholds(self, targets: Targets, scores: Array) -> Array:
        if self.threshold is None:
            return self._calibration.scores_at_one_half()
        return choose_thresholds(
            targets.Y, scores, self.threshold, weights=targets.entry_weights, known=targets.known
        )

    def _raw_scores(self, X: Features) -> Array:
        return np.sum([*self._part_scores(X).values()], axis=0)

    def _part_scores(self, X: Features) -> dict[str, Array]:
        function = PartScores(self._indicators, self._parts, self._shares, self._standardizations)
        lengths = np.diff(X.block_edges)
        with threadpool_limits(limits=1, user_api="blas"):
            blocks = X.map_blocks(function, dict.fromkeys(np.flatnonzero(lengths).tolist(), ()))
        if len(blocks) == 1:
            return dict(blocks[0])
        return {name: np.concatenate([scores[name] for scores in blocks]) for name in self._parts}

    def _scores(self, X: Features) -> Array:
        return self._scores_and_decisions(X)[0]

    def _scores_and_decisions(self, X: Features) -> tuple[Array, Array]:
        scores = self._raw_scores(X)
        return self._calibration.probabilities(scores), self._decide(scores)

    def _decide(self, scores: Array) -> Array:
        if self.threshold is None:
            return scores >= self.thresholds_
        return check_rule(self.threshold).decide(scores, self.thresholds_)


def _choices(part: RidgePart | None) -> tuple[str | None, Array | None]:
    return (None, None) if part is None else (part.scaling.name, part.penalties)
