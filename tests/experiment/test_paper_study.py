"""The paper's plans, the figures it prints, and the tables made beside them."""

import csv
import dataclasses
import doctest
import importlib
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from rarelabels.experiment import Record, Store, load_plan, pack, run, run_job, unpack

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
    trees, rules = (load_plan(EXPERIMENTS / f"{name}.toml") for name in ("trees", "rules"))
    paper = {job.key for job in load_plan(EXPERIMENTS / "paper.toml").jobs()}
    assert len(trees.jobs()) == 13 * 4 * 7 * 10
    assert len(paper & {job.key for job in trees.jobs()}) == 13 * 7 * 10
    built = [learner.build().estimator for learner in trees.learners]
    assert [tree.confidence for tree in built] == [None, 0.25, None, 0.25]
    assert len(rules.jobs()) == 13 * 6 * 10 * 10
    assert len(paper & {job.key for job in rules.jobs()}) == 13 * 6 * 8 * 10


def test_members_draw_alike_in_the_plan_of_seeds_and_nothing_else_differs():
    seeds, paper = (load_plan(EXPERIMENTS / f"{name}.toml") for name in ("seeds", "paper"))
    assert seeds.datasets == paper.datasets
    assert set(seeds.methods) < set(paper.methods)
    known = {learner.name: learner for learner in paper.learners}
    for learner in seeds.learners:
        same = {**dict(known[learner.name].params), "random_state": 1}
        assert dict(learner.params) == same
        assert learner.estimator_params == known[learner.name].estimator_params


def test_with_one_seed_ensembles_over_smote_lose_most(study):
    packed = EXPERIMENTS / "results" / "seeds.json.xz"
    if not packed.is_file():
        pytest.skip("the packed results are not here")
    results, gains = study("paper_study.results"), study("paper_study.gains")
    with results.open_results(packed) as store:
        table = gains.gains_table(results.Results.of(store, "seeds"))
    for learner in ("COCOA", "ECCRU3"):
        rows = [row for row in table.rows if row[:2] == (learner, "AUCPR")]
        of = {row[3]: float(row[4].strip("*")) for row in rows}
        assert min(of, key=of.get) == "EMLSOL"
        assert min(of["EMLSMOTE"], of["ERHwRSMT"]) > max(of["EMLRUS"], of["EMLUL"], of["EMLROS"])


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


def cells_of(table, place):
    return dict(zip(table.header, table.rows[place], strict=True))


def test_tables_of_ranks_by_hand(study):
    tables, Results = study("paper_study.tables"), study("paper_study.results").Results
    with filled_store("paper.toml", by_strength, learners=["BR", "CLR"]) as store:
        results = Results.of(store, "paper")
    sampling, ensemble = tables.sampling_table(results), tables.ensemble_table(results)
    ours = cells_of(sampling, 0)
    assert (ours["Metric"], ours["Base"], ours["Sets"], ours["From"]) == (
        "F-measure", "BR", "13", "here",
    )  # fmt: skip
    assert [ours[name] for name in ORDER] == [
        f"{7 - place}.00({place}/{6 - place})" for place in range(7)
    ]
    assert cells_of(sampling, 1)["MLSOL"] == "2.19(4/0)"
    assert cells_of(sampling, 2)["MLSOL"] == "-1.19"
    assert (0, sampling.header.index("MLSOL")) in sampling.best
    total = cells_of(sampling, 6)
    assert (total["Base"], total["MLSOL"]) == ("Ave(Total)", "1.00(12/0)")
    cells = cells_of(ensemble, 0)
    assert (cells["EMLSOL"], cells["Default"]) == ("1.00*(6/0)", "7.00(0/6)")


def test_stars_are_corrected_for_six_ensembles(study):
    """On five data sets the smallest two-sided p is 2/2⁵ = 0.0625; on six 0.031, times 6 > 0.05."""
    tables, Results = study("paper_study.tables"), study("paper_study.results").Results
    names = (
        "flags",
        "scene",
        "yeast",
        "cal500",
        "genbase",
        "enron",
        "medical",
        "bibtex",
        "corel5k",
    )
    for n_datasets, star in ((6, ""), (9, "*")):
        # Nine: 2/2⁹ = 0.0039, and 0.0039 · 6 = 0.023.
        entries = [{"name": name, "min_positive": 2} for name in names[:n_datasets]]
        with filled_store("paper.toml", by_strength, learners=["BR"], datasets=entries) as store:
            found = tables.ensemble_table(Results.of(store, "paper"))
        assert cells_of(found, 0)["EMLSOL"].startswith(f"1.00{star}(")


