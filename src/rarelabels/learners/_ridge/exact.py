"""Exact solutions: one factorization of the kernel matrix for all labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, solve_triangular

from rarelabels._containers import Array
from rarelabels.learners._ridge.groups import larger_groups, solve_groups
from rarelabels.learners._ridge.targets import restriction_cost, whole_inverse_saves

# Systems with a larger relative residual are solved again in float64.
LARGEST_RESIDUAL = 1e-4
# Number of labels whose residuals are checked.
CHECKED_LABELS = 4


@dataclass(frozen=True)
class DualFit:
    """The solution for one penalty.

    Attributes
    ----------
    coefficients : (n, q) ndarray
        Weights of the training samples.
    intercept : (q,) ndarray
        The constant that is added to the products of kernel and coefficients.
    leave_one_out : (n, q) ndarray
        The prediction for each sample from a model fitted to all other samples.
    """

    coefficients: Array
    intercept: Array
    leave_one_out: Array


def dual_fit(
    K: Array,
    values: Array,
    penalty: float,
    means: Array,
    *,
    weights: Array | None = None,
    groups: Array | None = None,
    fit_intercept: bool = False,
) -> DualFit:
    """Solve (K + penalty / weights) A = values - means for all labels.

    The leave-one-out error of sample i is A_i / C_ii, where C is the inverse of the matrix. With
    groups, the errors of group G are the solution E of C_GG E = A_G. With `fit_intercept`, the
    intercept is fitted without a penalty, and left-out samples do not influence it either;
    otherwise it is the label's mean.
    """
    targets = values - means.astype(K.dtype)
    roots = None if weights is None else np.sqrt(weights).astype(K.dtype)
    L = factorized(K, penalty, roots)
    A = solved(L, targets, roots)
    is_single = K.dtype == np.float32
    if is_single and worst_residual(K, A, targets, penalty, weights) > LARGEST_RESIDUAL:
        L = factorized(K.astype(np.float64), penalty, roots)
        A = solved(L, targets.astype(np.float64), roots)
    ones = np.ones((K.shape[0], 1), dtype=L.dtype)
    C1 = solved(L, ones, roots)[:, 0] if fit_intercept else None
    inverse, diagonal = inverse_factor(L, roots)
    del L
    if groups is None:
        # Free the memory, because the inverse is as large as the kernel.
        del inverse

    def block_of(group: Array) -> Array:
        columns = inverse[:, group]
        block: Array = columns.T @ columns
        return block if roots is None else block * (roots[group, None] * roots[group])

    return left_out(values, means, groups, Inverse(A, C1, diagonal, block_of))


@dataclass(frozen=True)
class Inverse:
    """The parts of the inverse C of a system that leave-one-out scores need.

    Attributes
    ----------
    A : (n, q) ndarray
        C times the targets.
    C1 : (n,) ndarray or None
        C times ones, if an intercept is fitted.
    diagonal : (n,) ndarray
        The diagonal of C.
    block_of : callable
        Returns the rows and columns of C of some samples.
    """

    A: Array
    C1: Array | None
    diagonal: Array
    block_of: Callable[[Array], Array]


def left_out(values: Array, means: Array, groups: Array | None, inverse: Inverse) -> DualFit:
    """Return the solution with its leave-one-out scores; with groups, whole groups are left out."""
    A, C1, diagonal, intercept = inverse.A, inverse.C1, inverse.diagonal, means
    if C1 is not None:
        # The bordered system of the intercept is solved with its Schur complement.
        shift = A.sum(axis=0) / C1.sum()
        A = A - C1[:, None] * shift
        diagonal = diagonal - C1**2 / C1.sum()
        intercept = means + shift
    tiny = np.finfo(diagonal.dtype).tiny
    errors = A / np.maximum(diagonal, tiny)[:, None]
    for group in [] if groups is None else larger_groups(groups):
        block = inverse.block_of(group)
        if C1 is not None:
            block = block - np.outer(C1[group], C1[group]) / C1.sum()
        errors[group] = solve_groups(block, A[group])
    loo = values - errors
    return DualFit(A.astype(values.dtype), intercept, loo.astype(values.dtype))


def pattern_fit(
    K: Array,
    values: Array,
    penalty: float,
    means: Array,
    *,
    table: Array,
    patterns: list[Array],
    groups: Array | None = None,
    fit_intercept: bool = False,
) -> DualFit:
    """Solve like `dual_fit` for labels with different weights, 0 for unknown labels.

    Labels with equal weights share a factorization of the kernel of the samples for which they are
    known. If a label is unknown for few samples, its solution is computed from the inverse of the
    whole system, which all labels share. Samples for which a label is unknown are scored like new
    samples.
    """
    coefficients, loo = np.zeros_like(values), np.empty_like(values)
    intercept = means.copy()
    whole = None
    if uses_whole_inverse(table, patterns):
        whole = whole_inverse(K, values - means.astype(K.dtype), penalty)
    for labels in patterns:
        weights = table[:, labels[0]]
        known, others = np.flatnonzero(weights > 0), np.flatnonzero(weights == 0)
        known_weights, known_groups = weights[known], None if groups is None else groups[known]
        part = values[np.ix_(known, labels)]
        fit = None
        is_unweighted = bool((known_weights == 1).all())
        if whole is not None and is_unweighted and is_restriction_cheaper(known, others):
            inverse = restricted_inverse(
                K, whole, part - means[labels].astype(K.dtype), penalty, known, others,
                fit_intercept=fit_intercept,
            )  # fmt: skip
            if inverse is not None:
                fit = left_out(part, means[labels], known_groups, inverse)
        if fit is None:
            fit = dual_fit(
                K[np.ix_(known, known)],
                part,
                penalty,
                means[labels],
                weights=None if is_unweighted else known_weights,
                groups=known_groups,
                fit_intercept=fit_intercept,
            )
        coefficients[np.ix_(known, labels)] = fit.coefficients
        intercept[labels] = fit.intercept
        loo[np.ix_(known, labels)] = fit.leave_one_out
        loo[np.ix_(others, labels)] = K[np.ix_(others, known)] @ fit.coefficients + fit.intercept
    return DualFit(coefficients, intercept, loo)


def is_restriction_cheaper(known: Array, others: Array) -> bool:
    """Return whether the inverse of the whole system is cheaper than a new factorization."""
    return bool(restriction_cost(known.size, others.size) < float(known.size) ** 3)


def uses_whole_inverse(table: Array, patterns: list[Array]) -> bool:
    """Return whether computing the inverse of the whole system saves time."""
    n_known = (table[:, [labels[0] for labels in patterns]] > 0).sum(axis=0)
    return whole_inverse_saves(n_known, len(table)) > 0


def whole_inverse(K: Array, targets: Array, penalty: float) -> Array:
    """Return the inverse of K + penalty, in float64 if float32 is not exact enough."""
    L = factorized(K, penalty, None)
    if L.dtype == np.float32:
        labels = checked_labels(targets.shape[1])
        A = solved(L, targets[:, labels], None)
        if worst_residual(K, A, targets[:, labels], penalty, None) > LARGEST_RESIDUAL:
            L = factorized(K.astype(np.float64), penalty, None)
    invert = lapack.spotri if L.dtype == np.float32 else lapack.dpotri
    C, _ = invert(L, lower=1, overwrite_c=1)
    mirror_lower(C)
    return C


def mirror_lower(C: Array, step: int = 512) -> None:
    """Copy the lower triangle of a matrix to the upper triangle, block by block.

    >>> C = np.array([[1.0, 0.0], [2.0, 3.0]])
    >>> mirror_lower(C)
    >>> C.tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    for start in range(0, len(C), step):
        stop = start + step
        block = C[start:stop, start:stop]
        block[...] = np.tril(block) + np.tril(block, -1).T
        C[start:stop, stop:] = C[stop:, start:stop].T


