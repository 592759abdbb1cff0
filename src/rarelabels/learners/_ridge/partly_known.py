"""Solutions on explicit features for labels with different weights, 0 if they are unknown.

Labels that are known for different samples cannot share an eigendecomposition. It is a good
preconditioner, though: conjugate gradients solve the problems of all labels together, in a few
passes over the samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.learners._ridge.feature_blocks import FeatureBlocks
from rarelabels.learners._ridge.groups import larger_groups, solve_groups
from rarelabels.learners._ridge.penalties import squared_errors
from rarelabels.learners._ridge.primal import LEAST_REMAINDER, PrimalPath, moments_and_products
from rarelabels.learners._ridge.targets import TargetBlock, Targets

MOST_STEPS = 200
# A label is solved if its residual, relative to the right-hand side, is not larger than this.
SMALL_RESIDUAL = {np.float64: 1e-10, np.float32: 1e-5}


def fit_path(blocks: FeatureBlocks, targets: Targets, *, fit_intercept: bool) -> Any:
    """Return ridge regression on explicit features for every penalty."""
    kind = PrimalPath if targets.table is None else PartlyKnownPath
    return kind.fit(blocks, targets, fit_intercept=fit_intercept)


@dataclass(frozen=True)
class SharedDecomposition:
    """The second moments of the features, which all labels share, and the share of each label.

    Attributes
    ----------
    center : (n_features,) ndarray
        The vector that is subtracted from the features.
    has_intercept : bool
        Whether an intercept is fitted.
    values, vectors : ndarrays
        Eigenvalues and eigenvectors of the features' second moments.
    shares : (n_labels,) ndarray
        The weight of each label's known samples, relative to that of all samples.
    totals : (n_labels,) ndarray
        The weight of each label's known samples.
    """

    center: Array
    has_intercept: bool
    values: Array
    vectors: Array
    shares: Array
    totals: Array

    def preconditioned(self, gradient: Array, penalties: Array) -> Array:
        """Return an approximate solution of each label, given the penalty of each."""
        rotated = self.vectors.T @ gradient
        rotated /= self.values[:, None] * self.shares + penalties
        return self.vectors @ rotated

    def leverages(self, centered: Array, targets: TargetBlock, penalties: Array) -> Array:
        """Return the approximate leverage of each sample and label."""
        rotated = (centered @ self.vectors.astype(centered.dtype)).astype(np.float64)
        leverages = rotated**2 @ (1 / (self.values[:, None] * self.shares + penalties))
        if self.has_intercept:
            leverages += 1 / self.totals
        return leverages * targets.table

    def hat_matrices(
        self, centered: Array, targets: TargetBlock, group: Array, penalties: Array
    ) -> Array:
        """Return the hat matrices of a group's samples, (n_labels, g, g)."""
        table: Any = targets.table
        rotated = (centered @ self.vectors.astype(centered.dtype)).astype(np.float64)
        products = rotated[:, None, :] * rotated[None, :, :]
        hat_matrices = products @ (1 / (self.values[:, None] * self.shares + penalties))
        if self.has_intercept:
            hat_matrices += 1 / self.totals
        return (hat_matrices * table[group]).transpose(2, 0, 1)


@dataclass(frozen=True)
class PartlyKnownPath:
    """Ridge regression on explicit features of all samples, with weights of samples and labels.

    Attributes
    ----------
    blocks : FeatureBlocks
        The features of the samples.
    targets : Targets
        The labels, with weights of samples and labels.
    shared : SharedDecomposition
        The decomposition that all labels share.
    """

    blocks: FeatureBlocks
    targets: Targets
    shared: SharedDecomposition
    _solutions: dict[bytes, tuple[Array, Array]] = field(default_factory=dict)

    @classmethod
    def fit(
        cls, blocks: FeatureBlocks, targets: Targets, *, fit_intercept: bool
    ) -> PartlyKnownPath:
        """Sum up the samples block by block and decompose the sums."""
        table: Any = targets.table
        # The weight of a sample is the mean of the weights of its labels.
        weights = table.mean(axis=1)
        averaged = replace(targets, weights=weights, table=None)
        moments, _, sums = blocks.total(moments_and_products, averaged)
        center = sums / weights.sum() if fit_intercept else np.zeros(sums.size)
        moments -= weights.sum() * np.outer(center, center)
        values, vectors = np.linalg.eigh(moments)
        totals = table.sum(axis=0)
        shared = SharedDecomposition(
            center, fit_intercept, np.maximum(values, 0), vectors, totals / weights.sum(), totals
        )
        return cls(blocks, targets, shared)

    def coefficients(self, penalties: Array) -> Array:
        """Return the coefficients of the features, given the penalty of each label; float64."""
        return self._solved(penalties)[0]

    def intercept(self, coefficients: Array) -> Array:
        """Return the intercepts of coefficients that were returned by `coefficients`."""
        shifts = next(b for w, b in self._solutions.values() if w is coefficients)
        return self.targets.means + shifts - self.shared.center @ coefficients

    def errors(self, penalties: Array, rows: list[slice]) -> Array:
        """Return approximate leave-one-out squared errors of penalties and labels, over rows."""
        n_labels = self.targets.Y.shape[1]
        gradient, _ = self.blocks.total(partial(_gradient, shared=self.shared), self.targets)
        sums = np.empty((penalties.size, n_labels))
        for number, penalty in enumerate(penalties):
            each = np.full(n_labels, penalty)
            solution = self.shared.preconditioned(gradient, each), np.zeros(n_labels)
            error_sums = partial(_error_sums, path=self.shared, penalties=each, solution=solution)
            (sums[number],) = self.blocks.total(error_sums, self.targets, rows)
        return sums

    def leave_one_out(self, penalties: Array) -> Array:
        """Return leave-one-out scores, given the penalty of each label."""
        solution = self._solved(penalties)
        scores = partial(_scores, path=self.shared, penalties=penalties, solution=solution)
        return self.blocks.per_sample(scores, self.targets)

    def _solved(self, penalties: Array) -> tuple[Array, Array]:
        """Return the coefficients and intercepts of centered features."""
        key = penalties.tobytes()
        if key not in self._solutions:
            self._solutions[key] = self._solve(penalties)
        return self._solutions[key]

    def _solve(self, penalties: Array) -> tuple[Array, Array]:
        shared, blocks, targets = self.shared, self.blocks, self.targets
        right = np.vstack(blocks.total(partial(_gradient, shared=shared), targets))

        def product(z: Array) -> Array:
            """Apply the second moments of each label's known samples, and its penalty."""
            function = partial(_products, shared=shared, solution=(z[:-1], z[-1]))
            result = np.vstack(blocks.total(function, targets))
            result[:-1] += penalties * z[:-1]
            return result

        def precondition(r: Array) -> Array:
            ends = r[-1] / shared.totals if shared.has_intercept else np.zeros(r.shape[1])
            return np.vstack([shared.preconditioned(r[:-1], penalties), ends])

        tolerance = SMALL_RESIDUAL[targets.dtype]
        solution = conjugate_gradients(product, precondition, right, tolerance)
        return solution[:-1], solution[-1]


