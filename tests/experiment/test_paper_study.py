"""The paper's plans, the figures it prints, and the tables made beside them."""

import doctest
import importlib
import tomllib
from pathlib import Path

import numpy as np
import pytest

from rarelabels.experiment import Record, Store, load_plan

# The trees of the plans.
pytest.importorskip("numba")
EXPERIMENTS = Path(__file__).parents[2] / "experiments"
pytestmark = pytest.mark.skipif(not EXPERIMENTS.is_dir(), reason="the experiments are not here")
ORDER = ("RHwRSMT", "MLRUS", "MLUL", "Default", "MLROS", "MLSMOTE", "MLSOL")


@pytest.fixture
def study(monkeypatch):
    """Import a module of the folder of experiments."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return importlib.import_module


def filled_store(file, score, **changes):
    """Fill a store as if the plan had been run, with scores that a function of the job gives."""
    values = {
        **tomllib.loads((EXPERIMENTS / file).read_text(encoding="utf-8")),
        "folds": {"n_splits": 2, "n_repeats": 1},
        **changes,
    }
    plan, store = load_plan(values), Store(":memory:")
    store.register(plan.name, plan.jobs())
    metrics = ("macro_f1", "macro_auc_roc", "macro_auc_pr", "disagreement")
    for job in plan.jobs():
        store.write(Record(job.key, "done", scores=dict.fromkeys(metrics, score(job))))
    return store


def by_strength(job):
    """Score by place in an order of methods: the same on every data set, ensembles on top."""
    name = job.method.name
    base = name.removeprefix("Ep").removeprefix("Ek").removeprefix("E")
    hardness = sum(map(ord, job.dataset.name)) % 7
    ensemble = 0.3 * name.startswith("E") + 0.1 * name.startswith("Ep")
    return 0.01 * ORDER.index(base) * (1 + 0.1 * hardness) + ensemble - 0.02 * hardness


def test_the_plans_are_the_papers():
    paper, first, sweeps = (
        load_plan(EXPERIMENTS / f"{n}.toml") for n in ("paper", "first", "sweeps")
    )
    assert (len(paper.datasets), len(paper.learners), len(paper.methods)) == (13, 6, 17)
    assert len(paper.jobs()) == 13 * 6 * 17 * 10
    assert len(first.jobs()) == 4 * 2 * 13 * 10
    keys = {job.key for job in paper.jobs()}
    assert {job.key for job in first.jobs()} <= keys
    # MLSOL and MLUL with their usual settings, on two data sets.
    assert len(keys & {job.key for job in sweeps.jobs()}) == 2 * 2 * 10


def test_the_settings_are_those_of_the_papers_setup():
    plan = load_plan(EXPERIMENTS / "paper.toml")
    for learner in plan.learners:
        built = learner.build()
        if learner.name == "MLkNN":
            assert (built.n_neighbors, built.smoothing) == (10, 1.0)
        else:
            assert type(built.estimator).__name__ == "C45Classifier"
            assert (built.estimator.confidence, built.estimator.min_samples_leaf) == (0.25, 2)
    ratios = {"mlsol": 0.3, "mlul": 0.1, "mlrus": 0.1, "mlros": 0.1}
    for method in plan.methods[1:13]:
        params = dict(method.params)
        assert method.n_estimators == (5 if method.name.startswith("E") else None)
        assert params.get("n_neighbors", 5) == 5
        assert params.get("sampling_ratio") == ratios.get(method.sampler.lower())
        assert method.threshold == ("f1" if method.is_ensemble else None)
    assert {spec.name: spec.features for spec in plan.datasets if spec.features} == {
        **dict.fromkeys(("bibtex", "enron", "medical"), 0.1),
        **dict.fromkeys(("rcv1subset1", "rcv1subset2", "yahoo-Arts1", "yahoo-Business1"), 0.01),
    }
    assert {spec.min_positive for spec in plan.datasets} == {2}


def test_the_thirteen_methods_come_before_the_variants_and_fold_after_fold():
    jobs = load_plan(EXPERIMENTS / "paper.toml").jobs()
    is_variant = [job.method.name[:2] in ("Ep", "Ek") for job in jobs]
    assert is_variant == sorted(is_variant)
    folds = [job.fold for job in jobs]
    assert folds[: 13 * 6 * 13 * 10] == sorted(folds[: 13 * 6 * 13 * 10])


def test_the_other_plans_ask_what_they_say():
    trees, today, boosting = (
        load_plan(EXPERIMENTS / f"{name}.toml") for name in ("trees", "today", "today_boosting")
    )
    paper = {job.key for job in load_plan(EXPERIMENTS / "paper.toml").jobs()}
    assert len(trees.jobs()) == 13 * 4 * 7 * 10
    assert len(paper & {job.key for job in trees.jobs()}) == 13 * 7 * 10
    built = [learner.build().estimator for learner in trees.learners]
    assert [tree.confidence for tree in built] == [None, 0.25, None, 0.25]
    assert len(today.jobs()) == 13 * 15 * 10
    assert [method.name for method in boosting.methods] == [m.name for m in today.methods]
    assert len(boosting.datasets) == 8


def test_data_sets_have_the_papers_size(shared_data, monkeypatch):
    monkeypatch.setenv("RARELABELS_DATA", str(shared_data))
    figures = tomllib.loads((EXPERIMENTS / "paper_figures.toml").read_text(encoding="utf-8"))
    plan = load_plan(EXPERIMENTS / "paper.toml")
    for spec in (spec for spec in plan.datasets if spec.name in ("medical", "flags", "enron")):
        data = spec.load()
        assert [data.n_samples, data.n_features, data.n_labels] == figures["datasets"][spec.name][
            1:4
        ]


@pytest.mark.parametrize("table", ["sampling", "ensemble"])
@pytest.mark.parametrize("metric", ["macro_f1", "macro_auc_roc", "macro_auc_pr"])
def test_the_papers_figures_were_copied_right(table, metric):
    figures = tomllib.loads((EXPERIMENTS / "paper_figures.toml").read_text(encoding="utf-8"))
    rows = dict(figures[table][metric])
    assert rows.pop("columns")[0] == "Default"
    total = rows.pop("Ave(Total)")
    ranks = {name: [parsed(cell) for cell in cells] for name, cells in rows.items()}
    assert len(ranks) == 6
    for place, cell in enumerate(total):
        mean = np.mean([row[place][0] for row in ranks.values()])
        assert parsed(cell)[0] == pytest.approx(mean, abs=0.011)
    for row in ranks.values():
        assert sum(rank for rank, _, _ in row) == pytest.approx(28, abs=0.04)


def parsed(cell):
    rank, _, rest = cell.partition("(")
    wins, losses = rest.rstrip(")").split("/")
    return float(rank.rstrip("*")), int(wins), int(losses)


def test_tables_of_ranks_by_hand(study):
    tables = study("paper_study.tables")
    with filled_store("paper.toml", by_strength, learners=["BR", "CLR"]) as store:
        sampling, ensemble = (
            tables.sampling_table(store, "paper"),
            tables.ensemble_table(store, "paper"),
        )
        ours = dict(zip(sampling.header, sampling.rows[0], strict=True))
        assert (ours["Metric"], ours["Base"], ours["From"]) == ("F-measure", "BR", "here")
        assert [ours[name] for name in ORDER] == [
            f"{7 - place}.00({place}/{6 - place})" for place in range(7)
        ]
        assert dict(zip(sampling.header, sampling.rows[1], strict=True))["MLSOL"] == "2.19(4/0)"
        assert (0, sampling.header.index("MLSOL")) in sampling.best
        total = dict(zip(sampling.header, sampling.rows[4], strict=True))
        assert (total["Base"], total["MLSOL"]) == ("Ave(Total)", "1.00(12/0)")
        cells = dict(zip(ensemble.header, ensemble.rows[0], strict=True))
        assert (cells["EMLSOL"], cells["Default"]) == ("1.00*(6/0)", "7.00(0/6)")


def test_the_other_tables_by_hand(study):
    tables, curves = study("paper_study.tables"), study("paper_study.curves")
    with filled_store("paper.toml", by_strength, learners=["BR", "CLR"]) as store:
        diversity = tables.diversity_table(store, "paper")
        assert dict(zip(diversity.header, diversity.rows[0], strict=True))["EMLSOL"] == "1.00"
        strategies = tables.strategies_table(store, "paper")
        assert strategies.rows[0][2:5] == ("0/1", "2/0", "0/1")
        assert strategies.rows[1][2:5] == ("0/1", "2/0", "0/1")
        ranks = tables.all_ranks_table(store, "paper")
        assert [row[0] for row in ranks.rows[:2]] == ["EpMLSOL", "EpMLUL"]
        measures = {
            job.dataset.name: hardness_measures(store.scores("macro_f1", learner="BR"), job)
            for job in store.jobs()
        }
        correlation = tables.correlation_table(store, "paper", measures)
        assert dict(zip(correlation.header, correlation.rows[0], strict=True))["LImb"] == "-1.000"
        rho = curves.rho_table(store, "paper", measures)
        assert rho.rows[0][-1] == "0.0000"


def hardness_measures(scores, job):
    """Measure a data set by how badly the learner alone does on it."""
    column = scores.columns()["Default"]
    value = 1 - column[scores.datasets.index(job.dataset.name)]
    names = ("mean_ir", "cvir", "mean_imr", "cvimr", "scumble", "limb")
    return dict.fromkeys([*names, *(f"limb_{k}" for k in range(5, 10))], value)


def test_curves_hold_one_parameter_and_turn_the_other(study):
    curves = study("paper_study.curves")
    with filled_store(
        "sweeps.toml", lambda job: dict(job.method.params)["sampling_ratio"]
    ) as store:
        table = curves.parameter_table(store, "sweeps")
    of_p = [row for row in table.rows if row[0] == "scene" and row[2:4] == ("MLSOL", "p")]
    assert [(row[4], row[5]) for row in of_p] == [
        (f"{p:g}", f"{p:.4f}") for p in (0.1, 0.3, 0.5, 0.7, 0.9)
    ]
    of_k = [row for row in table.rows if row[0] == "enron" and row[2:4] == ("MLUL", "k")]
    assert [row[4] for row in of_k] == ["5", "6", "7", "8", "9"]
    assert {row[5] for row in of_k} == {"0.1000"}


def test_measures_are_the_papers_where_it_made_no_slip(study, shared_data, monkeypatch):
    monkeypatch.setenv("RARELABELS_DATA", str(shared_data))
    measures = study("paper_study.measures")
    plan = load_plan(EXPERIMENTS / "first.toml")
    found = measures.measures_of(plan.datasets[:1])["flags"]
    assert (round(found["mean_ir"], 3), round(found["scumble"], 4)) == (2.255, 0.0606)
    assert found["limb"] == found["limb_5"]
    table = measures.measures_table({"flags": found})
    assert table.rows[1][-1] == "0.5163"


def test_formats_read_as_their_examples(study):
    assert doctest.testmod(study("paper_study.formats")) == (0, 3)


def test_everything_is_written_and_drawn(study, tmp_path, monkeypatch, shared_data):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("RARELABELS_DATA", str(shared_data))
    make_tables = study("make_tables")
    store = filled_store("first.toml", by_strength)
    with store:
        tables = make_tables.tables_of(store, "first")
    study("paper_study.figures").draw(tables, tmp_path)
    names = {table.name for table in tables}
    assert names >= {"ranks-all", "sampling", "ensemble", "diversity", "correlation", "rho"}
    assert {path.name for path in tmp_path.iterdir()} == {"ranks-all.pdf", "rho.pdf"}
    with filled_store("sweeps.toml", by_strength_of_parameters) as sweeps:
        study("paper_study.figures").draw(
            [study("paper_study.curves").parameter_table(sweeps, "sweeps")], tmp_path
        )
    assert (tmp_path / "parameters.pdf").stat().st_size > 1000


def by_strength_of_parameters(job):
    return dict(job.method.params)["sampling_ratio"]