def restricted_inverse(
    K: Array,
    whole: Array,
    targets: Array,
    penalty: float,
    known: Array,
    others: Array,
    *,
    fit_intercept: bool,
) -> Inverse | None:
    """Return the inverse of the system of some samples, from that of all samples.

    It is C_SS - C_SU C_UU^-1 C_US, where S are the samples for which a label is known and U are the
    others. Return None if rounding errors are too large.
    """
    factorize = lapack.spotrf if whole.dtype == np.float32 else lapack.dpotrf
    L, failed = factorize(whole[np.ix_(others, others)], lower=1, clean=1)
    if failed:
        return None
    W = solve_triangular(L, whole[np.ix_(others, known)], lower=True, check_finite=False)

    def times(right: Array) -> Array:
        """Multiply the inverse with one or more columns."""
        padded = np.zeros((len(whole), right.shape[1]), dtype=whole.dtype)
        padded[known] = right
        return (whole @ padded)[known] - W.T @ (W @ right)

    def block_of(group: Array) -> Array:
        samples, columns = known[group], W[:, group]
        block: Array = whole[np.ix_(samples, samples)] - columns.T @ columns
        return block

    A = times(targets.astype(whole.dtype))
    if K.dtype == np.float32:
        residual = targets.astype(np.float64) - penalty * A.astype(np.float64)
        padded = np.zeros((len(K), A.shape[1]))
        padded[known] = A
        residual -= _in_float64(K, padded)[known]
        if relative_norms(residual, targets) > LARGEST_RESIDUAL:
            return None
    C1 = times(np.ones((known.size, 1), dtype=whole.dtype))[:, 0] if fit_intercept else None
    diagonal = whole[known, known] - np.einsum("ij,ij->j", W, W)
    return Inverse(A, C1, diagonal, block_of)


