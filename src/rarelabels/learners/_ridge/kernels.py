"""Kernels: similarities of samples, computed block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._registry import part_of_models

# Number of entries of a block of scaled features, or of a kernel, that are dense at a time.
ENTRIES_AT_ONCE = 2**22
# Number of samples along the side of a tile of a kernel matrix, unless there are more features.
TILE = 2**11
# Up to this many samples, the median distance is computed from all pairs.
MEDIAN_SAMPLES = 2000
# Sparse features are multiplied as dense blocks if at least this share is nonzero.
DENSE_SHARE = 0.01


@part_of_models
@dataclass(frozen=True)
class ScaledSamples:
    """Scaled samples with their squared lengths.

    Attributes
    ----------
    matrix : (n, d) ndarray or csr_array of float32 or float64
        The samples.
    squares : (n,) ndarray
        Their squared lengths.
    """

    matrix: Matrix
    squares: Array

    @classmethod
    def of(cls, matrix: Matrix, dtype: Any = np.float32) -> ScaledSamples:
        """Return scaled samples with their squared lengths."""
        matrix = matrix.astype(dtype, copy=False)
        if sparse.issparse(matrix):
            squares = np.asarray(matrix.multiply(matrix).sum(axis=1, dtype=np.float64)).ravel()
        else:
            squares = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
        return cls(matrix, squares.astype(dtype))

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.matrix.shape[0]

    def take(self, samples: Any) -> ScaledSamples:
        """Return some of the samples."""
        return ScaledSamples(self.matrix[samples], self.squares[samples])

    def mean(self) -> Array:
        """Return the mean of the samples."""
        mean = np.asarray(self.matrix.mean(axis=0, dtype=np.float64)).ravel()
        return mean.astype(self.matrix.dtype)

    def products(self, other: ScaledSamples) -> Array:
        """Return the inner products with other samples, as a dense array."""
        left, right = self.matrix, other.matrix
        if not sparse.issparse(left):
            return left @ right.T
        if left.nnz < DENSE_SHARE * left.shape[0] * left.shape[1]:
            return (left @ right.T).toarray()
        return left.toarray() @ right.toarray().T

    def squared_distances(self, other: ScaledSamples) -> Array:
        """Return the squared distances to other samples, as a dense array."""
        distances = self.products(other)
        distances *= -2
        distances += self.squares[:, None]
        distances += other.squares[None, :]
        return np.maximum(distances, 0, out=distances)


class SampleTable(Protocol):
    """All training samples, scaled; only the selected samples need to be in memory."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        ...

    def take(self, samples: Array) -> ScaledSamples:
        """Return some samples, given in ascending order."""
        ...

    def mean(self) -> Array:
        """Return the mean of the samples."""
        ...


# A kernel takes two sets of samples and returns their similarities.
Kernel = Callable[[ScaledSamples, ScaledSamples], Array]


@part_of_models
@dataclass(frozen=True)
class RBFKernel:
    """The kernel exp(-gamma * squared distance)."""

    gamma: float

    def __call__(self, left: ScaledSamples, right: ScaledSamples) -> Array:
        """Return the similarities of two sets of samples."""
        similarity = left.squared_distances(right)
        similarity *= -self.gamma
        return np.exp(similarity, out=similarity)


@part_of_models
@dataclass(frozen=True)
class LinearKernel:
    """The inner product of samples, centered at the mean of the training samples."""

    mean: Array

    @classmethod
    def centered(cls, points: SampleTable) -> LinearKernel:
        """Return the kernel of these samples."""
        return cls(points.mean())

    def __call__(self, left: ScaledSamples, right: ScaledSamples) -> Array:
        """Return the similarities of two sets of samples."""
        products = left.products(right)
        products -= np.asarray(left.matrix @ self.mean)[:, None]
        products -= np.asarray(right.matrix @ self.mean)[None, :]
        products += self.mean @ self.mean
        return products


