"""The memory of each thread in an approximate search, which is estimated before it starts."""

from __future__ import annotations

from dataclasses import dataclass

from rarelabels._containers import Array

# Blocks of X that a thread has while it reads, and what it needs in addition to samples: centers,
# distances to them, buffers, and memory that cannot be returned.
BLOCKS_AT_ONCE = 3
OTHER_BYTES = 30_000_000
# The largest share of a round relative to the average.
UNEVEN = 1.3


@dataclass(frozen=True)
class ThreadMemory:
    """What determines the memory of each thread.

    Attributes
    ----------
    block_bytes : int
        Memory of the largest block of X.
    bytes_per_sample : int
        Memory of a sample that is sent.
    n_columns : int
        Number of columns of a sample in a search.
    n_neighbors : int
        Number of neighbors of a sample.
    n_threads : int
        Number of threads that run tasks.
    """

    block_bytes: int
    bytes_per_sample: int
    n_columns: int
    n_neighbors: int
    n_threads: int

    @property
    def reading(self) -> int:
        """Memory of the blocks that a thread has while it reads X, and what else it needs."""
        return BLOCKS_AT_ONCE * self.block_bytes + OTHER_BYTES

    def learning(self, n_learned: int) -> int:
        """Memory to learn regions: the samples as they arrive, joined, and in single precision."""
        arriving = n_learned * self.bytes_per_sample
        return max(self.reading + arriving, OTHER_BYTES + 2 * arriving + self._single(n_learned))

    def searching(self, n_samples: int) -> int:
        """Memory to search a region: its samples joined, in double precision, and twice single.

        About half of its samples also arrive from other workers.
        """
        joined = n_samples * (self.bytes_per_sample * 3 // 2 + 8 * self.n_columns)
        return joined + 2 * self._single(n_samples)

    def _single(self, n_samples: int) -> int:
        return n_samples * self.n_columns * 4


@dataclass(frozen=True)
class SendingPlan:
    """What a search will move and need.

    Attributes
    ----------
    rounds : list of ndarray
        The regions that are searched at a time.
    n_targets, n_visits : (r,) ndarray of ints
        Number of samples of each region, and of the queries from other regions.
    memory : ThreadMemory
        What determines the memory of each thread.
    n_learned : int
        Number of samples that the regions are learned from.
    """

    rounds: list[Array]
    n_targets: Array
    n_visits: Array
    memory: ThreadMemory
    n_learned: int

    @property
    def gigabytes(self) -> float:
        """The memory of each thread, at most, from learning to the search of the last region.

        In a round it has its share of the samples, which may be larger than others, and of their
        neighbors, and reads X or searches a region. It also has the regions of its share of all
        samples.
        """
        counts, memory = self.n_targets + self.n_visits, self.memory
        assigned = 4 * self.n_targets.sum() + 8 * self.n_visits.sum()
        n_sent = max(counts[part].sum() for part in self.rounds)
        sent = n_sent * (UNEVEN * memory.bytes_per_sample + 8 + 12 * memory.n_neighbors)
        working = max(memory.reading, OTHER_BYTES + memory.searching(int(counts.max())))
        in_round = (assigned + sent) / memory.n_threads + working
        return float(max(in_round, memory.learning(self.n_learned)) / 1e9)

    def __str__(self) -> str:
        n_samples, n_visits = int(self.n_targets.sum()), int(self.n_visits.sum())
        return (
            f"approximate search: {n_samples:,} samples in {self.n_targets.size} regions, "
            f"of which the largest has {int(self.n_targets.max()):,}. Each sample is sent "
            f"{1 + n_visits / n_samples:.2f} times on average, in {len(self.rounds)} rounds. Each "
            f"of {self.memory.n_threads} threads needs about {self.gigabytes:.2g} GB, with the "
            "blocks that it reads."
        )