def factorized(K: Array, penalty: float, roots: Array | None) -> Array:
    """Return the lower Cholesky factor of S K S + penalty, S the roots of the weights."""
    M = np.array(K, order="F")
    if roots is not None:
        M *= roots[:, None]
        M *= roots[None, :]
    M[np.diag_indices_from(M)] += M.dtype.type(penalty)
    factorize = lapack.spotrf if M.dtype == np.float32 else lapack.dpotrf
    L, failed = factorize(M, lower=1, clean=1, overwrite_a=1)
    if failed and M.dtype == np.float32:
        return factorized(K.astype(np.float64), penalty, roots)
    if failed:
        raise ValueError(
            f"the kernel is not positive definite with penalty {penalty:g}; use larger penalties, "
            "or another kernel."
        )
    return L


def solved(L: Array, targets: Array, roots: Array | None) -> Array:
    """Solve the weighted system with its Cholesky factor."""
    right = targets if roots is None else targets * roots[:, None]
    half = solve_triangular(L, right, lower=True, check_finite=False)
    A = solve_triangular(L, half, lower=True, trans="T", check_finite=False)
    return A if roots is None else A * roots[:, None]


def inverse_factor(L: Array, roots: Array | None) -> tuple[Array, Array]:
    """Return the inverse of the Cholesky factor, which is overwritten, and C's diagonal."""
    invert = lapack.strtri if L.dtype == np.float32 else lapack.dtrtri
    inverse, _ = invert(L, lower=1, overwrite_c=1)
    diagonal = np.einsum("ij,ij->j", inverse, inverse)
    return inverse, diagonal if roots is None else diagonal * roots**2


def worst_residual(
    K: Array, A: Array, targets: Array, penalty: float, weights: Array | None
) -> float:
    """Return the largest relative residual of some labels, computed in float64."""
    labels = checked_labels(A.shape[1])
    A, targets = A[:, labels].astype(np.float64), targets[:, labels].astype(np.float64)
    ridge = penalty if weights is None else (penalty / weights)[:, None]
    return relative_norms(targets - ridge * A - _in_float64(K, A), targets)


def checked_labels(n_labels: int) -> Array:
    """Return the labels whose residuals are checked."""
    return np.unique(np.linspace(0, n_labels - 1, CHECKED_LABELS).astype(int))


def relative_norms(residual: Array, targets: Array) -> float:
    """Return the largest norm of a label's residual, relative to its targets."""
    sizes = np.linalg.norm(targets, axis=0)
    return float((np.linalg.norm(residual, axis=0) / np.where(sizes > 0, sizes, 1)).max())


def _in_float64(K: Array, A: Array) -> Array:
    step = max(1, 2**21 // K.shape[1])
    parts = [K[start : start + step].astype(np.float64) @ A for start in range(0, len(K), step)]
    return np.concatenate(parts)
