"""Exact solutions: one factorization of the kernel matrix for all labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, solve_triangular

from rarelabels._containers import Array
from rarelabels.learners._ridge.groups import larger_groups, solve_groups

# Relative residuals above this are solved again in float64.
LARGEST_RESIDUAL = 1e-4
# Labels whose residuals are checked.
CHECKED_LABELS = 4


@dataclass(frozen=True)
class DualFit:
    """The solution for one penalty.

    Attributes
    ----------
    coefficients : (n, q) ndarray
        Weights of the training samples.
    intercept : (q,) ndarray
        What is added to the kernel's products.
    leave_one_out : (n, q) ndarray
        What a model fitted to all other samples predicts for each sample.
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
        # It is as large as the kernel.
        del inverse
    intercept = means
    if C1 is not None:
        # The bordered system of the intercept, by its Schur complement.
        shift = A.sum(axis=0) / C1.sum()
        A = A - C1[:, None] * shift
        diagonal = diagonal - C1**2 / C1.sum()
        intercept = means + shift
    tiny = np.finfo(diagonal.dtype).tiny
    errors = A / np.maximum(diagonal, tiny)[:, None]
    for group in [] if groups is None else larger_groups(groups):
        columns = inverse[:, group]
        block = columns.T @ columns
        if roots is not None:
            block *= roots[group, None] * roots[group]
        if C1 is not None:
            block -= np.outer(C1[group], C1[group]) / C1.sum()
        errors[group] = solve_groups(block, A[group])
    loo = values - errors
    return DualFit(A.astype(K.dtype), intercept, loo.astype(K.dtype))


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
    """Solve as `dual_fit` for labels with different weights, 0 where a label is unknown.

    Labels that share their weights share a factorization of the kernel among the samples that know
    them. A sample that does not know a label is scored for it like a new sample.
    """
    coefficients, loo = np.zeros_like(values), np.empty_like(values)
    intercept = means.copy()
    for labels in patterns:
        weights = table[:, labels[0]]
        known, others = np.flatnonzero(weights > 0), np.flatnonzero(weights == 0)
        own = weights[known]
        fit = dual_fit(
            K[np.ix_(known, known)],
            values[np.ix_(known, labels)],
            penalty,
            means[labels],
            weights=None if (own == 1).all() else own,
            groups=None if groups is None else groups[known],
            fit_intercept=fit_intercept,
        )
        coefficients[np.ix_(known, labels)] = fit.coefficients
        intercept[labels] = fit.intercept
        loo[np.ix_(known, labels)] = fit.leave_one_out
        loo[np.ix_(others, labels)] = K[np.ix_(others, known)] @ fit.coefficients + fit.intercept
    return DualFit(coefficients, intercept, loo)


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
    labels = np.unique(np.linspace(0, A.shape[1] - 1, CHECKED_LABELS).astype(int))
    A, targets = A[:, labels].astype(np.float64), targets[:, labels].astype(np.float64)
    ridge = penalty if weights is None else (penalty / weights)[:, None]
    residual = targets - ridge * A - _in_float64(K, A)
    sizes = np.linalg.norm(targets, axis=0)
    return float((np.linalg.norm(residual, axis=0) / np.where(sizes > 0, sizes, 1)).max())


def _in_float64(K: Array, A: Array) -> Array:
    step = max(1, 2**21 // K.shape[1])
    parts = [K[start : start + step].astype(np.float64) @ A for start in range(0, len(K), step)]
    return np.concatenate(parts)