def test_the_other_tables_by_hand(study):
    tables, curves = study("paper_study.tables"), study("paper_study.curves")
    Results, agreement = study("paper_study.results").Results, study("paper_study.agreement")
    with filled_store("paper.toml", by_strength, learners=["BR", "CLR"]) as store:
        results = Results.of(store, "paper")
        scores = store.scores("macro_f1", learner="BR")
    assert cells_of(tables.diversity_table(results), 0)["EMLSOL"] == "1.00"
    strategies = tables.strategies_table(results)
    assert strategies.rows[0][3:6] == ("0/1", "2/0", "0/1")
    assert strategies.rows[1][3:6] == ("0/1", "2/0", "0/1")
    assert strategies.rows[2][3:6] == ("0", "0", "0")
    measures = {job.dataset.name: hardness_measures(scores, job) for job in results.jobs}
    correlation = tables.correlation_table(results, measures)
    # All six measures are alike here, so they share the ranks 1 to 6.
    assert cells_of(correlation, 0)["LImb"] == "-1.000(3.5)"
    assert cells_of(correlation, 1)["LImb"] == "-0.959(1)"
    rho = curves.rho_table(results, measures)
    assert rho.rows[0][-1] == "0.0000"
    agreed = agreement.agreement_table(results)
    first = cells_of(agreed, 0)
    # The paper's ranks of BR by F are in this order but for MLROS, MLSMOTE and MLSOL, of which
    # MLSMOTE is first: two places differ by one, 1 - 6 · 2 / (7 · 48) = 0.964.
    assert first["Spearman's rho"] == "0.96"
    # The paper has 1, 1, 1, 4, 4, 0 and 4 wins; here each method has at least as many.
    assert first["Wins"] == "15 of 15"
    assert "significant wins" in agreement.totals(agreed)


def test_claims_by_hand(study):
    claims, tables = study("paper_study.claims"), study("paper_study.tables")
    Results = study("paper_study.results").Results
    with filled_store("paper.toml", by_strength, learners=["BR", "CLR"]) as store:
        results = Results.of(store, "paper")
        scores = store.scores("macro_f1", learner="BR")
    measures = {job.dataset.name: hardness_measures(scores, job) for job in results.jobs}
    pairs = claims.pairs_table(results)
    first = cells_of(pairs, 0)
    assert (first["Pair"], first["Sets"], first["Better on"]) == (
        "MLSOL over MLROS",
        "13",
        "13 of 13",
    )
    assert (first["Ranks in the paper"], first["Ranks here"]) == ("2.63 : 3.16", "1.00 : 3.00")
    # All 13 signs agree: 2 / 2^13, times the three oversamplers that MLSOL is compared with.
    assert float(first["p"]) == pytest.approx(3 * 2 / 2**13, rel=0.05)
    of_table = claims.claims_table(
        results, pairs, tables.correlation_table(results, measures), tables.diversity_table(results)
    )
    words = {claim: word for claim, word, _ in of_table.rows}
    assert words["MLSOL is the best oversampler"] == "yes"
    assert words["EMLUL is the best ensemble"] == "no"
    # All measures are alike here, so none is first.
    assert words["LImb correlates most with performance"] == "no"
    assert words["The members of EMLSOL differ most"] == "yes"
    # With p varied an ensemble has .1 more here, with k varied as much as before.
    assert words["Varied p or k makes EMLSOL better"] == "in part"
    varied = [row for row in pairs.rows if row[1] == "Disagreement"]
    assert [(row[2], row[6]) for row in varied] == [
        ("EpMLSOL over EMLSOL", "+0.1000"),
        ("EkMLSOL over EMLSOL", "+0.0000"),
    ]


def test_limb_as_printed_and_as_it_should_be(study):
    rules, Results = study("paper_study.rules"), study("paper_study.results").Results
    with filled_store("paper.toml", lambda job: 1 - ord(job.dataset.name[0]) / 200) as store:
        results = Results.of(store, "paper")
    # With the scores made of the right LImb alone, its correlation is -1 and the other's is not.
    measures = {name: {"limb": ord(name[0]) / 200} for name in results.datasets}
    table = rules.limb_slip_table(results, measures)
    assert len(table.rows) == 3 * 6
    assert {row[4] for row in table.rows} == {"-1.000"}
    assert all(-1 < float(row[3]) < 1 for row in table.rows)


