"""The features as codes, computed once for all trees that are grown on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._registry import part_of_models
from rarelabels.trees._kernels.criterion import GAP, SINGLE_GAP
from rarelabels.trees._kernels.predict.threshold_sets import Samples
from rarelabels.trees._kernels.structures import COLUMN, FEATURE, STORED, Codes
from rarelabels.trees._schema import UNKNOWN, Schema

# The share of codes that differ from their feature's most frequent one, up to which only those
# are stored.
SPARSE_SHARE = 0.25
BLOCK_SAMPLES = 4096  # new samples that go down the trees together: 64 words of bits
CACHED_ENTRIES = 2**24  # of new samples whose dense blocks are cached for the next forest


@dataclass(frozen=True)
class Coding:
    """The features of X as codes, and how to read new samples.

    Attributes
    ----------
    n_samples, n_features : int
        The shape of X.
    schema : Schema
        Names and categories.
    codes : Codes
        What the kernels read.
    has_missing : bool
        Whether X has missing values.
    """

    n_samples: int
    n_features: int
    schema: Schema
    codes: Codes
    has_missing: bool

    @property
    def encoder(self) -> Encoder:
        """What reads new samples, without the codes of X."""
        return Encoder(self.schema)

    def encode(self, X: Any) -> NewSamples:
        """Return new samples, read once for all forests on this coding."""
        return self.encoder.encode(X)


@part_of_models
@dataclass(frozen=True)
class Encoder:
    """Reads new samples by the schema of a coding."""

    schema: Schema

    def encode(self, X: Any) -> NewSamples:
        """Return new samples, read once for all forests on the coding."""
        return NewSamples(self.schema, self.schema.numbers(X))


@dataclass(frozen=True)
class NewBlock:
    """Some of the new samples as numbers, by feature, from one of them on."""

    start: int
    columns: Array
    is_categorical: Array

    @property
    def n_samples(self) -> int:
        """Number of samples in the block."""
        return self.columns.shape[1]

    @property
    def where(self) -> slice:
        """The block's samples among all."""
        return slice(self.start, self.start + self.n_samples)

    @cached_property
    def samples(self) -> Samples:
        """What the kernels read."""
        return self.with_links(0)

    def with_links(self, n_links: int) -> Samples:
        """Return what the kernels read, with columns for the decisions of links."""
        has_missing, has_unknown = self._irregular
        missing = np.flatnonzero(has_missing)
        rows = np.zeros((missing.size, self.columns.shape[0] + n_links))
        rows[:, : self.columns.shape[0]] = self.columns[:, missing].T
        return Samples(self.columns, missing, rows, np.flatnonzero(has_unknown & ~has_missing))

    @cached_property
    def _irregular(self) -> tuple[Array, Array]:
        """Which samples have missing values, and which have unknown categories."""
        has_missing = np.isnan(self.columns).any(axis=0)
        has_unknown = (self.columns[self.is_categorical] == UNKNOWN).any(axis=0)
        return np.asarray(has_missing), np.asarray(has_unknown)

    def part(self, start: int, end: int) -> NewBlock:
        """Return some samples of the block."""
        columns = np.ascontiguousarray(self.columns[:, start:end])
        return NewBlock(self.start + start, columns, self.is_categorical)


@dataclass(frozen=True)
class NewSamples:
    """New samples as numbers, by the schema of a coding."""

    schema: Schema
    matrix: Matrix

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.matrix.shape[0]

    def blocks(self) -> Iterable[NewBlock]:
        """Return the samples as dense blocks; small ones are cached for all forests."""
        is_small = self.matrix.shape[0] * self.matrix.shape[1] <= CACHED_ENTRIES
        return self._cached_blocks if is_small else self._new_blocks()

    @cached_property
    def _cached_blocks(self) -> list[NewBlock]:
        return list(self._new_blocks())

    def _new_blocks(self) -> Iterator[NewBlock]:
        starts = range(0, self.n_samples, BLOCK_SAMPLES)
        return (self._block(start, start + BLOCK_SAMPLES) for start in starts)

    def _block(self, start: int, end: int) -> NewBlock:
        rows = self.matrix[start:end]
        if sparse.issparse(rows):
            # By feature, as the block has them.
            rows = self.schema.index_categories(rows.toarray(order="F"))
        return NewBlock(start, np.ascontiguousarray(rows.T), self.schema.n_categories > 0)


