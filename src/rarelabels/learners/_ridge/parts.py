"""The parts of the model: ridge regression on a kernel, with a chosen scaling and penalties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from rarelabels._containers import Array, Matrix, dense
from rarelabels._features import Features
from rarelabels._registry import part_of_models
from rarelabels.learners._ridge.exact import dual_fit, pattern_fit
from rarelabels.learners._ridge.indicators import IndicatorColumns
from rarelabels.learners._ridge.kernels import (
    Kernel,
    LinearKernel,
    SampleTable,
    ScaledSamples,
    kernel_matrix,
    kernel_products,
    row_blocks,
)
from rarelabels.learners._ridge.landmarks import LandmarkFeatures, draw_landmarks
from rarelabels.learners._ridge.partly_known import fit_path
from rarelabels.learners._ridge.penalties import (
    best_few,
    best_penalties,
    relative_errors,
    squared_errors,
)
from rarelabels.learners._ridge.primal import PrimalPath
from rarelabels.learners._ridge.samples import ScaledTable, TrainingSamples
from rarelabels.learners._ridge.scalings import FeatureScaling
from rarelabels.learners._ridge.standardization import Standardization
from rarelabels.learners._ridge.targets import Targets

# Up to this many samples, every penalty is solved exactly with every scaling.
SMALL = 1000
# Number of landmarks of the pilot fits, which choose the scaling and penalties for more samples.
PILOT_LANDMARKS = 400
# Number of training samples on which the errors of penalties are compared.
COMPARED_SAMPLES = 20_000
# Number of penalties that are solved exactly for more than SMALL samples.
EXACT_PENALTIES = 2


@part_of_models
@dataclass(frozen=True)
class RidgePart:
    """A fitted ridge regression on one kernel.

    Attributes
    ----------
    scaling : FeatureScaling
        The scaling that was chosen.
    is_sparse : bool
        Whether the training samples were sparse; new samples are then made sparse as well.
    anchors : ScaledSamples or None
        The training samples or landmarks that new samples are compared with. None if the
        coefficients are those of the features.
    anchor_samples : (n_anchors,) ndarray of int or None
        The positions of the anchors among the training samples.
    kernel : callable or None
        The kernel that compares samples with the anchors.
    coefficients : ndarray of shape (n_anchors or n_features, n_labels)
        The coefficients.
    intercept : (n_labels,) ndarray
        The constant that is added to the score of each label.
    penalties : (n_labels,) ndarray
        The penalty of each label.
    """

    scaling: FeatureScaling
    is_sparse: bool
    anchors: ScaledSamples | None
    anchor_samples: Array | None
    kernel: Kernel | None
    coefficients: Array
    intercept: Array
    penalties: Array

    def scores(self, X: Matrix) -> Array:
        """Return the scores of new samples, given their unscaled features."""
        scores = np.empty((X.shape[0], self.intercept.size))
        for rows in row_blocks(X.shape[0], X.shape[1]):
            points = self._scaled(X[rows])
            if self.anchors is None or self.kernel is None:
                products = np.asarray(points.matrix @ self.coefficients)
            else:
                products = kernel_products(self.kernel, points, self.anchors, self.coefficients)
            scores[rows] = products + self.intercept
        return scores

    def contributions(self, X: Matrix, label: int) -> Array:
        """Return the contribution of anchors to the score of a label, (n_samples, n_anchors)."""
        if self.anchors is None or self.kernel is None:
            raise ValueError("a part without anchors has no contributions of training samples.")
        weights = self.coefficients[:, label]
        parts = [
            kernel_matrix(self.kernel, self._scaled(X[rows]), self.anchors) * weights
            for rows in row_blocks(X.shape[0], max(X.shape[1], weights.size))
        ]
        return np.concatenate(parts)

    def _scaled(self, X: Matrix) -> ScaledSamples:
        block = sparse.csr_array(X) if self.is_sparse else dense(X)
        return ScaledSamples.of(self.scaling.transform(block), self.coefficients.dtype)


@dataclass(frozen=True)
class PartScores:
    """Computes the contribution of each part to the scores of samples."""

    indicators: IndicatorColumns
    parts: dict[str, RidgePart]
    shares: list[float]
    standardizations: list[Standardization]

    def __call__(self, X: Features) -> dict[str, Array]:
        """Return scores of shape (n_samples, n_labels) for each part."""
        columns = self.indicators.transform(X.numbers)
        parts = zip(self.parts.items(), self.shares, self.standardizations, strict=True)
        return {
            name: share * standardization.of(part.scores(columns))
            for (name, part), share, standardization in parts
        }


@dataclass(frozen=True)
class PartFit:
    """A fitted part with its leave-one-out error and scores.

    Attributes
    ----------
    part : RidgePart
        The part.
    error : float
        The mean relative leave-one-out error of the penalty that is best for all labels.
    leave_one_out : (n_samples, n_labels) ndarray
        The leave-one-out scores of the training samples.
    """

    part: RidgePart
    error: float
    leave_one_out: Array


@dataclass(frozen=True)
class Problem:
    """The data that a part is fitted to, and the options to choose from.

    Attributes
    ----------
    samples : TrainingSamples
        The training samples.
    targets : Targets
        The labels.
    scalings : list of FeatureScaling
        The scalings to choose from.
    penalties : (n_penalties,) ndarray
        The penalties to choose from.
    n_landmarks : int or None
        Number of landmarks, or None for exact solutions.
    n_jobs : int or None
        Number of penalties that are solved at the same time.
    """

    samples: TrainingSamples
    targets: Targets
    scalings: list[FeatureScaling]
    penalties: Array
    n_landmarks: int | None
    n_jobs: int | None = None


KernelMaker = Callable[[SampleTable], Kernel]


def fit_kernel_part(
    problem: Problem, make_kernel: KernelMaker, rng: np.random.Generator, *, fit_intercept: bool
) -> PartFit:
    """Fit the ridge regression on a kernel, exactly or with landmarks."""
    if problem.n_landmarks is None and problem.targets.n_samples <= SMALL:
        fits = [
            _fit_exactly(problem, scaling, make_kernel, problem.penalties, fit_intercept)
            for scaling in problem.scalings
        ]
        return min(fits, key=lambda fit: fit.error)
    scaling, errors = _pilot(problem, make_kernel, rng, fit_intercept)
    if problem.n_landmarks is not None:
        return _fit_landmarks(problem, scaling, make_kernel, rng, fit_intercept)
    best = best_few(errors, problem.targets.counts, EXACT_PENALTIES)
    return _fit_exactly(problem, scaling, make_kernel, problem.penalties[best], fit_intercept)


def fit_linear_part(problem: Problem, rng: np.random.Generator) -> PartFit:
    """Fit the ridge regression on the features themselves, with an intercept.

    If there are more features than samples, or than landmarks, the linear kernel is cheaper.
    """
    n_samples, n_features = problem.targets.n_known, problem.samples.columns.n_columns
    if n_features > min(n_samples, problem.n_landmarks or n_samples):
        return fit_kernel_part(problem, LinearKernel.centered, rng, fit_intercept=True)
    # These are generators, so that only the best path and the current one are in memory.
    paths = ((scaling, _feature_path(problem, scaling)) for scaling in problem.scalings)
    compared = ((scaling, path, _compared(path, problem)) for scaling, path in paths)
    scaling, path, errors = min(compared, key=lambda candidate: _mean_error(candidate[2]))
    return _fit_path(problem, scaling, path, errors, None)


def _fit_exactly(
    problem: Problem,
    scaling: FeatureScaling,
    make_kernel: KernelMaker,
    penalties: Array,
    fit_intercept: bool,
) -> PartFit:
    points = _scaled(problem, scaling).all()
    kernel, targets = make_kernel(points), problem.targets
    K, values, means = kernel_matrix(kernel, points, points), targets.values(), targets.means
    if targets.table is None:
        solve = partial(dual_fit, weights=targets.weights, groups=targets.groups)
    else:
        solve = partial(
            pattern_fit, table=targets.table, patterns=targets.patterns, groups=targets.groups
        )
    fits = Parallel(n_jobs=problem.n_jobs, prefer="threads")(
        delayed(solve)(K, values, penalty, means, fit_intercept=fit_intercept)
        for penalty in penalties
    )
    weights = targets.weights if targets.table is None else targets.table
    sums = np.array([squared_errors(values, fit.leave_one_out, weights) for fit in fits])
    total = targets.total_weight if targets.table is None else targets.table.sum(axis=0)
    errors = relative_errors(sums, means, total)
    best = best_penalties(errors, targets.counts)
    part = RidgePart(
        scaling=scaling,
        is_sparse=problem.samples.is_sparse,
        anchors=points,
        anchor_samples=np.arange(points.n_samples),
        kernel=kernel,
        coefficients=_by_label([fit.coefficients for fit in fits], best),
        intercept=_by_label([fit.intercept[None, :] for fit in fits], best)[0],
        penalties=penalties[best],
    )
    loo = _by_label([fit.leave_one_out for fit in fits], best)
    return PartFit(part, _mean_error(errors), loo)


def _scaled(problem: Problem, scaling: FeatureScaling) -> ScaledTable:
    return problem.samples.scaled(scaling, problem.targets.dtype)


def _by_label(tables: list[Array], best: Array) -> Array:
    """Return the column of each label from the table that is best for it."""
    chosen = tables[0].copy()
    for number, table in enumerate(tables):
        chosen[:, best == number] = table[:, best == number]
    return chosen


def _pilot(
    problem: Problem, make_kernel: KernelMaker, rng: np.random.Generator, fit_intercept: bool
) -> tuple[FeatureScaling, Array]:
    """Choose the scaling with few landmarks; return it with the errors of its penalties."""
    pilots = []
    for scaling in problem.scalings:
        pilot = replace(problem, n_landmarks=PILOT_LANDMARKS)
        _, path = _landmark_path(pilot, scaling, make_kernel, rng, fit_intercept)
        pilots.append((scaling, _compared(path, problem)))
    return min(pilots, key=lambda pilot: _mean_error(pilot[1]))


def _fit_landmarks(
    problem: Problem,
    scaling: FeatureScaling,
    make_kernel: KernelMaker,
    rng: np.random.Generator,
    fit_intercept: bool,
) -> PartFit:
    anchors, path = _landmark_path(problem, scaling, make_kernel, rng, fit_intercept)
    return _fit_path(problem, scaling, path, _compared(path, problem), anchors)


@dataclass(frozen=True)
class Anchors:
    """Landmarks with their positions among the training samples."""

    samples: Array
    features: LandmarkFeatures


def _fit_path(
    problem: Problem,
    scaling: FeatureScaling,
    path: PrimalPath,
    errors: Array,
    anchors: Anchors | None,
) -> PartFit:
    """Choose the penalties by their errors; return the part and its leave-one-out scores."""
    penalties = problem.penalties[best_penalties(errors, problem.targets.counts)]
    coefficients = path.coefficients(penalties)
    of_anchors = coefficients if anchors is None else anchors.features.whitening @ coefficients
    part = RidgePart(
        scaling=scaling,
        is_sparse=problem.samples.is_sparse,
        anchors=None if anchors is None else anchors.features.landmarks,
        anchor_samples=None if anchors is None else anchors.samples,
        kernel=None if anchors is None else anchors.features.kernel,
        coefficients=of_anchors.astype(problem.targets.dtype),
        intercept=path.intercept(coefficients),
        penalties=penalties,
    )
    return PartFit(part, _mean_error(errors), path.leave_one_out(penalties))


def _feature_path(problem: Problem, scaling: FeatureScaling) -> PrimalPath:
    points, n_features = _scaled(problem, scaling), problem.samples.columns.n_columns
    # Sparse samples are made dense block by block.
    blocks = points.blocks(_dense_matrix, n_features, may_keep=not problem.samples.is_sparse)
    return fit_path(blocks, problem.targets, fit_intercept=True)


def _dense_matrix(points: ScaledSamples) -> Array:
    return dense(points.matrix)


def _landmark_path(
    problem: Problem,
    scaling: FeatureScaling,
    make_kernel: KernelMaker,
    rng: np.random.Generator,
    fit_intercept: bool,
) -> tuple[Anchors, PrimalPath]:
    points = _scaled(problem, scaling)
    n_landmarks = problem.n_landmarks or problem.targets.n_samples
    chosen = draw_landmarks(problem.targets.Y, n_landmarks, rng)
    features = LandmarkFeatures.fit(make_kernel(points), points.take(chosen))
    blocks = points.blocks(features.of, len(chosen), may_keep=True)
    path = fit_path(blocks, problem.targets, fit_intercept=fit_intercept)
    return Anchors(chosen, features), path


def _compared(path: PrimalPath, problem: Problem) -> Array:
    """Return the relative leave-one-out errors of penalties and labels, on some of the samples."""
    targets = path.targets
    blocks = targets.row_blocks(path.blocks.n_features)
    n_blocks = max(1, round(len(blocks) * min(1.0, COMPARED_SAMPLES / targets.n_samples)))
    used = [blocks[int(index)] for index in np.linspace(0, len(blocks) - 1, n_blocks)]
    if targets.table is not None:
        known = np.sum([targets.table[rows].sum(axis=0) for rows in used], axis=0)
        errors = path.errors(problem.penalties, used)
        # Penalties cannot be compared for a label that is unknown for all of these samples.
        relative = relative_errors(errors, targets.means, np.where(known > 0, known, 1.0))
        return np.where(known > 0, relative, 1.0)
    compared = sum(
        rows.stop - rows.start if targets.weights is None else float(targets.weights[rows].sum())
        for rows in used
    )
    return relative_errors(path.errors(problem.penalties, used), targets.means, compared)


def _mean_error(errors: Array) -> float:
    """Return the mean error of the penalty that is best for all labels together."""
    return float(errors.mean(axis=1).min())
