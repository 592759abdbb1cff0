"""The cost model of clusters: formulas, the fit, the simulation, and the tables of the page."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
if not (ROOT / "benchmarks" / "cluster_costs").is_dir():
    pytest.skip("the benchmarks are not here", allow_module_level=True)
pytest.importorskip("dask")
sys.path.append(str(ROOT))

from benchmarks.cluster_costs import (  # noqa: E402
    fault_study,
    fitting,
    formulas,
    predictions,
    simulation,
    storage,
    tables,
)
from benchmarks.cluster_costs.formulas import STEPS, Workload  # noqa: E402
from benchmarks.cluster_costs.measuring import RUNS  # noqa: E402
from benchmarks.cluster_costs.simulation import Faults, Stage, simulated_seconds  # noqa: E402

from rarelabels._dask import approximate, search  # noqa: E402

sys.path.remove(str(ROOT))

LOAD = Workload(1_000_000, 100, 8)
STEP_NAMES = list(STEPS)


# The formulas, on cases that are small enough to count by hand.


def test_panels_are_those_of_the_library(monkeypatch):
    import dask.array as da

    from rarelabels._dask.features import dask_features

    for n_samples, n_features, n_workers in [(40_000, 20, 1), (300_000, 3, 4), (20_000, 2000, 2)]:
        load = Workload(n_samples, n_features, n_workers)
        monkeypatch.setattr(search, "n_workers", lambda number=n_workers: number)
        edges = [n_samples * part // load.n_panels for part in range(load.n_panels + 1)]
        sizes = tuple(np.diff(edges).tolist())
        X = da.zeros((n_samples, n_features), chunks=(sizes, (n_features,)))
        assert len(search.panels_of(dask_features(X, None), None)) == load.n_panels


@pytest.mark.parametrize("n_panels", [1, 2, 5, 16, 40])
def test_tasks_of_the_exact_search_are_those_of_its_graph(n_panels):
    panels = [search.Panel(search.constant(number), 10 * number, 10) for number in range(n_panels)]
    found = search.PanelSearch(panels, None, 5, is_sparse=False)
    order = search._spread_order(n_panels)
    for place in range(1, n_panels):
        before = order[place - search.UNDER_WAY] if place > search.UNDER_WAY else None
        found.invite(order[place], order[:place], before)
    stages = sum(formulas.n_stages(hosts, n_panels) for hosts in range(1, n_panels))
    # Three tasks read a panel, and one returns its result. Three are constants.
    counted = len(found.graph._tasks) + (3 + 1) * n_panels + 3
    assert formulas.exact_tasks(n_panels, stages) == counted


def test_exact_search_by_hand(monkeypatch):
    # 40 samples of 3 features in four panels of ten, on two workers.
    monkeypatch.setattr(search, "PANEL_ROWS", 10)
    monkeypatch.setattr(search, "LEAST_PANELS", 4)
    monkeypatch.setattr(search, "PANELS_PER_WORKER", 2)
    load = Workload(40, 3, 2, n_neighbors=2, itemsize=8)
    assert (load.panel_rows, load.n_panels) == (10, 4)
    cost = formulas.exact_search(load)
    assert cost.work["tile pair"] == 800
    assert cost.work["tile flop"] == 800 * 2 * (3 + 2)
    # Six pairs of panels convert the ten hosts, and update ten hosts and ten guests.
    assert cost.work["host entry"] == 6 * 10 * 3
    assert cost.work["row of a pair"] == 6 * 20
    # Steps of one and two hosts: one, two, and two stages.
    assert cost.work["staged row"] == 10 * (1 + 2 + 2)
    assert cost.to_driver == 40 * 2 * 8
    # The other worker has one of 1, 2 and 3 hosts with probability 1/2, 3/4 and 7/8. It gets 24
    # bytes of features, and in each stage 24 of neighbors.
    sent = 10 * (1 / 2 * (24 + 24) + 3 / 4 * (24 + 48) + 7 / 8 * (24 + 48))
    # Half of the candidates come from there: two for each host of the first stage, four later.
    returned = 10 * 16 / 2 * ((2) + (2 + 4) + (2 + 4))
    assert cost.moved == pytest.approx(sent + returned)


def test_many_hosts_are_summarized():
    every = formulas._hosts(301, most=1000)
    few = formulas._hosts(301, most=50)
    assert sum(times for _, times in few) == pytest.approx(len(every))
    assert sum(h * t for h, t in few) == pytest.approx(sum(h * t for h, t in every), rel=0.01)


def test_regions_by_hand(monkeypatch):
    sizes = {"REGION_ENTRIES": 100, "LEAST_REGIONS": 4, "LEAST_CELLS": 8, "CELLS_PER_REGION": 2}
    for name, value in {**sizes, "LEARNED_FROM": 3, "LEARNED_ENTRIES": 10_000}.items():
        monkeypatch.setattr(approximate, name, value)
    load = Workload(1000, 2, 4, n_neighbors=5, visits=0.5)
    # 2,000 entries are 20 regions of 100, with 40 cells, learned from 120 samples.
    assert (load.wanted_regions, load.n_cells, load.n_learned) == (20, 40, 120)
    assert load.largest_region == 50
    learned = formulas.learn_regions(load)
    rounds = formulas.regions.ROUNDS + 1
    assert learned.alone["train flop"] == 2 * 2 * 120 * 40 * rounds
    assert learned.moved == 120 * 2 * 4 * 3 / 4
    assigned = formulas.assign_regions(load)
    assert assigned.work["assign flop"] == 2 * 1000 * 2 * 40
    # Each sample is sent 1.5 times, as two floats and its number, and a quarter stays.
    sent = formulas.send_samples(load)
    assert sent.moved == 1500 * (2 * 4 + 8) * 3 / 4
    found = formulas.search_regions(load)
    assert found.to_driver == 1500 * (5 * 12 + 8)
    assert found.work["query"] == 1500


def test_synthetic_samples_by_hand():
    load = Workload(1000, 4, 2, sampling_ratio=0.5, positives=3)
    cost = formulas.grow_samples(load)
    assert cost.work["gathered entry"] == 2 * 2 * 500 * 4
    assert cost.moved == 2 * 2 * 500 * 4 * 4 / 2
    assert cost.to_driver == 500 * 8
    assert cost.driver["label neighbor"] == 1000 * 3 * 5


def test_ridge_and_prediction_by_hand():
    load = Workload(100_000, 5, 1, n_labels=7, n_landmarks=11)
    flops = formulas.predict_blocks(load).work["prediction flop"]
    assert flops == 2 * 100_000 * 11 * (5 + 7)
    work = formulas.fit_ridge(load).work["ridge flop"]
    # Similarities, features, moments; then again with rotated features and scores of labels.
    of_kernel = 2 * 11 * 5 + 2 * 11**2 + 2 * 11**2 + 2 * 11 * 5 + 4 * 11**2 + 2 * 11 * 7
    pilot = formulas.parts.PILOT_LANDMARKS
    again = 2 * pilot * 5 + 4 * pilot**2 + 2 * pilot * 7
    of_pilots = 2 * (2 * pilot * 5 + 4 * pilot**2 + 0.2 * again)
    of_features = 2 * 2 * 5**2 + 2 * 5**2 + 2 * 5 * 7
    assert formulas.parts.COMPARED_SAMPLES == 20_000
    assert work == pytest.approx(100_000 * (of_kernel + of_pilots + of_features))


@pytest.mark.parametrize("step", STEP_NAMES)
def test_nothing_is_sent_between_workers_if_there_is_one(step):
    assert STEPS[step](replace(LOAD, n_workers=1)).moved == pytest.approx(
        # The neighbors of the samples on which the recall is measured are gathered once.
        500 * 5 * 100 * 4 if step == "measuring the recall" else 0
    )


@pytest.mark.parametrize("step", STEP_NAMES)
@pytest.mark.parametrize("name", ["n_samples", "n_features", "n_labels", "n_neighbors"])
def test_more_data_is_never_less_work(step, name):
    amounts = []
    for factor in (1, 2, 4, 8):
        load = replace(LOAD, **{name: factor * getattr(LOAD, name)})
        cost = STEPS[step](load)
        work = [*cost.work.values(), *cost.alone.values(), *cost.driver.values()]
        amounts.append([*work, cost.to_driver, cost.memory])
    sums = np.array(amounts)
    if name == "n_features":
        # Regions have fewer samples of more features.
        sums = sums[:, -2:]
    assert (np.diff(sums, axis=0) >= -1e-9 * sums[1:]).all()


def test_time_grows_with_data_and_shrinks_with_bandwidth():
    constants = dict.fromkeys(_units(), 1e-9)
    for steps in (formulas.EXACT, formulas.APPROXIMATE):
        times = [
            predictions.predicted(replace(LOAD, n_samples=n), steps, constants).seconds
            for n in (10**5, 10**6, 10**7, 10**8)
        ]
        assert (np.diff(times) > 0).all()
        slow = predictions.Cluster(bandwidth=1e6)
        assert predictions.predicted(LOAD, steps, constants, slow).seconds > times[1]


def _units():
    units = [unit for group in fitting.GROUPS for unit in group.units]
    others = ["stray share", "scheduler byte of a task"]
    return [*units, *fitting.OVERHEAD, *fitting.SCHEDULING, *fitting.DRIVER, *others]


def test_each_unit_of_work_has_one_constant():
    units = _units()
    assert len(set(units)) == len(units)
    used = {
        unit
        for step in STEPS.values()
        for part in ("work", "alone", "driver")
        for unit in getattr(step(LOAD), part)
    }
    assert used <= set(units)


def test_seconds_are_recovered_from_exact_measurements():
    rng = np.random.default_rng(0)
    rows = [{"flop": f, "byte": b} for f, b in rng.uniform(1e6, 1e9, size=(12, 2))]
    seconds = [3e-9 * row["flop"] + 5e-8 * row["byte"] for row in rows]
    found = fitting.fitted(rows, seconds, ("flop", "byte", "absent"))
    assert found == pytest.approx({"flop": 3e-9, "byte": 5e-8, "absent": 0.0})
    assert fitting.fitted([{}], [1.0], ("flop",)) == {"flop": 0.0}


def test_elapsed_time_by_hand():
    cost = formulas.Cost(
        work={"flop": 100.0}, alone={"flop": 7.0}, driver={"row": 3.0}, n_tasks=10, n_parts=3,
        moved=40.0, to_driver=6.0,
    )  # fmt: skip
    names = (*fitting.OVERHEAD, *fitting.SCHEDULING)
    constants = {"flop": 1.0, "row": 2.0, "stray share": 0.0, **dict.fromkeys(names, 0.0)}
    constants["task of the scheduler"] = 0.5
    times = predictions.step_times(cost, 2, constants, predictions.Cluster(bandwidth=2.0))
    # Three tasks take two turns of two workers.
    assert times["workers"] == pytest.approx(100 * 4 / 3 / 2)
    assert times["scheduler"] == 5
    assert times["network"] == 40 / 2 / 2
    assert (times["one worker"], times["driver"]) == (7, 6 + 3)
    assert predictions.elapsed(times) == pytest.approx(200 / 3 + 7 + 9)


# The simulation.


def run(stages, n_workers, faults=None):
    rng = np.random.default_rng(0)
    return simulated_seconds(stages, n_workers, faults or Faults(), rng)


def test_tasks_are_divided_and_stolen():
    assert run([Stage(6, 2.0)], 3) == 4
    assert run([Stage(7, 2.0)], 3) == 6
    assert run([Stage(6, 2.0, serial=1.0), Stage(1, 5.0)], 3) == 1 + 4 + 5


def test_a_pause_by_hand():
    # Workers 0 and 1 have tasks of 1 s at 0, 1, 2, 3. Worker 0 pauses from 0.5 to 4.5, so its first
    # task ends at 5. Worker 1 ends its four at 4 and steals: 5, 6. Worker 0 runs one from 5 to 6.
    faults = Faults(pauses=((0, 0.5, 4.0),))
    assert run([Stage(8, 1.0)], 2, faults) == 6


def test_a_death_by_hand():
    # At 2.5, worker 0 has two results, one task that runs and one that waits. Worker 1 has five
    # left with these: the task that runs until 3, its own last, and four of worker 0, until 8.
    # Worker 0 returns at 4.5 and shares them: 3 to 4, 4 to 5 and 4.5 to 5.5, 5 to 6 and 5.5 to 6.5.
    never = Faults(deaths=((0, 2.5),), restart=100.0)
    assert run([Stage(8, 1.0)], 2, never) == 8
    assert run([Stage(8, 1.0)], 2, replace(never, restart=2.0)) == 6.5
    # The remaining worker also repeats three seconds of other work.
    assert run([Stage(8, 1.0, again=3.0)], 2, never) == 11


def test_slow_workers_by_hand():
    slow = Faults(slow_share=1.0, slow_factor=3.0)
    assert run([Stage(4, 1.0)], 4, slow) == 3


def test_waiting_for_the_scheduler_by_hand():
    assert run([Stage(4, 1.0, queued=7.0)], 4, Faults(slow_share=1.0, slow_factor=3.0)) == 10
    # 100 deaths are expected, each of which repeats half of a tenth of the 1,000 s on average.
    rng, faults = np.random.default_rng(0), Faults(deaths_per_hour=36.0)
    times = [simulation._queued_seconds(1000.0, 10, faults, rng) for _ in range(2000)]
    assert np.mean(times) == pytest.approx(1000 * (1 + 100 / 2 / 10), rel=0.02)


def test_work_that_cannot_end_is_given_up():
    faults = Faults(deaths_per_hour=3600.0, restart=1.0)
    stage, rng = Stage(4, 50.0), np.random.default_rng(0)
    assert simulated_seconds([stage], 2, faults, rng, 1000.0) == np.inf
    assert simulation.restarted_seconds(500.0, 10, faults, rng, 1000.0) == np.inf


def test_restarts_have_their_expected_time():
    faults, rng = Faults(deaths_per_hour=0.5), np.random.default_rng(0)
    rate, seconds = 4 * 0.5 / 3600, 1000.0
    times = [simulation.restarted_seconds(seconds, 4, faults, rng) for _ in range(4000)]
    assert np.mean(times) == pytest.approx((np.exp(rate * seconds) - 1) / rate, rel=0.05)
    assert simulation.restarted_seconds(seconds, 4, Faults(), rng) == seconds


def test_overheads_have_an_interval():
    assert simulation.overheads([2.0, 2.0, 2.0], 1.0) == (2.0, 2.0, 2.0)
    mean, low, high = simulation.overheads([1.0, 2.0, 3.0], 2.0)
    assert low < mean == 1.0 < high


def test_stages_of_a_search_have_its_work():
    constants = dict.fromkeys(_units(), 0.0) | {"query": 1e-3, "assigned sample": 1e-4}
    load = replace(LOAD, visits=1.0)
    stages = fault_study.approximate_stages(load, constants)
    total = sum(stage.n_tasks * stage.seconds for stage in stages)
    # Sending has no work here.
    sending = sum(stage.n_tasks * stage.seconds for stage in stages[1::2])
    assert total - sending == pytest.approx(2e6 * 1e-3 + 1e6 * 1e-4)
    hosts = fault_study.exact_stages(load, constants, 20)
    assert sum(stage.n_tasks for stage in hosts) == 2 * 20


def test_the_study_is_the_same_for_the_same_seeds():
    constants = dict.fromkeys(_units(), 1e-9)
    load = Workload(200_000, 20, 4)
    first, second = (fault_study.study(constants, [load], range(2)) for _ in range(2))
    assert first == second
    assert {row["method"] for row in first} == {"exact", "approximate"}


# What is stored, and the page.


@pytest.fixture(scope="module")
def kept():
    if not storage.PLACE.is_file():
        pytest.skip("nothing is measured")
    return json.loads(storage.PLACE.read_text(encoding="utf-8"))


def test_every_run_is_stored(kept):
    assert {run.name for run in RUNS} <= set(kept["runs"])
    for name, stored in kept["runs"].items():
        assert stored["run"]["purpose"] in ("fit", "check"), name
        assert stored["seconds"], name
    assert {"day", "machine", "numpy", "dask", "distributed"} <= set(kept["measured"])
    assert set(kept["constants"]) == set(_units())


def test_fitted_and_checked_runs_differ_in_workers_and_size(kept):
    sizes = {"fit": set(), "check": set()}
    for stored in kept["runs"].values():
        one = stored["run"]
        size = one["n_samples"], one["n_features"], one["n_landmarks"]
        sizes[one["purpose"]].add((stored["use"], *size))
    assert not sizes["fit"] & sizes["check"]


def test_stored_checks_are_those_of_the_stored_constants(kept):
    checks = fitting.checks(kept["runs"], kept["constants"], "check")
    stored = [entry for entry in kept["checks"] if entry["purpose"] == "check"]
    assert [check.measured for check in checks] == [entry["measured"] for entry in stored]
    assert {entry["run"] for entry in kept["held_out"]} < set(kept["runs"])
    assert len(kept["simulation"]["rows"]) == 2 * len(fault_study.SIZES) * len(fault_study.WORKERS)


@pytest.mark.parametrize("name", list(tables.TABLES))
def test_tables_come_from_what_is_stored(kept, name):
    caption, (head, *rows) = tables.TABLES[name](kept)
    assert caption
    assert rows
    assert all(len(row) == len(head) for row in rows)


def test_a_table_follows_the_stored_numbers(kept):
    changed = json.loads(json.dumps(kept))
    for entry in changed["checks"]:
        entry["predicted"] = 2 * entry["measured"]
    _, (_, *rows) = tables.checks_table(changed)
    assert all(row[2].endswith(", +100 %") for row in rows)


def test_the_page_states_the_assumed_bandwidth(kept):
    bandwidth = predictions.ASSUMED.bandwidth / 1e9
    assert f"{bandwidth:.2f} GB per second" in tables.assumptions(kept)


def test_the_page_shows_every_table():
    page = ROOT / "docs" / "guide" / "cluster_costs.rst"
    if not page.is_file():
        pytest.skip("the documentation is not here")
    text = page.read_text(encoding="utf-8")
    for name in (*tables.TABLES, "assumptions", "machine"):
        assert f".. cluster-costs:: {name}\n" in text
