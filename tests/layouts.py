"""The same numbers in other dtypes, strides and sparse formats."""

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

# Small whole numbers from 0 to 8 are the same in all of them.
DTYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
FOREIGN_BYTE_ORDER = (">f8", ">f4", ">i4", ">f2")
FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


def strided(table):
    """Return a view of every second row and every third column."""
    wide = np.ones((2 * table.shape[0], 3 * table.shape[1]), dtype=table.dtype)
    wide[::2, ::3] = table
    return wide[::2, ::3]


def backwards(table):
    """Return a view with negative strides."""
    return table[::-1, ::-1].copy()[::-1, ::-1]


def read_only(table):
    made = table.copy(order="K")
    made.flags.writeable = False
    return made


def unaligned(table):
    """Return an array that begins at an odd address."""
    buffer = bytearray(b"x" + np.ascontiguousarray(table).tobytes())
    return np.frombuffer(buffer, dtype=table.dtype, offset=1).reshape(table.shape)


STRIDES = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "strided": strided,
    "backwards": backwards,
    "read-only": read_only,
    "unaligned": unaligned,
}


def shuffled(matrix, seed=0):
    """Return a CSR or CSC matrix whose entries are in no order."""
    rng = np.random.default_rng(seed)
    made = matrix.copy()
    for start, end in zip(made.indptr[:-1], made.indptr[1:], strict=True):
        order = start + rng.permutation(end - start)
        made.indices[start:end], made.data[start:end] = made.indices[order], made.data[order]
    made.has_sorted_indices = False
    return made


def with_long_indices(matrix):
    parts = (matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64))
    return type(matrix)(parts, shape=matrix.shape)


def with_duplicates(matrix):
    """Return a matrix in which every entry is the sum of two, among them zeros."""
    data = np.repeat(matrix.data, 2)
    data[1::2] = matrix.data // 2
    data[::2] -= data[1::2]
    parts = (data, np.repeat(matrix.indices, 2), 2 * matrix.indptr)
    return type(matrix)(parts, shape=matrix.shape)


def with_stored_zeros(matrix):
    """Return a matrix that stores all its entries."""
    made = type(matrix)(np.ones(matrix.shape, dtype=matrix.dtype))
    by_row = matrix.format == "csr"
    made.data[:] = matrix.toarray().ravel(order="C" if by_row else "F")
    return made


def with_locked_arrays(matrix):
    made = matrix.copy()
    for array in (made.data, made.indices, made.indptr):
        array.flags.writeable = False
    return made


ENTRIES = {
    "canonical": lambda matrix: matrix,
    "shuffled": shuffled,
    "long indices": with_long_indices,
    "duplicates": with_duplicates,
    "stored zeros": with_stored_zeros,
    "read-only": with_locked_arrays,
    "read-only and shuffled": lambda matrix: with_locked_arrays(shuffled(matrix)),
    "shuffled duplicates": lambda matrix: shuffled(with_duplicates(matrix)),
}

DENSE_LAYOUTS = {
    **{dtype: lambda table, dtype=dtype: table.astype(dtype) for dtype in DTYPES},
    **{dtype: lambda table, dtype=dtype: table.astype(dtype) for dtype in FOREIGN_BYTE_ORDER},
    **STRIDES,
}
SPARSE_LAYOUTS = {
    **{kind: lambda table, kind=kind: sparse.coo_array(table).asformat(kind) for kind in FORMATS},
    **{
        name: lambda table, make=make: make(sparse.csr_array(table))
        for name, make in ENTRIES.items()
    },
    "columns, shuffled": lambda table: shuffled(sparse.csc_array(table)),
    "columns, duplicates": lambda table: with_duplicates(sparse.csc_array(table)),
    "matrix": sparse.csr_matrix,
    "bytes": lambda table: sparse.csr_array(table.astype("i1")),
    "single": lambda table: sparse.csr_array(table.astype("f4")),
}


def dense_layouts():
    """Give functions that return a table of small whole numbers in another layout."""
    dtypes = st.sampled_from([*DTYPES, *FOREIGN_BYTE_ORDER])
    return st.builds(_dense_layout, dtypes, st.sampled_from(list(STRIDES)))


def sparse_layouts():
    """Give functions that return a table of small whole numbers as a sparse matrix."""
    dtypes = st.sampled_from(["f4", "f8", "i1", "i4", "i8"])
    kinds = st.sampled_from([sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
    stored = st.lists(st.sampled_from(list(ENTRIES)), max_size=2, unique=True)
    others = st.sampled_from(FORMATS)
    return st.builds(_sparse_layout, dtypes, kinds, stored) | st.builds(_format, dtypes, others)


def layouts():
    return dense_layouts() | sparse_layouts()


class _Layout:
    """A function with a name that hypothesis can show."""

    def __init__(self, name, make):
        self.name, self.make = name, make

    def __call__(self, table):
        return self.make(table)

    def __repr__(self):
        return self.name


def _dense_layout(dtype, stride):
    return _Layout(f"{dtype} {stride}", lambda table: STRIDES[stride](table.astype(dtype)))


def _format(dtype, kind):
    make = lambda table: sparse.coo_array(table.astype(dtype)).asformat(kind)  # noqa: E731
    return _Layout(f"{dtype} {kind}", make)


def _sparse_layout(dtype, kind, names):
    def make(table):
        made = kind(table.astype(dtype))
        for name in names:
            made = ENTRIES[name](made)
        return made

    return _Layout(f"{dtype} {kind.__name__} {' '.join(names)}", make)