def conjugate_gradients(
    product: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    right: Array,
    tolerance: float,
) -> Array:
    """Solve a symmetric system for each column; the steps of all columns are done together."""
    solution, residual = np.zeros_like(right), right.copy()
    conditioned = precondition(residual)
    direction, size = conditioned.copy(), np.einsum("ij,ij->j", residual, conditioned)
    goal = tolerance * np.linalg.norm(right, axis=0)
    for _ in range(MOST_STEPS):
        is_open = np.linalg.norm(residual, axis=0) > goal
        if not is_open.any():
            break
        image = product(direction)
        curvature = np.einsum("ij,ij->j", direction, image)
        # Columns that are already solved do not change.
        step = np.where(is_open & (curvature > 0), size / np.where(curvature > 0, curvature, 1), 0)
        solution += step * direction
        residual -= step * image
        conditioned = precondition(residual)
        new_size = np.einsum("ij,ij->j", residual, conditioned)
        direction = conditioned + new_size / np.where(size > 0, size, 1) * direction
        size = new_size
    return solution


Solution = tuple[Array, Array]


def _centered(features: Array, shared: SharedDecomposition) -> Array:
    return features - shared.center.astype(features.dtype)


def _gradient(
    features: Array, targets: TargetBlock, shared: SharedDecomposition
) -> tuple[Array, Array]:
    """Return features times weighted targets, and the sums of these."""
    return _transposed(_centered(features, shared), targets.centered() * targets.table, shared)


def _products(
    features: Array, targets: TargetBlock, shared: SharedDecomposition, solution: Solution
) -> tuple[Array, Array]:
    """Return features times the weighted scores of a solution, and the sums of these."""
    centered = _centered(features, shared)
    return _transposed(centered, _applied(centered, solution) * targets.table, shared)


def _transposed(
    centered: Array, weighted: Array, shared: SharedDecomposition
) -> tuple[Array, Array]:
    sums = weighted.sum(axis=0, dtype=np.float64)[None, :]
    products = centered.T @ weighted.astype(centered.dtype)
    return products, sums if shared.has_intercept else np.zeros_like(sums)


def _applied(centered: Array, solution: Solution) -> Array:
    coefficients, shifts = (part.astype(centered.dtype) for part in solution)
    return centered @ coefficients + shifts


def _scores(
    features: Array,
    targets: TargetBlock,
    path: SharedDecomposition,
    penalties: Array,
    solution: Solution,
) -> Array:
    """Return leave-one-out scores; for unknown labels, they are the scores of the model."""
    centered = _centered(features, path)
    errors = targets.centered() - _applied(centered, solution)
    remainders = 1 - path.leverages(centered, targets, penalties)
    left_out = errors / np.maximum(remainders, LEAST_REMAINDER)
    for group in [] if targets.groups is None else larger_groups(targets.groups):
        hat_matrices = path.hat_matrices(centered[group], targets, group, penalties)
        left_out[group] = solve_groups(np.eye(group.size) - hat_matrices, errors[group])
    scores: Array = targets.values() - left_out
    return scores.astype(targets.dtype)


def _error_sums(
    features: Array,
    targets: TargetBlock,
    path: SharedDecomposition,
    penalties: Array,
    solution: Solution,
) -> tuple[Array]:
    scores = _scores(features, targets, path, penalties, solution)
    return (squared_errors(targets.values(), scores, targets.table),)