def test_the_rule_of_remedial_by_hand(study):
    rules, Results = study("paper_study.rules"), study("paper_study.results").Results
    strength = {"RHwRSMT": 0.1, "RHwRSMT, whole": 0.6, "MLSOL": 0.7, "MLROS": 0.5}
    with filled_store("rules.toml", lambda job: strength.get(job.method.name, 0.3)) as store:
        table = rules.remedial_rule_table(Results.of(store, "rules"))
    assert len(table.rows) == 3 * 6
    # Last of seven where it splits; second behind MLSOL where it does not.
    assert table.rows[0][:7] == ("F-measure", "BR", "13", "7.00", "2.00", "+0.5000", "13 of 13")
    # All 13 signs agree: 2 / 2^13, times six learners.
    assert float(table.rows[0][7]) == pytest.approx(6 * 2 / 2**13, rel=0.05)


def test_the_tie_rule_by_hand(study, tmp_path):
    path = tmp_path / "ties.csv"
    path.write_text(
        "learner,dataset,method,fold,yes,no,ties\n"
        "BR,flags,Default,0,0.5,0.2,0.1\nBR,flags,Default,1,0.7,0.4,0.1\n"
        "BR,flags,MLSOL,0,0.5,0.5,0.0\nBR,flags,MLSOL,1,0.5,0.5,0.0\n"
        "BR,scene,Default,0,0.8,0.8,0.0\nBR,scene,Default,1,0.8,0.8,0.0\n"
        "BR,scene,MLSOL,0,0.9,0.9,0.0\nBR,scene,MLSOL,1,0.9,0.9,0.0\n"
        "BR,yeast,Default,0,0.1,0.1,0.0\n",  # not done yet: left out
        encoding="utf-8",
    )
    default, mlsol = study("paper_study.rules").tie_rule_table(path).rows
    # Default has .6 and .8 if a tie is a yes, .3 and .8 if it is a no; MLSOL has .5 and .9 by both.
    assert default == ("BR", "2", "Default", "0.7000", "0.5500", "-0.1500", "1.50", "2.00")
    assert mlsol == ("BR", "2", "MLSOL", "0.7000", "0.7000", "+0.0000", "1.50", "1.00")


def test_ties_are_scored_by_either_rule(study, plan_values):
    tie_rule, Memo = study("tie_rule"), study("rarelabels.experiment.evaluate._memo").Memo
    # Trees with leaves of two samples: many a score is 0.5.
    tree = {
        "estimator": "sklearn.tree.DecisionTreeClassifier",
        "estimator_params": {"min_samples_leaf": 2, "random_state": 0},
    }
    plan = load_plan(plan_values(learners=[{"name": "BR", **tree}], methods=["default"]))
    job = plan.jobs()[0]
    *names, yes, no, ties = tie_rule.scored(job, Memo())
    assert names == ["BR", job.dataset.name, job.method.name, "0"]
    assert float(yes) == run_job(job).scores["macro_f1"]
    assert float(ties) > 0
    assert float(no) != float(yes)


def test_the_kept_ties_are_those_of_the_study(study):
    rules, results = study("paper_study.rules"), study("paper_study.results")
    packed = EXPERIMENTS / "results" / "paper.json.xz"
    if not (rules.TIES.is_file() and packed.is_file()):
        pytest.skip("the results are not here")
    with results.open_results(packed) as store:
        values = results.Results.of(store, "paper").values
    with rules.TIES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 13 * 7 * 2
    for row in rows:
        cell = ("macro_f1", row["learner"], row["dataset"], row["method"])
        assert values[cell][int(row["fold"])] == float(row["yes"])


