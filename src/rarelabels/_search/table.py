"""Candidates of consecutive samples as a table of integers, one row for each, nearest first.

An integer holds the value of a candidate above its sample: floats that are not negative have their
bits in their order, so that one sort orders by value and then by sample. To sort many short rows
takes a fraction of the time of one long sort.
"""

from __future__ import annotations

import numpy as np

from rarelabels._containers import Array

SAMPLE_BITS = 32
LAST_SAMPLE = 2**SAMPLE_BITS - 1


def packed(value: Array, sample: Array | int) -> Array:
    """Return integers in the order of values in single precision, then of samples."""
    # The sum makes the zero of −0, whose bits are not in this order.
    bits = (np.maximum(value, 0) + np.float32(0)).view(np.int32)
    return (bits.astype(np.int64) << SAMPLE_BITS) | sample


def values_in(keys: Array) -> Array:
    """Return the values of candidates."""
    return (keys >> SAMPLE_BITS).astype(np.int32).view(np.float32)


def samples_in(keys: Array) -> Array:
    """Return the samples of candidates."""
    return keys & LAST_SAMPLE


# Stands where a row has no more candidates: farther than any.
NOTHING = int(packed(np.array([np.inf], dtype=np.float32), LAST_SAMPLE)[0])


def with_candidates(table: Array, row: Array, keys: Array, most: int) -> Array:
    """Return a table with more candidates in it, in any order; of one row the nearest `most`."""
    n_rows, width = table.shape
    counts = np.bincount(row, minlength=n_rows)
    order, place = _places(row, keys, counts, most)
    made = np.full((n_rows, width + min(most, counts.max())), NOTHING)
    made[:, :width] = table
    made[row[order], width + place] = keys[order]
    made.sort(axis=1)
    return made


def _places(row: Array, keys: Array, counts: Array, most: int) -> tuple[Array, Array]:
    """Return the candidates row by row, and the place of each in its row."""
    is_over = counts.max() > most
    # Numbers of 16 bits are sorted by counting.
    order = np.lexsort((keys, row)) if is_over else np.argsort(row.astype("u2"), kind="stable")
    place = np.arange(row.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return (order[place < most], place[place < most]) if is_over else (order, place)
