"""Solutions on explicit features: one eigendecomposition for all penalties and labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.learners._ridge.feature_blocks import FeatureBlocks
from rarelabels.learners._ridge.groups import larger_groups, solve_groups
from rarelabels.learners._ridge.penalties import squared_errors
from rarelabels.learners._ridge.targets import TargetBlock, Targets

# A leave-one-out error is an error divided by one minus the sample's leverage, or by this number.
LEAST_REMAINDER = 1e-6


@dataclass(frozen=True)
class Decomposition:
    """The solution of ridge regression on explicit features for every penalty.

    Attributes
    ----------
    center : (n_features,) ndarray or None
        The mean of the features if an intercept is fitted. None if the intercepts are the means of
        the labels.
    values, vectors : ndarrays
        Eigenvalues and eigenvectors of the features' second moments.
    products : (n_features, n_labels) ndarray
        Features times labels, in the basis of the eigenvectors.
    total_weight : float
        The sum of the samples' weights.
    """

    center: Array | None
    values: Array
    vectors: Array
    products: Array
    total_weight: float

    def coefficients(self, penalties: Array) -> Array:
        """Return the coefficients of the features, given the penalty of each label; float64."""
        return self.vectors @ self._rotated_coefficients(penalties)

    def errors(self, features: Array, targets: TargetBlock, penalties: Array) -> tuple[Array]:
        """Return the sums of squared leave-one-out errors, (n_penalties, n_labels)."""
        rotated, leverages = self._rotated(features, targets, penalties)
        values, n_labels = targets.values(), self.products.shape[1]
        sums = np.empty((penalties.size, n_labels))
        for number, penalty in enumerate(penalties):
            each = np.full(n_labels, penalty)
            loo = self._scores(rotated, targets, each, leverages[:, number, None])
            sums[number] = squared_errors(values, loo, targets.weights)
        return (sums,)

    def leave_one_out(self, features: Array, targets: TargetBlock, penalties: Array) -> Array:
        """Return the leave-one-out scores of some samples, given the penalty of each label."""
        distinct, which = np.unique(penalties, return_inverse=True)
        rotated, leverages = self._rotated(features, targets, distinct)
        return self._scores(rotated, targets, penalties, leverages[:, which]).astype(targets.dtype)

    def _rotated_coefficients(self, penalties: Array) -> Array:
        return self.products / (self.values[:, None] + penalties)

    def _rotated(
        self, features: Array, targets: TargetBlock, penalties: Array
    ) -> tuple[Array, Array]:
        """Return samples in the basis of the eigenvectors, and their leverages by penalty."""
        if self.center is not None:
            features = features - self.center.astype(features.dtype)
        rotated = features @ self.vectors.astype(features.dtype)
        leverages = (rotated.astype(np.float64) ** 2) @ (1 / (self.values[:, None] + penalties))
        if self.center is not None:
            leverages += 1 / self.total_weight
        weights = targets.weights
        return rotated, leverages if weights is None else leverages * weights[:, None]

    def _scores(
        self, rotated: Array, targets: TargetBlock, penalties: Array, leverages: Array
    ) -> Array:
        coefficients = self._rotated_coefficients(penalties).astype(rotated.dtype)
        errors = targets.centered() - rotated @ coefficients
        left_out = errors / np.maximum(1 - leverages, LEAST_REMAINDER)
        if targets.groups is not None:
            self._leave_groups_out(left_out, errors, rotated, targets, penalties)
        return targets.values() - left_out

    def _leave_groups_out(
        self,
        left_out: Array,
        errors: Array,
        rotated: Array,
        targets: TargetBlock,
        penalties: Array,
    ) -> None:
        """Set `left_out` to the errors of models without a group, for groups of several samples."""
        distinct, which = np.unique(penalties, return_inverse=True)
        groups: Any = targets.groups
        for group in larger_groups(groups):
            of_group = rotated[group].astype(np.float64)
            for number, penalty in enumerate(distinct):
                hat = (of_group / (self.values + penalty)) @ of_group.T
                if self.center is not None:
                    hat += 1 / self.total_weight
                if targets.weights is not None:
                    hat *= targets.weights[group]
                labels = np.flatnonzero(which == number)
                part = np.ix_(group, labels)
                left_out[part] = solve_groups(np.eye(group.size) - hat, errors[part])


@dataclass(frozen=True)
class PrimalPath:
    """Ridge regression on explicit features of all samples, for every penalty.

    Attributes
    ----------
    blocks : FeatureBlocks
        The features of the samples.
    targets : Targets
        The labels.
    decomposition : Decomposition
        The solution for every penalty.
    """

    blocks: FeatureBlocks
    targets: Targets
    decomposition: Decomposition

    @classmethod
    def fit(cls, blocks: FeatureBlocks, targets: Targets, *, fit_intercept: bool) -> PrimalPath:
        """Sum up the samples block by block and decompose the sums."""
        moments, products, sums = blocks.total(moments_and_products, targets)
        center, total_weight = None, targets.total_weight
        if fit_intercept:
            center = sums / total_weight
            moments -= total_weight * np.outer(center, center)
        values, vectors = np.linalg.eigh(moments)
        values, products = np.maximum(values, 0), vectors.T @ products
        decomposition = Decomposition(center, values, vectors, products, total_weight)
        return cls(blocks, targets, decomposition)

    def coefficients(self, penalties: Array) -> Array:
        """Return the coefficients of the features, given the penalty of each label; float64."""
        return self.decomposition.coefficients(penalties)

    def intercept(self, coefficients: Array) -> Array:
        """Return the intercepts that are added to features times coefficients."""
        means, center = self.targets.means, self.decomposition.center
        return means if center is None else means - center @ coefficients

    def errors(self, penalties: Array, rows: list[slice]) -> Array:
        """Return the leave-one-out squared errors of each penalty and label, summed over rows."""
        errors = partial(self.decomposition.errors, penalties=penalties)
        (sums,) = self.blocks.total(errors, self.targets, rows)
        return sums

    def leave_one_out(self, penalties: Array) -> Array:
        """Return leave-one-out scores, given the penalty of each label."""
        scores = partial(self.decomposition.leave_one_out, penalties=penalties)
        return self.blocks.per_sample(scores, self.targets)


def moments_and_products(features: Array, targets: TargetBlock) -> tuple[Array, Array, Array]:
    """Return the second moments of features, their products with labels, and their sums."""
    weights = targets.weights
    weighted = features if weights is None else features * weights[:, None].astype(features.dtype)
    sums = weighted.sum(axis=0, dtype=np.float64)
    return features.T @ weighted, weighted.T @ targets.centered(), sums