def test_gains_by_hand(study):
    gains, Results = study("paper_study.gains"), study("paper_study.results").Results
    with filled_store("first.toml", by_strength, learners=["BR"]) as store:
        table = gains.gains_table(Results.of(store, "first"))
    assert len(table.rows) == 3 * 13
    baseline, best = cells_of(table, 0), cells_of(table, 12)
    assert (baseline["Method"], baseline["Gain"], baseline["Helps"]) == ("Default", "", "")
    assert (best["Method"], best["Rank"], best["Better on"]) == ("EMLSOL", "1.00", "4 of 4")
    # Four data sets: 2 / 2^4 at best, and Holm's correction for twelve methods makes it 1.
    assert float(best["p"]) == pytest.approx(min(1, 12 * 2 / 2**4))
    assert (best["Helps"], best["Hurts"]) == ("4", "0")
    assert (12, 4) in table.best


def test_new_samplers_are_set_beside_mlsol(study):
    make_tables, Results = study("make_tables"), study("paper_study.results").Results
    with filled_store("newer.toml", by_length_of_name, learners=["MLkNN"]) as store:
        tables = {t.name: t for t in make_tables.gains_tables(Results.of(store, "newer"))}
    assert list(tables) == ["gains-newer", "gains-newer-over-MLSOL", "gains-newer-over-EMLSOL"]
    singles = tables["gains-newer-over-MLSOL"]
    assert {row[3] for row in singles.rows} == {
        "MLSOL", "LSDMLO", "MLONC", "MLRkNNOS", "HwR-ROS", "HwR-HUS",
    }  # fmt: skip
    gained = {row[3]: row[5] for row in singles.rows}
    assert (gained["MLSOL"], gained["MLONC"], gained["LSDMLO"]) == ("", "+0.0000", "+0.1000")


def by_length_of_name(job):
    return 0.1 * len(job.method.name.removeprefix("E")) + 0.001 * job.fold


def hardness_measures(scores, job):
    """Measure a data set by how badly the learner alone does on it."""
    column = scores.columns()["Default"]
    value = 1 - column[scores.datasets.index(job.dataset.name)]
    names = ("mean_ir", "cvir", "mean_imr", "cvimr", "scumble", "limb")
    return dict.fromkeys([*names, *(f"limb_{k}" for k in range(5, 10))], value)


def test_results_so_far_are_those_of_whole_repetitions(study):
    results = study("paper_study.results")
    changes = {"learners": ["BR"], "folds": {"n_splits": 2, "n_repeats": 3}}
    methods = ("Default", "MLSOL")
    with filled_store("first.toml", lambda job: float(job.fold), **changes) as store:
        jobs = store.jobs("first")

    def without(skipped):
        partial = Store(":memory:")
        partial.register("first", jobs)
        for job in jobs:
            if not skipped(job):
                scores = {"macro_f1": float(job.fold)}
                partial.write(Record(job.key, "done", scores=scores))
        return partial

    # Fold 3, of the second repetition, is missing for MLSOL on yeast: folds 0, 1, 4 and 5 count.
    gap = ("yeast", "MLSOL", 3)
    with without(lambda job: (job.dataset.name, job.method.name, job.fold) == gap) as store:
        failed = next(job for job in jobs if (job.dataset.name, job.method.name, job.fold) == gap)
        store.write(Record(failed.key, "failed", error="Timeout"))
        found = results.Results.of(store, "first")
    table = found.table("macro_f1", "BR", methods)
    assert table.columns() == {name: [2.5, 2.5, 2.5, 2.5] for name in methods}
    assert found.table("macro_f1", "BR", ("Default",)).values[3] == 2.5
    missing = results.missing_table(found)
    assert missing.rows == (("yeast", "BR", "78", "77", "1", "0", "2"),)
    assert "1 have failed" in missing.caption
    # A data set without any whole repetition is left out.
    with without(lambda job: job.dataset.name == "flags" and job.fold % 2) as store:
        found = results.Results.of(store, "first")
    assert found.table("macro_f1", "BR", methods).datasets == ("medical", "scene", "yeast")


def test_all_learners_rest_on_the_same_repetitions(study):
    Results = study("paper_study.results").Results
    with filled_store("first.toml", by_strength) as whole:
        jobs = whole.jobs("first")

    def found_without(skipped):
        with Store(":memory:") as store:
            store.register("first", jobs)
            for job in jobs:
                if not skipped(job.learner.name, job.dataset.name):
                    store.write(Record(job.key, "done", scores={"macro_f1": 0.5}))
            return Results.of(store, "first")

    found = found_without(lambda learner, dataset: (learner, dataset) == ("MLkNN", "yeast"))
    for learner in ("BR", "MLkNN"):
        assert found.table("macro_f1", learner, ("MLSOL",)).datasets == (
            "flags", "medical", "scene",
        )  # fmt: skip
    # A learner that has not been begun holds nothing up.
    found = found_without(lambda learner, dataset: learner == "MLkNN")
    assert len(found.table("macro_f1", "BR", ("MLSOL",)).datasets) == 4
    assert found.table("macro_f1", "MLkNN", ("MLSOL",)).datasets == ()


