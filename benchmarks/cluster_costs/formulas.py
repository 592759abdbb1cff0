"""What each step on a Dask collection computes, sends and holds, counted from the code.

Constants of the library are imported, so that the counts follow them. The amounts of work have
units, such as the flops of training regions. `fitting` measures the seconds of each unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, exp, log2, sqrt

import numpy as np

from rarelabels._dask import approximate, features, regions, search, search_memory
from rarelabels._neighbors import approximate as one_machine
from rarelabels.learners import _kernel_ridge
from rarelabels.learners._ridge import parts
from rarelabels.learners._ridge.kernels import ENTRIES_AT_ONCE

Amounts = dict[str, float]

# A neighbor that was found: its number as int32, and its distance key as float64.
FOUND_BYTES = 12
# A candidate for a neighbor also has the number of its row.
CANDIDATE_BYTES = 16
# The tiles of a search on each worker.
TILE_BYTES = 15e6
# The floats of statistics for each column of a block.
STATISTICS = 4
# Regions are halved until they are small enough. On average this makes so many times the regions.
HALVING = sqrt(2)
# Reads of X by a fit of KernelRidgeClassifier, and if there are more features than landmarks.
RIDGE_READS, WIDE_RIDGE_READS = 20, 28
# Candidates for each neighbor that a region ranks in double precision.
MORE = one_machine.MORE


@dataclass(frozen=True)
class Workload:
    """The size of the data and of the cluster.

    Attributes
    ----------
    n_samples, n_features, n_labels, n_neighbors, n_workers : int
        The sizes. A worker has one thread.
    itemsize : int
        Bytes of a value of X.
    positives : float
        Positive labels of a sample.
    visits : float
        Other regions that a sample is sent to as a query, on average. This depends on the data.
    probes, searched_exactly : float
        Cells of a region that a query is compared with, and the share of regions in which this
        would not be faster than an exact search. These depend on the data as well.
    sampling_ratio : float
        Synthetic samples of MLSOL for each sample.
    n_landmarks : int
        Landmarks of KernelRidgeClassifier.
    given_rows : int
        Rows of a panel; 0 for those that the library chooses.
    """

    n_samples: int
    n_features: int
    n_workers: int
    n_labels: int = 100
    n_neighbors: int = 5
    itemsize: int = 4
    positives: float = 3.0
    visits: float = 1.0
    probes: float = 4.0
    searched_exactly: float = 0.0
    sampling_ratio: float = 0.3
    n_landmarks: int = _kernel_ridge.DEFAULT_LANDMARKS
    given_rows: int = 0

    @property
    def elsewhere(self) -> float:
        """The share of data that has to be sent if it is needed on a random worker."""
        return 1 - 1 / self.n_workers

    @property
    def panel_rows(self) -> int:
        """Rows of a panel, as `panels_of` chooses them."""
        if self.given_rows:
            return self.given_rows
        wanted = max(search.LEAST_PANELS, search.PANELS_PER_WORKER * self.n_workers)
        most = max(search.WIDE_ROWS, search.PANEL_ENTRIES // self.n_features)
        return min(max(self.n_samples // wanted, min(search.PANEL_ROWS, most)), most)

    @property
    def n_panels(self) -> int:
        """Number of panels. Blocks of X are assumed to be panels."""
        return max(1, round(self.n_samples / self.panel_rows))

    @property
    def wanted_regions(self) -> int:
        """The least number of regions, so that none has more than its entries."""
        entries = self.n_samples * self.n_features
        return max(approximate.LEAST_REGIONS, ceil(entries / approximate.REGION_ENTRIES))

    @property
    def n_learned(self) -> int:
        """Number of samples that cells are learned from."""
        cells = max(approximate.LEAST_CELLS, approximate.CELLS_PER_REGION * self.wanted_regions)
        most = approximate.LEARNED_ENTRIES // self.n_features
        return min(self.n_samples, approximate.LEARNED_FROM * cells, most)

    @property
    def n_cells(self) -> int:
        """Number of cells: there are no more than the samples that they are learned from."""
        cells = max(approximate.LEAST_CELLS, approximate.CELLS_PER_REGION * self.wanted_regions)
        return min(cells, self.n_learned)

    @property
    def n_regions(self) -> float:
        """Expected number of regions. A region has at least one cell."""
        return min(HALVING * self.wanted_regions, self.n_cells)

    @property
    def largest_region(self) -> float:
        """Samples of the largest region. It is larger than wanted if it is a single cell."""
        return self.n_samples / min(self.wanted_regions, self.n_cells)

    @property
    def n_rounds(self) -> int:
        """Number of rounds in which regions are searched."""
        of_thread = approximate.LEAST_REGIONS_OF_THREAD * self.n_workers
        most = min(approximate.MOST_ROUNDS, int(self.n_regions) // of_thread)
        rounds = ceil(self.sent * self.sent_bytes / self.n_workers / approximate.ROUND_BYTES)
        return max(1, min(rounds, most))

    @property
    def sent_bytes(self) -> int:
        """Bytes of a sample that is sent."""
        return self.n_features * self.itemsize + 8

    @property
    def sent(self) -> float:
        """How often samples are sent to regions, as samples and as queries."""
        return self.n_samples * (1 + self.visits)


@dataclass(frozen=True)
class Cost:
    """What a step takes.

    Attributes
    ----------
    work : dict of str to float
        Units of work that workers share.
    alone : dict of str to float
        Units of work of one worker, while the others wait.
    driver : dict of str to float
        Units of work of the driver.
    n_tasks : float
        Number of tasks.
    n_parts, n_graphs : float
        Number of tasks among which most of the work is divided, and number of graphs in which
        tasks are submitted one after another.
    moved, to_driver : float
        Bytes sent between workers, and to the driver.
    read : float
        Bytes of X that are read. Dask moves a part of them although it need not.
    memory, driver_memory : float
        Bytes that each worker and the driver need, without the libraries. A worker's share of X
        is included.
    """

    work: Amounts = field(default_factory=dict)
    alone: Amounts = field(default_factory=dict)
    driver: Amounts = field(default_factory=dict)
    n_tasks: float = 0.0
    n_parts: float = 1.0
    n_graphs: float = 1.0
    moved: float = 0.0
    to_driver: float = 0.0
    read: float = 0.0
    memory: float = 0.0
    driver_memory: float = 0.0


def size_of_X(load: Workload) -> float:
    """Return the bytes of X."""
    return float(load.n_samples * load.n_features * load.itemsize)


def share_of_X(load: Workload) -> float:
    """Return the bytes of X on each worker."""
    return size_of_X(load) / load.n_workers


def read_ranges(load: Workload) -> Cost:
    """Count the step that reads the ranges of columns.

    Each value is read once. A block returns four floats for each column, and up to 16 blocks are
    joined by one task, which gets them from other workers.
    """
    entries = load.n_samples * load.n_features
    of_block = STATISTICS * 8.0 * load.n_features
    blocks = load.n_panels
    return Cost(
        work={"scanned entry": entries},
        n_tasks=2.0 * blocks + ceil(blocks / 15),
        n_parts=blocks,
        moved=blocks * of_block * load.elsewhere,
        to_driver=of_block,
        read=size_of_X(load),
        memory=share_of_X(load) + load.panel_rows * load.n_features * 8,
    )


def n_stages(n_hosts: int, n_panels: int) -> int:
    """Return in how many stages a guest is compared with its hosts: they double in size."""
    step = max(1, n_panels // 16)
    return ceil(log2(n_hosts / step + 1))


def exact_search(load: Workload) -> Cost:
    """Count the exact search by panels.

    Each of n²/2 pairs of samples is multiplied once, in d + 2 columns, and compared with two
    limits. Each of P(P−1)/2 pairs of panels converts the host's entries again and updates the rows
    of both. A guest is sent in double precision to every other worker with one of its hosts: with
    p hosts on random workers, a worker has one with probability 1 − (1 − 1/W)^p. In each stage its
    neighbors found so far go to the same workers, which return candidates: about one for each
    neighbor and host in the first stage, and two for each neighbor in each later stage. While a
    guest and a host are compared, both are in memory in double precision, and twice in single
    precision.
    """
    n, d, k = load.n_samples, load.n_features, load.n_neighbors
    rows, panels = load.panel_rows, load.n_panels
    n_pairs = panels * (panels - 1) / 2
    stages, visited, returned = 0.0, 0.0, 0.0
    for hosts, times in _hosts(panels):
        others = (load.n_workers - 1) * (1 - (1 - 1 / load.n_workers) ** hosts)
        of_guest = n_stages(hosts, panels)
        stages += times * of_guest
        visited += times * others * (8 * d + FOUND_BYTES * k * of_guest)
        first = min(hosts, max(1, panels // 16))
        returned += times * k * (first + 2 * (of_guest - 1)) * load.elsewhere
    return Cost(
        work={
            "layout entry": 2.0 * n * d,
            "tile flop": n**2 * (d + 2.0),
            "tile pair": n**2 / 2,
            "host entry": n_pairs * rows * d,
            "row of a pair": n_pairs * 2 * rows,
            "staged row": stages * rows,
        },
        driver={"graph task": exact_tasks(panels, stages)},
        n_tasks=exact_tasks(panels, stages),
        n_parts=max(1.0, n_pairs),
        moved=rows * (visited + returned * CANDIDATE_BYTES),
        to_driver=8.0 * n * k,
        memory=share_of_X(load)
        + FOUND_BYTES * n * k / load.n_workers
        + 2 * 16 * rows * d
        + TILE_BYTES,
        driver_memory=2 * 8.0 * n * k,
    )


def _hosts(panels: int, most: int = 2000) -> list[tuple[float, float]]:
    """Return numbers of hosts and how many guests have them, summarized if there are many."""
    if panels <= most:
        return [(hosts, 1.0) for hosts in range(1, panels)]
    width = (panels - 1) / most
    return [((number + 0.5) * width, width) for number in range(most)]


def exact_tasks(panels: int, stages: float) -> float:
    """Return the number of tasks of an exact search.

    A pair of panels takes four: a copy of the host, the comparison and two parts of its result. A
    guest takes one more, one for each stage, and, except for the first two, one that waits for an
    earlier guest. A panel takes seven: three that read it, two for its layout, one that searches
    it alone, and its result. Two tasks compute the common layout, and three hold constants.
    """
    guests = panels - 1
    waiting = max(0, guests - search.UNDER_WAY)
    return 2 * panels * guests + guests + waiting + stages + 7 * panels + 5


def split_amounts(cells: float, d: int, groups: float) -> Amounts:
    """Count dividing centers into groups.

    Each split needs the eigenvectors of a d × d matrix, and the splits of one level sum up to the
    products of all centers.
    """
    return {"split cube": groups * d**3, "split flop": 2.0 * cells * d**2 * log2(groups)}


def learn_regions(load: Workload) -> Cost:
    """Count learning the cells and regions of the approximate search.

    One worker gets some samples from all others. Each round of training, and one final search,
    multiplies them with all centers. Cells with samples between them become bundles, which are
    divided into groups.
    """
    d, learned, cells = load.n_features, load.n_learned, load.n_cells
    bundles = min(cells, regions.BUNDLES_PER_REGION * load.n_regions)
    return Cost(
        alone={
            "train flop": 2.0 * d * learned * cells * (regions.ROUNDS + 1),
            "trained pair": float(learned * cells * (regions.ROUNDS + 1)),
            "bundled sample": float(learned),
            **split_amounts(bundles, d, load.n_regions),
        },
        n_tasks=3.0 * load.n_panels + 5,
        n_parts=load.n_panels,
        moved=learned * d * load.itemsize * load.elsewhere,
        to_driver=4.0 * cells * d,
        read=size_of_X(load),
        memory=share_of_X(load) + memory_of(load).learning(learned),
        driver_memory=4.0 * cells * d,
    )


def measure_recall(load: Workload) -> Cost:
    """Count the exact search for the samples on which the recall is measured.

    Every panel is multiplied with 500 samples, which are sent once to each worker. Each panel
    returns its k + 1 nearest samples of all of them to the driver. X is read three times: to gather
    the samples, to search, and to gather their neighbors.
    """
    n, d, k = load.n_samples, load.n_features, load.n_neighbors
    measured = min(approximate.MEASURED, n)
    queries = measured * d * load.itemsize
    return Cost(
        work={"pilot flop": 2.0 * n * d * measured, "pilot pair": float(n * measured)},
        driver={"graph task": 10.0 * load.n_panels},
        n_tasks=10.0 * load.n_panels + 10,
        n_parts=load.n_panels,
        moved=queries * (load.n_workers - 1) + measured * k * d * load.itemsize,
        to_driver=load.n_panels * measured * (k + 1) * FOUND_BYTES + queries * (1.0 + k),
        read=3 * size_of_X(load),
        memory=share_of_X(load) + memory_of(load).reading + queries,
    )


def assign_regions(load: Workload) -> Cost:
    """Count assigning each sample to its region and to those that it visits.

    Every sample is multiplied with all centers. Every worker gets the centers. Every panel returns
    two counts for each region to the driver.
    """
    n, d = load.n_samples, load.n_features
    of_regions = 4.0 * load.n_cells * d
    return Cost(
        work={
            "assign flop": 2.0 * n * d * load.n_cells,
            "assigned sample": float(n),
            "assigned entry": float(n * d),
        },
        driver={"graph task": 5.0 * load.n_panels},
        n_tasks=5.0 * load.n_panels + 4,
        n_parts=load.n_panels,
        moved=of_regions * (load.n_workers - 1),
        to_driver=16.0 * load.n_panels * load.n_regions,
        read=size_of_X(load),
        memory=share_of_X(load) + memory_of(load).reading + of_regions,
        driver_memory=16.0 * load.n_panels * load.n_regions,
    )


def send_samples(load: Workload) -> Cost:
    """Count sending each sample to its region and to those that it visits.

    In each round, each panel is read and divided into a part for each region of the round, and one
    task takes out each part. All but 1/W of the parts go to another worker.
    """
    entries, panels = load.sent * load.n_features, load.n_panels
    n_tasks = 4.0 * panels * load.n_rounds + panels * load.n_regions
    return Cost(
        work={"sent entry": entries, "sent part": panels * load.n_regions},
        driver={"graph task": n_tasks},
        n_tasks=n_tasks,
        n_parts=panels,
        n_graphs=load.n_rounds,
        moved=load.sent * load.sent_bytes * load.elsewhere,
        read=load.n_rounds * size_of_X(load),
        memory=share_of_X(load) + stated_memory(load),
    )


def memory_of(load: Workload) -> search_memory.ThreadMemory:
    """Return what determines the memory of an approximate search in the library."""
    return search_memory.ThreadMemory(
        block_bytes=load.panel_rows * load.sent_bytes,
        bytes_per_sample=load.sent_bytes,
        n_columns=load.n_features,
        n_neighbors=load.n_neighbors,
        n_threads=load.n_workers,
    )


def stated_memory(load: Workload) -> float:
    """Return the bytes of a thread that the library would state before it sends samples.

    Regions are equally large, except for one.
    """
    n_regions = max(1, round(load.n_regions))
    n_targets = np.full(n_regions, load.n_samples / n_regions)
    n_targets[0] = load.largest_region
    rounds = np.array_split(np.arange(n_regions), load.n_rounds)
    plan = search_memory.SendingPlan(
        rounds, n_targets, load.visits * n_targets, memory_of(load), load.n_learned
    )
    return 1e9 * plan.gigabytes


def search_regions(load: Workload) -> Cost:
    """Count searching the regions.

    A region of m samples has c = 4 √m cells. They are learned from 16 c samples in 6 rounds. All
    samples are multiplied with all centers, and 200 samples with the whole region. Then each query
    is multiplied with all centers and with the samples of some cells, and k + 7 candidates are
    ranked in double precision. If this is not faster, the m samples and the queries of the region
    are compared exactly, each pair of samples once. The driver gets k neighbors of every
    sample and every query.
    """
    n, d, k = load.n_samples, load.n_features, load.n_neighbors
    settings, m = approximate.CELLS, n / load.n_regions
    cells = one_machine.CELLS * sqrt(m)
    learned = min(m, settings.learned_from * cells)
    products = load.n_regions * (learned * settings.rounds + m + settings.measured * m / cells)
    queries = load.sent * (1 - load.searched_exactly)
    n_pairs = n * m * (0.5 + load.visits) * load.searched_exactly
    return Cost(
        work={
            "region flop": 2.0 * d * cells * (products + queries),
            "scan flop": 2.0 * d * queries * load.probes * m / cells,
            "ranked entry": queries * (k + 1 + MORE) * d,
            "region pair": n_pairs,
            "region pair flop": 2.0 * (d + 2) * n_pairs,
            "query": load.sent,
        },
        driver={"merged entry": 2.0 * load.sent * k},
        n_tasks=load.n_regions,
        n_parts=load.n_regions,
        to_driver=load.sent * (FOUND_BYTES * k + 8),
        memory=share_of_X(load) + stated_memory(load),
        driver_memory=(FOUND_BYTES + 8.0) * n * k
        + load.sent * (FOUND_BYTES * k + 8) / load.n_rounds,
    )


def grow_samples(load: Workload) -> Cost:
    """Count the synthetic samples of MLSOL, from neighbors that are known.

    Each of r n samples is made from two samples of random blocks. They are taken, joined, sorted
    and interpolated: once for the labels, and again when the result is computed. A part of s
    samples takes rows from B (1 − exp(−2 s / B)) of B blocks. A part has eight other tasks, and a
    block six.
    """
    n_new, d = load.sampling_ratio * load.n_samples, load.n_features
    blocks = load.n_panels
    size = min(load.panel_rows, max(1, features.GROWN_ENTRIES // d), n_new)
    parts_of_new = ceil(n_new / size)
    pieces = blocks * (1 - exp(-2 * size / blocks))
    n_tasks = parts_of_new * (2 * pieces + 8) + 6 * blocks + 8
    return Cost(
        work={"gathered entry": 2 * 2 * n_new * d, "piece": 2 * parts_of_new * pieces},
        driver={
            "graph task": n_tasks,
            "label neighbor": load.n_samples * load.positives * load.n_neighbors,
            "labeled sample": n_new,
        },
        n_tasks=n_tasks,
        n_parts=parts_of_new,
        moved=2 * 2 * n_new * d * load.itemsize * load.elsewhere,
        to_driver=8 * n_new,
        memory=(1 + load.sampling_ratio) * share_of_X(load) + size * d * (4 * load.itemsize + 16),
        driver_memory=load.n_samples * (8.0 * load.n_neighbors + 12 * load.positives) + 24 * n_new,
    )


def fit_ridge(load: Workload) -> Cost:
    """Count a fit of KernelRidgeClassifier with landmarks.

    A pass over the samples multiplies each with m landmarks (2 m d flops), and with a matrix that
    makes the products approximate the kernel (2 m²). The first of two passes adds second moments
    (2 m²), and the second rotates the features and multiplies them with coefficients of q labels
    (2 m² + 2 m q). The pilot does this with 400 landmarks for two scalings, and compares penalties
    on some samples. The linear part does it with the d features, or with landmarks if there are
    more features than landmarks. The driver gets the second moments, m × m, and decomposes them. In
    each of 20 reads, three tasks belong to a block, and up to four results are joined at a time.
    Half of the reads need the labels of each block, which come from a random worker.
    """
    n, d, q, m = load.n_samples, load.n_features, load.n_labels, load.n_landmarks
    pilot, blocks = parts.PILOT_LANDMARKS, load.n_panels
    is_wide = d > m
    kernels, reads = (2, WIDE_RIDGE_READS) if is_wide else (1, RIDGE_READS)
    compared = min(1.0, parts.COMPARED_SAMPLES / n)

    def flops(size: float, second: float) -> float:
        features_of = 2 * size * (d + size)
        return features_of + 2 * size**2 + second * (features_of + 2 * size**2 + 2 * size * q)

    of_kernel = flops(m, 1) + 2 * flops(pilot, compared)
    of_features = 0 if is_wide else 3 * 2 * d**2 + 2 * d * q
    moments = kernels * (m**2 + 2 * pilot**2) + (0 if is_wide else 2 * d**2)
    cubes = kernels * (m**3 + 2 * pilot**3) + (0 if is_wide else 2 * d**3)
    return Cost(
        work={
            "ridge flop": float(n * (kernels * of_kernel + of_features)),
            "ridge entry": 2.0 * n * kernels * (m + pilot),
            "ridge read": float(reads * n * d),
        },
        driver={"driver cube": float(cubes), "calibrated score": float(n * q)},
        n_tasks=reads * (blocks * 10 / 3 + 1),
        n_parts=blocks,
        moved=reads / 2 * 4.0 * n * q * load.elsewhere,
        to_driver=2 * 4.0 * n * q + 8.0 * moments,
        memory=share_of_X(load)
        + 3 * 8.0 * m**2
        + 24.0 * min(load.panel_rows * max(m, pilot), ENTRIES_AT_ONCE),
        driver_memory=2 * 8.0 * n * q + 3 * 8.0 * m**2,
    )


def predict_blocks(load: Workload) -> Cost:
    """Count block-wise prediction with KernelRidgeClassifier.

    A sample is multiplied with m landmarks and with the coefficients of q labels. The result
    stays where it is. The model is sent once to each worker. A block has three tasks.
    """
    n, d, q, m = load.n_samples, load.n_features, load.n_labels, load.n_landmarks
    of_model = 4.0 * m * (d + q)
    return Cost(
        work={
            "prediction flop": 2.0 * n * m * (d + q),
            "predicted similarity": float(n * m),
            "predicted label": float(n * q),
        },
        n_tasks=load.n_panels * 3.0 + 2,
        n_parts=load.n_panels,
        moved=of_model * (load.n_workers - 1),
        read=size_of_X(load),
        memory=share_of_X(load)
        + 8.0 * n * q / load.n_workers
        + of_model
        + 16.0 * min(load.panel_rows * m, ENTRIES_AT_ONCE),
    )


STEPS: dict[str, Callable[[Workload], Cost]] = {
    "reading the ranges of columns": read_ranges,
    "exact search": exact_search,
    "learning regions": learn_regions,
    "measuring the recall": measure_recall,
    "assigning samples to regions": assign_regions,
    "sending samples": send_samples,
    "searching regions": search_regions,
    "synthetic samples of MLSOL": grow_samples,
    "fitting KernelRidgeClassifier": fit_ridge,
    "predicting block by block": predict_blocks,
}
EXACT = ("reading the ranges of columns", "exact search")
APPROXIMATE = (
    "reading the ranges of columns", "learning regions", "measuring the recall",
    "assigning samples to regions", "sending samples", "searching regions",
)  # fmt: skip


def costs(load: Workload, steps: tuple[str, ...]) -> dict[str, Cost]:
    """Return the costs of several steps."""
    return {step: STEPS[step](load) for step in steps}
