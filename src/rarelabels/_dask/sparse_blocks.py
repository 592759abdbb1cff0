"""Blocks of sparse matrices: read as CSR arrays, and returned in the class that the caller gave."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Matrix, sparse_like


def is_sparse(block: Any) -> bool:
    """Return whether a block is a matrix of SciPy or an array of the package sparse."""
    return sparse.issparse(block) or _is_of_sparse_package(block)


def as_csr(block: Any) -> sparse.csr_array:
    """Return a sparse block as a CSR array."""
    if not _is_of_sparse_package(block):
        return sparse.csr_array(block)
    if block.fill_value != 0:
        raise ValueError(
            f"got an array of the package sparse with fill_value={block.fill_value!r}, but values "
            "that are not stored must be 0."
        )
    return sparse.csr_array(block.to_scipy_sparse())


def of_kind(block: sparse.csr_array, like: Any) -> Any:
    """Return a CSR array in the class and the format of a block of the caller."""
    if _is_of_sparse_package(like):
        return type(like).from_scipy_sparse(sparse.coo_array(block))
    return sparse_like(block, like)


def joined_blocks(blocks: list[Matrix]) -> Matrix:
    """Concatenate the samples of dense or sparse blocks."""
    if len(blocks) == 1:
        return blocks[0]
    if sparse.issparse(blocks[0]):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)


def size_in_bytes(matrix: Matrix) -> int:
    """Return the memory of a dense matrix or a CSR array."""
    if sparse.issparse(matrix):
        return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    return int(matrix.nbytes)


def _is_of_sparse_package(block: Any) -> bool:
    package = type(block).__module__.partition(".")[0]
    return package == "sparse" and hasattr(block, "to_scipy_sparse")