def test_curves_hold_one_parameter_and_turn_the_other(study):
    curves, Results = study("paper_study.curves"), study("paper_study.results").Results
    with filled_store("sweeps.toml", by_strength_of_parameters) as store:
        table = curves.parameter_table(Results.of(store, "sweeps"))
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
    plan = load_plan(EXPERIMENTS / "paper.toml")
    kept = measures.measures_of(plan.datasets)
    flags = next(spec for spec in plan.datasets if spec.name == "flags")
    found = measures.computed_measures(flags)
    assert kept["flags"] == pytest.approx(found)
    assert (round(found["mean_ir"], 3), round(found["scumble"], 4)) == (2.255, 0.0606)
    assert found["limb"] == found["limb_5"]
    table = measures.measures_table(kept)
    assert len(table.rows) == 3 * 13
    for place in range(2, len(table.rows), 3):
        gaps = dict(zip(table.header, table.rows[place], strict=True))
        slips = {"LImb"} | ({"LC"} if gaps["Data set"] == "medical" else set())
        differing = {name for name, gap in gaps.items() if gap not in ("0", "")}
        assert differing <= {"Data set", "Domain", "From"} | slips, gaps


@pytest.mark.parametrize(
    ("name", "n_examples"),
    [("formats", 3), ("beside", 2), ("agreement", 2), ("tables", 1), ("claims", 2)],
)
def test_modules_read_as_their_examples(study, name, n_examples):
    assert doctest.testmod(study(f"paper_study.{name}")) == (0, n_examples)


@pytest.mark.parametrize("packed", [False, True])
def test_everything_is_written_and_drawn(study, tmp_path, monkeypatch, shared_data, packed):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("RARELABELS_DATA", str(shared_data))
    make_tables = study("make_tables")
    place, folder = tmp_path / "results.json.xz", tmp_path / "tables"
    with filled_store("paper.toml", by_strength) as store:
        sweeps = load_plan(EXPERIMENTS / "sweeps.toml").jobs()
        store.register("sweeps", sweeps)
        for job in sweeps:
            scores = {"macro_auc_pr": by_strength_of_parameters(job)}
            store.write(Record(job.key, "done", scores=scores))
        pack(store, place)
    if not packed:
        unpack(place, tmp_path / "results.sqlite")
        place = tmp_path / "results.sqlite"
    monkeypatch.setattr(sys, "argv", ["make_tables", str(place), str(folder)])
    make_tables.main()
    names = {path.name for path in folder.iterdir()}
    kinds = [
        "table1-datasets", "table2-correlation", "table3-sampling", "table4-ensembles",
        "table5-diversity", "table6-strategies", "figure3-rho", "figure4-parameters", "agreement",
        "missing", "scores-macro_f1-BR", "claims", "claims-pairs",
    ]  # fmt: skip
    assert names >= {f"{kind}.{suffix}" for kind in kinds for suffix in ("md", "csv", "tex")}
    assert names >= {"figure3-rho.svg", "figure4-parameters.svg", "README.md"}
    page = (folder / "README.md").read_text(encoding="utf-8")
    # 13 data sets, 3 × 6 correlations, twice 3 × 7 ranks, 7 of diversity and 6 of strategies.
    assert page.count("| here |") == 13 + 18 + 21 + 21 + 7 + 6
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    make_tables.main()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first


WORDS = {9: "nine", 10: "ten", 11: "eleven", 12: "twelve", 13: "thirteen"}


