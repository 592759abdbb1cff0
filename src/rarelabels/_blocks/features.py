"""X with its numbers in blocks that lie elsewhere."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from rarelabels._blocks.assembly import SpreadValues, stacked_rows
from rarelabels._blocks.collection import Collection, Gathering, gather
from rarelabels._blocks.facts import NONE, Facts, NumberCoding, coding_of, facts_of, joined_facts
from rarelabels._blocks.tasks import compute, constant, delayed, delayed_beside, reduced
from rarelabels._containers import AddedSamples, Array, Matrix, column_of, contain
from rarelabels._features import (
    Features,
    as_numbers,
    back_to_integers,
    bad_value,
    categorical_mask,
    is_category_of,
    offsets_from,
)

# Synthetic samples are made so many entries at a time: their parents are there as well, twice.
GROWN_ENTRIES = 2**21


@dataclass(frozen=True)
class Block:
    """Some samples as numbers.

    Attributes
    ----------
    numbers : (m, d) ndarray
        As `Features.numbers`.
    integers : mapping of feature to (m,) ndarray of uint64
        Features of integers that no float holds: what they exceed their minimum by.
    """

    numbers: Array
    integers: dict[int, Array]

    def __len__(self) -> int:
        return self.numbers.shape[0]

    def __sizeof__(self) -> int:
        # By this Dask decides where tasks run, and what memory holds.
        return self.numbers.nbytes + sum(held.nbytes for held in self.integers.values())

    def take(self, rows: Any) -> Block:
        """Return some samples: an array of their numbers or a slice."""
        return Block(self.numbers[rows], {j: held[rows] for j, held in self.integers.items()})

    @staticmethod
    def join(blocks: list[Block]) -> Block:
        """Return the samples of several blocks."""
        if len(blocks) == 1:
            return blocks[0]
        integers = {j: np.concatenate([b.integers[j] for b in blocks]) for j in blocks[0].integers}
        return Block(np.concatenate([block.numbers for block in blocks]), integers)


@dataclass(frozen=True)
class BlockFeatures(Features):
    """The features of a Dask collection, which are never in one place."""

    container: Collection
    categorical: Array

    @cached_property
    def facts(self) -> Facts:
        """What all blocks know of the columns."""
        facts = scanned(self.container, self.categorical)
        if (facts.infinities != NONE).any():
            row = int(facts.infinities.min())
            column = int(np.flatnonzero(facts.infinities == row)[0])
            raise ValueError(bad_value("infinity", row, column, self.container.names))
        return facts

    @cached_property
    def coding(self) -> NumberCoding:
        """How values become numbers."""
        for j, values in self.facts.values.items():
            if not self.categorical[j]:
                # Text that is no category, or several kinds of values, is refused here.
                as_numbers(_objects(list(values.firsts)), j, self.container.names)
        return coding_of(self.facts, self.categorical)

    @cached_property
    def blocks(self) -> list[Any]:
        """The tasks that return the numbers of each block."""
        coding = constant(self.coding)
        names = constant(self.container.names)
        return [
            delayed_beside(block, numbers_of_block)(block, coding, names)
            for block in self.container.blocks
        ]

    @property
    def has_gaps(self) -> Array:
        """Which features are missing in some samples."""
        return self.facts.gaps != NONE

    @cached_property
    def ranges(self) -> tuple[Array, Array]:
        """The least and the largest number of each feature, NaN where all are missing."""
        low, high = self.facts.low.copy(), self.facts.high.copy()
        for j, codes in self.coding.codes.items():
            low[j], high[j] = (0.0, len(codes) - 1.0) if codes else (np.nan, np.nan)
        for j in self.coding.lows:
            least, most = self.facts.integers[j]
            low[j], high[j] = 0.0, float(int(most) - int(least))
        return low, high

    @cached_property
    def category_values(self) -> dict[int, Array]:
        """The numbers that each categorical feature takes, sorted."""
        found = {}
        for j in np.flatnonzero(self.categorical).tolist():
            codes = self.coding.codes.get(j)
            values = self.facts.values[j].firsts if codes is None else range(len(codes))
            found[j] = np.sort(np.array(list(values), dtype=np.float64))
        return found

    def rows(self, start: int, stop: int) -> Any:
        """Return the task that joins consecutive samples."""
        edges, pieces = self.container.edges, []
        for number in range(len(self.blocks)):
            first, last = max(start, edges[number]), min(stop, edges[number + 1])
            if first < last:
                pieces.append((self.blocks[number], first - edges[number], last - edges[number]))
        join = delayed_beside(pieces[0][0], _join_slices)
        return join([one for one, _, _ in pieces], [c[1:] for c in pieces])

    def gathered(self, samples: Array) -> Any:
        """Return the task that puts some samples together, in their order."""
        return gather(self.blocks, self.container.edges, samples, Gathering(Block.take, Block.join))

    def grow(
        self,
        make: Callable[[Matrix, Array, np.random.Generator], tuple[Matrix, Array]],
        members: Array,
        rng: np.random.Generator,
    ) -> tuple[Any, Array]:
        """Make synthetic samples where the data is, a block at a time; see `Features.grow`."""
        maker, n_features = constant(make), self.container.shape[1]
        size = min(self.container.largest, max(1, GROWN_ENTRIES // n_features))
        parts = [members[start : start + size] for start in range(0, members.shape[0], size)]
        made = []
        for part in parts:
            held, local = _told_apart(part)
            own = copy.deepcopy(rng)
            # What the block will draw is drawn here too, so that the next goes on behind it.
            rng.random((part.shape[0], n_features))
            made.append(delayed(_grown, nout=2)(maker, self.gathered(held), local, own))
        places = [np.empty(0), *compute([place for _, place in made])]
        values = SpreadValues([block for block, _ in made], [part.shape[0] for part in parts])
        return values, np.concatenate(places)

    def stack(self, rows: Array, values: Any = None) -> Any:
        """Return some samples and synthetic ones behind them, as a Dask collection."""
        if values is None:
            return stacked_rows(self.container, rows)
        specimen, renewal = self._renewal()
        like = _renewed(specimen, renewal, self._no_values())
        shared = [constant(specimen), constant(renewal)]
        made = [delayed(_renewed)(*shared, block) for block in values.blocks]
        return stacked_rows(self.container, rows, SpreadValues(made, values.sizes), like)

    def _no_values(self) -> Array:
        return np.empty((0, self.container.shape[1]), dtype=self.coding.dtype)

    def _renewal(self) -> tuple[Any, Renewal]:
        """Return samples with each value that is given as a code or missing, and what they are."""
        of_codes = {
            j: [*self.facts.values[j].firsts.values(), *_known_row(self.facts.gaps[j])]
            for j in self.coding.codes
        }
        with_gaps = self.facts.gaps[self.has_gaps].tolist()
        held = np.unique([row for rows in of_codes.values() for row in rows] + with_gaps)
        held = held.astype(np.intp) if held.size else np.zeros(1, dtype=np.intp)
        sources = {j: np.searchsorted(held, rows) for j, rows in of_codes.items()}
        integers = {j: self.facts.integers[j] for j in self.coding.lows}
        specimen = compute([self.container.gathered(held)])[0]
        return specimen, Renewal(self.categorical, sources, integers)

    def digests(self, digest: Callable[[Array], Array]) -> Array:
        """Return what a function makes of the numbers of each sample."""
        made = [delayed_beside(one, _digest)(digest, one) for one in self.blocks]
        return np.concatenate(compute(made))


def refuse_blocks(features: Features, what: str) -> None:
    """Refuse a Dask collection where a setting needs X in one place."""
    if isinstance(features, BlockFeatures):
        raise ValueError(f"{what} needs X in one place, and it is a Dask collection.")


@dataclass(frozen=True)
class Renewal:
    """How numbers become values of X again, beside samples that hold each value.

    Attributes
    ----------
    exact : (d,) bool
        Columns whose values were all seen in the input.
    sources : mapping of column to ndarray
        For each code the sample with its value, one with a gap last.
    integers : mapping of column to two integers
        The least and the largest of columns of integers that no float holds.
    """

    exact: Array
    sources: dict[int, Array]
    integers: dict[int, tuple[Any, Any]]


def _renewed(specimen: Any, renewal: Renewal, values: Array) -> Any:
    """Return synthetic samples in the container of the specimen."""
    sources = {}
    for j, of_codes in renewal.sources.items():
        column = column_of(values, j)
        codes = np.where(np.isnan(column), of_codes.size - 1, column)
        sources[j] = of_codes[codes.astype(np.intp)]
    integers = {j: back_to_integers(values[:, j], *ends) for j, ends in renewal.integers.items()}
    new = AddedSamples(values, renewal.exact, sources, integers)
    return contain(specimen).stack(np.empty(0, dtype=np.intp), new)


def block_features(X: Any, categorical_features: Any) -> BlockFeatures:
    """Wrap a Dask collection, and say which of its columns are categorical."""
    container = Collection.of(X)
    if not (isinstance(categorical_features, str) and categorical_features == "auto"):
        return BlockFeatures(container, categorical_mask(container, categorical_features))
    n_columns = container.shape[1]
    mask = np.array([container.is_category(j) for j in range(n_columns)], dtype=bool)
    is_open = np.array([container.is_open(j) for j in range(n_columns)], dtype=bool)
    if (mask & is_open).any():
        facts = scanned(container, mask)
        for j in np.flatnonzero(mask & is_open).tolist():
            values = facts.values[j]
            mask[j] = is_category_of(set(values.kinds), len(values.firsts), values.n_known)
    return BlockFeatures(container, mask)


def scanned(container: Collection, may_be_categorical: Array) -> Facts:
    """Ask all blocks for what they know of their columns."""
    may_be_categorical = may_be_categorical | [
        container.is_open(j) for j in range(container.shape[1])
    ]
    ask = partial(facts_of, may_be_categorical=may_be_categorical)
    told = [delayed_beside(block, ask)(block) for block in container.blocks]
    return reduced(told, joined_facts)


def numbers_of_block(data: Any, coding: NumberCoding, names: Any) -> Block:
    """Return the numbers of a block."""
    container = contain(data)
    matrix = None if coding.codes else container.numbers()
    if matrix is None:
        matrix = np.empty(container.shape, dtype=coding.dtype)
        for j in range(container.shape[1]):
            column = container.column(j)
            codes = coding.codes.get(j)
            matrix[:, j] = (
                as_numbers(column, j, names)
                if codes is None
                else [codes.get(value, np.nan) for value in column.tolist()]
            )
    integers = {j: offsets_from(low, container.column(j)) for j, low in coding.lows.items()}
    matrix = np.array(matrix, dtype=coding.dtype) if integers else aligned(matrix, coding.dtype)
    for j, offsets in integers.items():
        matrix[:, j] = offsets
    return Block(matrix, integers)


def aligned(matrix: Array, dtype: Any = None) -> Array:
    """Return an array whose rows and numbers lie as the processor expects them.

    What workers sent to each other does not, and NumPy copies all of it to take a few rows.
    """
    return np.require(matrix, dtype, ["C_CONTIGUOUS", "ALIGNED"])


def _join_slices(blocks: list[Block], slices: list[tuple[int, int]]) -> Block:
    parts = [block.take(slice(*ends)) for block, ends in zip(blocks, slices, strict=True)]
    return Block.join(parts)


def _grown(make: Any, block: Block, members: Array, rng: Any) -> tuple[Matrix, Array]:
    # A task may run more than once.
    return make(block.numbers, members, copy.deepcopy(rng))


def _digest(digest: Callable[[Array], Array], block: Block) -> Array:
    return digest(block.numbers)


def _told_apart(members: Array) -> tuple[Array, Array]:
    """Return the different members, and the place of each among them; −1 stays −1."""
    held, places = np.unique(members, return_inverse=True)
    n_none = int(np.searchsorted(held, 0))
    return held[n_none:], places.reshape(members.shape) - n_none


def _known_row(row: int) -> list[int]:
    return [] if row == NONE else [int(row)]


def _objects(values: list[Any]) -> Array:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made