@dataclass(frozen=True)
class CallableKernel:
    """A user-defined kernel: a function of two dense arrays of scaled samples."""

    function: Callable[[Array, Array], Array]

    def __call__(self, left: ScaledSamples, right: ScaledSamples) -> Array:
        """Return the similarities of two sets of samples."""
        arrays = [
            p.matrix.toarray() if sparse.issparse(p.matrix) else p.matrix for p in (left, right)
        ]
        similarity = np.asarray(self.function(*arrays), dtype=left.matrix.dtype)
        expected = (left.n_samples, right.n_samples)
        if similarity.shape != expected:
            raise ValueError(
                f"kernel must return an array of shape {expected} for samples of shapes "
                f"{arrays[0].shape} and {arrays[1].shape}, got {similarity.shape}."
            )
        if not np.isfinite(similarity).all():
            raise ValueError(
                "kernel returned NaN or infinite values; it must return finite numbers."
            )
        return similarity


def check_kernel(kernel: Any) -> None:
    """Check the parameter `kernel`."""
    if kernel != "rbf" and not callable(kernel):
        raise ValueError(
            'kernel must be "rbf" or a function of two arrays of samples that returns their '
            f"similarities, got {kernel!r}."
        )


def fitted_kernel(kernel: Any, points: SampleTable, rng: np.random.Generator) -> Kernel:
    """Return the kernel; the width of an RBF kernel is computed from the samples' distances."""
    if callable(kernel):
        return CallableKernel(kernel)
    return RBFKernel(2 / typical_squared_distance(points, rng))


def typical_squared_distance(points: SampleTable, rng: np.random.Generator) -> float:
    """Return the median squared distance of pairs, or the mean if most samples are equal."""
    n = points.n_samples
    if n < 2:
        return 1.0
    samples = np.arange(n)
    if n > MEDIAN_SAMPLES:
        samples = np.sort(rng.choice(n, MEDIAN_SAMPLES, replace=False))
    drawn = points.take(samples)
    distances = drawn.squared_distances(drawn)[np.triu_indices(samples.size, 1)]
    # The distances of equal samples can be small instead of 0, due to rounding.
    negligible = 1e-6 * float(drawn.squares.max(initial=0))
    for typical in (np.median(distances), distances.mean(dtype=np.float64)):
        if typical > negligible:
            return float(typical)
    return 1.0


def kernel_matrix(kernel: Kernel, left: ScaledSamples, right: ScaledSamples) -> Array:
    """Return a whole kernel matrix, computed tile by tile; it is symmetric if left is right."""
    shape = left.n_samples, right.n_samples
    matrix = np.empty(shape, dtype=left.matrix.dtype)
    for rows in point_blocks(left):
        for columns in point_blocks(right):
            if left is right and columns.start < rows.start:
                matrix[rows, columns] = matrix[columns, rows].T
            else:
                matrix[rows, columns] = kernel(left.take(rows), right.take(columns))
    return matrix


def kernel_products(
    kernel: Kernel, left: ScaledSamples, right: ScaledSamples, coefficients: Array
) -> Array:
    """Return the kernel matrix times coefficients, without storing the whole matrix."""
    shape = left.n_samples, coefficients.shape[1]
    products = np.zeros(shape, dtype=coefficients.dtype)
    for rows in point_blocks(left):
        for columns in point_blocks(right):
            tile = kernel(left.take(rows), right.take(columns))
            products[rows] += tile @ coefficients[columns]
    return products


def point_blocks(points: ScaledSamples) -> Iterator[slice]:
    """Return blocks of samples whose dense features and kernel tiles are small."""
    return row_blocks(points.n_samples, max(points.matrix.shape[1], TILE))


def row_blocks(n_samples: int, n_columns: int) -> Iterator[slice]:
    """Return blocks of samples for which a table with this number of columns is small."""
    step = max(1, ENTRIES_AT_ONCE // max(1, n_columns))
    for start in range(0, n_samples, step):
        yield slice(start, min(start + step, n_samples))