def test_the_readme_has_the_figures_of_the_packed_results(study):
    packed, readme = EXPERIMENTS / "results" / "paper.json.xz", EXPERIMENTS.parent / "README.md"
    if not (packed.is_file() and readme.is_file()):
        pytest.skip("the packed results or the README are not here")
    results = study("paper_study.results")
    with results.open_results(packed) as store:
        found = results.Results.of(store, "paper")
        ranks = study("paper_study.tables").ensemble_table(found)
        pairs = study("paper_study.claims").pairs_table(found)
        drawn = study("paper_study.gains").dataset_gains_table(found)
        agreed = study("paper_study.agreement")
        (rho,) = re.findall(
            r"by 0(\.\d\d) on average", agreed.totals(agreed.agreement_table(found))
        )
    text = readme.read_text(encoding="utf-8")
    (picture,) = re.findall(r"\(([^)]*figure-gains.svg)\)", text)
    content = (EXPERIMENTS.parent / picture).read_text(encoding="utf-8")
    rows = study("paper_study.formats").as_csv(drawn).splitlines()
    assert [row for row in rows if row not in content] == []
    assert f"Spearman's ρ {rho} on average" in text
    compared = [job for job in found.jobs if job.method.name[:2] not in ("Ep", "Ek")]
    assert len({job.method.name for job in compared}) == 13
    assert f"{len(compared):,} jobs" in text
    names = {job.method.name for job in compared}
    n_scored = sum(
        len(folds)
        for (metric, _, _, name), folds in found.values.items()
        if metric == "macro_f1" and name in names
    )
    assert (n_scored, sum(found.failed.values())) == (len(compared), 0)
    assert f"plan of {len(found.jobs):,} jobs" in text
    page = (EXPERIMENTS.parent / "docs" / "study.rst").read_text(encoding="utf-8")
    assert f"{len(compared):,} jobs" in " ".join(page.split())
    for line in readme_ranks(ranks):
        assert line in text.replace("**", "")
    gains = {
        row[1]: (f"{float(row[6]):.3f}".lstrip("0"), row[7])
        for row in pairs.rows
        if row[2] == "EMLSOL over Default"
    }
    (n_better, n_sets), *others = {tuple(map(int, on.split(" of "))) for _, on in gains.values()}
    assert not others
    (f1, _), (roc, _), (pr, _) = gains.values()
    assert f"gains {f1} F, {roc} AUC-ROC and {pr} AUCPR over the learner alone" in text
    assert f"on {WORDS[n_better]} data sets of {WORDS[n_sets]}" in text
    assert f"{WORDS[n_sets]} of its thirteen data sets" in text or n_sets == 13


def readme_ranks(table):
    """Write the mean ranks of ensembles over all learners as the README has them."""
    of_all = [row for row in table.rows if row[1] == "Ave(Total)"]
    for here, paper in zip(of_all[::3], of_all[1::3], strict=True):
        cells = (
            f"{rank_in(ours)} ({rank_in(theirs)})"
            for ours, theirs in zip(here[4:], paper[4:], strict=True)
        )
        yield f"| {here[0]} | {' | '.join(cells)} |"


def rank_in(cell):
    return f"{float(cell.partition('(')[0].rstrip('*')):.2f}"


def test_an_unknown_plan_of_results_is_refused(study):
    with (
        filled_store("first.toml", by_strength) as store,
        pytest.raises(SystemExit, match="nosuch"),
    ):
        study("paper_study.results").chosen_plan(store, "nosuch")


def test_jobs_run_again_are_compared_bit_for_bit(study, tmp_path, plan_values, monkeypatch, capsys):
    path = tmp_path / "small.sqlite"
    run(plan_values(learners=["MLkNN"], methods=["default", "MLSOL"]), path, engine="inline")
    repeat_sample = study("repeat_sample")
    monkeypatch.setattr(sys, "argv", ["repeat_sample", str(path), "--jobs", "3"])
    with pytest.raises(SystemExit) as ended:
        repeat_sample.main()
    assert not ended.value.code
    lines = capsys.readouterr().out.splitlines()
    assert [": equal" in line for line in lines] == [True] * 3 + [False]
    assert lines[-1] == "3 of 3 jobs have equal scores"

    with Store(path) as store:
        (job, kept), *_ = repeat_sample.drawn(store, "small", 2, seed=1)
    moved = np.nextafter(kept.scores["macro_f1"], 1)
    other = dataclasses.replace(kept, scores={**kept.scores, "macro_f1": moved})
    assert not repeat_sample.repeat(job, other)
    assert f"macro_f1 {moved} -> " in capsys.readouterr().out


def by_strength_of_parameters(job):
    return dict(job.method.params)["sampling_ratio"]