@dataclass(frozen=True)
class Entries:
    """The codes that differ from their feature's base.

    Attributes
    ----------
    sample, feature, code : (n_entries,) ints
        By sample and feature.
    by_column : (n_entries,) ints
        Their order by feature and code.
    """

    sample: Array
    feature: Array
    code: Array
    by_column: Array


def make_coding(X: Any, schema: Schema) -> Coding:
    """Return the coding of X."""
    numbers = schema.numbers(X)
    n_samples, n_features = numbers.shape
    if sparse.issparse(numbers) and numbers.nnz > SPARSE_SHARE * n_samples * n_features:
        numbers = schema.index_categories(numbers.toarray())
    values = numbers.data if sparse.issparse(numbers) else numbers
    has_missing = bool(np.isnan(values.sum()))
    code = _from_csr if sparse.issparse(numbers) else _from_array
    return Coding(n_samples, n_features, schema, code(numbers, schema), has_missing)


def _from_array(X: Array, schema: Schema) -> Codes:
    columns = np.ascontiguousarray(X.T)
    n_samples = columns.shape[1]
    # Missing values come first, as their code is the lowest.
    keys = np.where(np.isnan(columns), -np.inf, columns)
    order = np.argsort(keys, axis=1, kind="stable").astype(np.int32)
    ranked = np.take_along_axis(columns, order, axis=1)
    is_new = np.ones(ranked.shape, dtype=bool)
    is_new[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    is_new &= ~np.isnan(ranked)
    ranks = np.where(np.isnan(ranked), -1, np.cumsum(is_new, axis=1) - 1).astype(np.int32)
    n_categories = schema.n_categories
    is_categorical = n_categories > 0
    ranks[is_categorical] = np.nan_to_num(ranked[is_categorical], nan=-1.0).astype(np.int32)
    table = np.empty(ranks.shape, dtype=np.int32)
    np.put_along_axis(table, order.astype(np.intp), ranks, axis=1)
    values = [
        np.arange(n, dtype=np.float64) if n else row[new]
        for row, new, n in zip(ranked, is_new, n_categories, strict=True)
    ]
    base, share = _most_frequent(ranks)
    if share < SPARSE_SHARE:
        stored = sparse.coo_array(table.T != base)
        sample, feature = stored.coords
        codes = table[feature, sample]
        by_column = np.lexsort((codes, feature))
        entries = Entries(sample, feature, codes, by_column)
        return _codes(schema, values, base, n_samples, entries)
    return _codes(schema, values, base, n_samples, None, table, order)


def _most_frequent(ranks: Array) -> tuple[Array, float]:
    """Return each feature's most frequent code, and the share of the others among all codes.

    `ranks` are the codes by feature, in ascending order or in that of the categories.
    """
    n_features = ranks.shape[0]
    base = np.zeros(n_features, dtype=np.int32)
    n_base = 0
    for j in range(n_features):
        counts = np.bincount(ranks[j] + 1)
        counts[0] = 0
        base[j] = max(int(counts.argmax()) - 1, 0)
        n_base += int(counts.max(initial=0))
    return base, 1.0 - n_base / max(ranks.size, 1)


def _from_csr(X: sparse.csr_array, schema: Schema) -> Codes:
    """Code a sparse matrix in canonical form, whose base is zero wherever a feature has a zero."""
    n_samples, n_features = X.shape
    stored = X.tocoo()
    sample, feature = stored.coords
    zeros = np.flatnonzero(np.bincount(feature, minlength=n_features) < n_samples)
    all_features = np.concatenate([feature, zeros])
    all_values = np.concatenate([stored.data, np.zeros(zeros.size)])
    by_value = _by_feature_and_value(all_features, all_values, n_features)
    ranked, of = all_values[by_value], all_features[by_value]
    is_new = np.ones(ranked.size, dtype=bool)
    is_new[1:] = (ranked[1:] != ranked[:-1]) | (of[1:] != of[:-1])
    is_new &= ~np.isnan(ranked)
    n_values = np.bincount(of[is_new], minlength=n_features)
    first = np.concatenate([[0], np.cumsum(n_values)[:-1]])
    codes = np.empty(ranked.size, dtype=np.int64)
    codes[by_value] = np.where(np.isnan(ranked), -1, np.cumsum(is_new) - 1 - first[of])
    values = np.split(ranked[is_new], np.cumsum(n_values)[:-1])
    codes, values = _declared_codes(codes, all_features, values, schema)
    base = np.zeros(n_features, dtype=np.int32)
    base[zeros] = codes[feature.size :]
    codes = codes[: feature.size]
    keep = codes != base[feature]
    by_column = by_value[by_value < feature.size]
    places = (np.cumsum(keep) - 1)[by_column[keep[by_column]]]
    entries = Entries(sample[keep], feature[keep], codes[keep], places)
    return _codes(schema, values, base, n_samples, entries)


def _by_feature_and_value(features: Array, values: Array, n_features: int) -> Array:
    """Return the order by feature and value, stably, missing values first."""
    keys = np.where(np.isnan(values), -np.inf, values)
    # Two bytes are sorted by their digits, which is quicker.
    dtype = np.uint16 if n_features <= 2**16 else np.int64
    return np.lexsort((keys, features.astype(dtype)))


def _declared_codes(
    codes: Array, features: Array, values: list[Array], schema: Schema
) -> tuple[Array, list[Array]]:
    """Replace ranks among the values by the categories' indices, where they differ."""
    for j, known in enumerate(schema.categories):
        if known is None or np.array_equal(known, values[j]):
            continue
        entries = np.flatnonzero((features == j) & (codes >= 0))
        index = np.searchsorted(known, values[j])
        codes[entries] = index[codes[entries]]
    all_values = [
        value if known is None else np.arange(known.size, dtype=np.float64)
        for value, known in zip(values, schema.categories, strict=True)
    ]
    return codes, all_values


def _codes(
    schema: Schema,
    values: list[Array],
    base: Array,
    n_samples: int,
    entries: Entries | None,
    table: Array | None = None,
    order: Array | None = None,
) -> Codes:
    sizes = np.array([value.size for value in values], dtype=np.int64)
    n_categories = schema.n_categories
    row_starts, stored, column_starts, column = _by_row_and_column(entries, n_samples, len(values))
    features = np.zeros(len(values) + 1, dtype=FEATURE)
    features["value_start"][1:] = np.cumsum(sizes)
    features["column_start"] = column_starts
    features["n_categories"][:-1] = n_categories
    features["base_code"][:-1] = base
    nothing = np.zeros((0, 0), dtype=np.int32)
    return Codes(
        is_sparse=entries is not None,
        all_two_valued=bool(sizes.max(initial=0) <= 2),
        all_many=bool((n_categories > 0).all()),
        n_features=len(values),
        features=features,
        values=np.concatenate([np.zeros(0), *values]),
        is_close=np.concatenate(
            [np.zeros(0, dtype=bool), *(_is_close(v, schema.is_single) for v in values)]
        ),
        table=nothing if table is None else table,
        order=nothing if order is None else order,
        row_starts=row_starts,
        stored=stored,
        column=column,
    )


def _records(dtype: np.dtype[Any], **fields: Array) -> Array:
    """Return arrays as one array of records."""
    records = np.zeros(next(iter(fields.values())).size, dtype=dtype)
    for name, values in fields.items():
        records[name] = values
    return records


def _is_close(values: Array, is_single: bool) -> Array:
    """Return which values may be too close to the next one to be separated from it."""
    is_close = np.zeros(values.size, dtype=bool)
    if is_single:
        single = values.astype(np.float32)
        is_close[:-1] = single[:-1] + SINGLE_GAP >= single[1:]
    else:
        is_close[:-1] = values[:-1] + GAP >= values[1:]
    return is_close


def _by_row_and_column(
    entries: Entries | None, n_samples: int, n_features: int
) -> tuple[Array, Array, Array, Array]:
    """Return the stored codes by sample and feature, and by feature and code, each with starts."""
    entries = entries or Entries(*(np.zeros(0, dtype=np.int32) for _ in range(4)))
    sample, feature, code = entries.sample, entries.feature, entries.code
    by_column = entries.by_column
    return (
        _starts(sample, n_samples),
        _records(STORED, feature=feature, code=code),
        _starts(feature, n_features),
        _records(COLUMN, sample=sample[by_column], code=code[by_column]),
    )


def _starts(index: Array, size: int) -> Array:
    counts = np.bincount(index, minlength=size)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
