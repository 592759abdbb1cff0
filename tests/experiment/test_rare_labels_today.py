"""The benchmark of today: jobs, records, the leaderboard, and a method of the user's own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rarelabels._mulan_sources import REGISTRY
from rarelabels.datasets import MultiLabelDataset, make_multilabel, save_mulan
from rarelabels.measures._advice import BORDER_EVIDENCE

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
README = EXPERIMENTS.parent / "README.md"
# What the README calls the data sets.
ROLES = {
    "exploratory": "macro F1 rises",
    "confirmatory": "on data sets that we had not looked at before",
}
OWN_METHOD = """
from sklearn.dummy import DummyClassifier

def constant():
    return DummyClassifier(strategy="prior")
"""


@pytest.fixture(scope="module")
def benchmark():
    sys.path.append(str(EXPERIMENTS))
    try:
        import rare_labels_today.comparisons
        import rare_labels_today.evaluate
        import rare_labels_today.facts
        import rare_labels_today.leaderboard
        import rare_labels_today.store
        import rare_labels_today.tables
    finally:
        sys.path.remove(str(EXPERIMENTS))
    return rare_labels_today


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a small data set that is called flags."""
    place = tmp_path_factory.mktemp("data")
    X, Y = make_multilabel(80, 4, 3, signal=0.8, sparse_output=False, random_state=0)
    data = MultiLabelDataset(X, Y, [f"f{j}" for j in range(4)], ["a", "b", "c"], (), "flags")
    (place / "flags").mkdir()
    save_mulan(data, place / "flags" / "flags.arff", place / "flags" / "flags.xml")
    return place


def call(folder, *arguments):
    paths = [str(EXPERIMENTS), str(folder), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", "rare_labels_today", *map(str, arguments)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "RARELABELS_DATA": str(folder),
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_run_continues_and_its_jobs_give_the_same_scores_again(folder, tmp_path):
    store, packed = tmp_path / "store.jsonl", tmp_path / "packed.jsonl.xz"
    methods = ("--methods", "RareLabelClassifier", "logistic regression", "BR, C4.5 + MLSOL")
    only = ("--datasets", "flags")
    first = call(folder, "run", store, *methods[:2], *only)
    assert first.splitlines() == [line for line in first.splitlines() if " done " in line]
    second = call(folder, "run", store, *methods, *only)
    # Two halves each, and what was there is not computed again.
    assert (len(first.splitlines()), len(second.splitlines())) == (2, 4)
    call(folder, "pack", store, packed)
    assert call(folder, "check", packed, "--jobs", 6) == "6 of 6 jobs have equal scores.\n"
    records = [json.loads(line) for line in store.read_text().splitlines()]
    changed = {**records[0], "macro_auc_pr": 0.123}
    store.write_text(json.dumps(changed) + "\n")
    call(folder, "pack", store, packed)
    with pytest.raises(subprocess.CalledProcessError) as failed:
        call(folder, "check", packed, "--jobs", 6)
    assert "5 of 6 jobs have equal scores." in failed.value.stdout


def test_the_order_of_jobs(benchmark):
    import rare_labels_today.__main__ as program

    named = {name: next(m for m in benchmark.methods.METHODS if m.name == name)
             for name in ("logistic regression", "logistic regression + MLSOL")}  # fmt: skip
    jobs = [
        (dataset.name, fold, method.name)
        for dataset, fold, method in program.jobs(1, tuple(named.values()))
        if dataset.folder == "flags"
    ]
    model, sampler = named
    # Models come before samplers, and five folds are for models only.
    assert jobs == [
        ("flags", 0, model),
        ("flags, five folds", 0, model),
        ("flags", 0, sampler),
        ("flags", 1, model),
        ("flags, five folds", 1, model),
        ("flags", 1, sampler),
        *(("flags, five folds", fold, model) for fold in (2, 3, 4)),
    ]


def test_a_method_of_the_user_gets_a_row(folder, tmp_path):
    (folder / "own_method.py").write_text(OWN_METHOD)
    printed = call(folder, "add", tmp_path / "mine.jsonl", "my method", "own_method:constant")
    rows = [line for line in printed.splitlines() if line.startswith("my method")]
    assert rows, printed
    assert printed.count("flags ") >= 2


def test_the_list_of_data_says_where_each_is(folder, benchmark):
    lines = {line.split()[0]: line for line in call(folder, "data").splitlines()}
    assert len(lines) == 23
    assert lines["flags"].endswith(str(folder / "flags"))
    assert lines["yeast"].endswith("can be downloaded (--download)")
    assert "Mulan" in lines["rcv1subset1"]
    downloadable = {
        dataset.folder
        for dataset in benchmark.datasets.DATASETS
        if benchmark.datasets.is_downloadable(dataset)
    }
    assert downloadable <= set(REGISTRY)


def test_the_leaderboard_of_the_packed_results(benchmark):
    records = benchmark.store.read_records(benchmark.store.PACKED)
    assert not [record for record in records if record["status"] == "failed"]
    shown = benchmark.leaderboard.leaderboard(records)
    assert shown.startswith("Exploratory data sets")
    assert "RareLabelClassifier" in shown
    for name, make in benchmark.tables.TABLES.items():
        table = make()
        assert {len(row) for row in table.rows} <= {len(table.header)}, name


def test_the_readme_has_the_short_form(benchmark):
    readme = README.read_text(encoding="utf-8")
    table = benchmark.tables.short_form()
    for name, *cells in table.rows:
        assert f"| {name} | {' | '.join(cell.removeprefix('0') for cell in cells)} |" in readme
    n_datasets = re.search(r"the (\d+) data sets", table.caption)[1]
    assert f"on average over the {n_datasets} data sets of our benchmark" in readme
    fact = benchmark.facts.fact
    for role, words in ROLES.items():
        rise = " to ".join(fact(f"rule | {rule} | {role}") for rule in ("0.5", "pooled_f1"))
        assert f"{words} from {rise}" in readme
    ours = "better | RareLabelClassifier | logistic regression, tuned | {} | F"
    wins, new_wins = (fact(ours.format(role)) for role in ROLES)
    assert f"than that of tuned logistic regression on {wins} data sets" in readme
    assert f"and on {new_wins} that we had not looked at before" in readme
    gained = fact("gain | BR, C4.5 + EMLSOL | BR, C4.5 | exploratory | F")
    assert f"an ensemble over MLSOL gains {gained} F beyond thresholds" in readme
    (picture,) = re.findall(r"\(([^)]*figure-rarity.svg)\)", readme)
    drawn = (README.parent / picture).read_text(encoding="utf-8")
    assert [row for row in table.rows if ", ".join(row) not in drawn] == []


def test_the_figure_is_drawn_with_its_numbers(benchmark, tmp_path):
    pytest.importorskip("matplotlib")
    from rare_labels_today.figure import draw_rarity

    draw_rarity(tmp_path / "rarity.svg")
    drawn = (tmp_path / "rarity.svg").read_text(encoding="utf-8")
    assert all(", ".join(row) in drawn for row in benchmark.tables.short_form().rows)


def test_no_sampler_adds_much_to_the_thresholds_of_strong_models(benchmark):
    fact = benchmark.facts.fact
    strong = ("logistic regression", "extra trees", "RareLabelClassifier")
    added = [
        method
        for method in benchmark.tables.of_group("samplers", "ensembles")
        if method.base in strong
    ]
    assert len(added) >= 12
    for method in added:
        for role in ROLES:
            assert number(fact(f"gain | {method.name} | {method.base} | {role} | F")) < 0.01
    for role in ROLES:
        weighted = "gain | logistic regression, weights | logistic regression | {} | F"
        assert number(fact(weighted.format(role))) < 0.01
        tuned = "gain | logistic regression, tuned | logistic regression | {} | F"
        assert number(fact(tuned.format(role))) > 0.01


def test_what_the_advice_says_of_thresholds(benchmark):
    grouped = benchmark.leaderboard.by_dataset(benchmark.tables.records())["logistic regression"]
    gains = [
        benchmark.leaderboard.scores_of(records)["F"]
        - benchmark.leaderboard.scores_of(records, "0.5")["F"]
        for name, records in grouped.items()
        if benchmark.leaderboard.ROLES[name] in ROLES
    ]
    assert f"gave logistic regression {np.mean(gains):.2f} without any sampler" in BORDER_EVIDENCE
    assert "no sampler added more than 0.01" in BORDER_EVIDENCE


def number(text):
    return float(text.replace("−", "-"))


def test_every_number_of_the_page_can_be_computed(benchmark):
    page = (README.parent / "docs" / "rare_labels_today.rst").read_text(encoding="utf-8")
    questions = re.findall(r":today:`([^`]+)`", page)
    assert len(questions) > 30
    for question in questions:
        assert re.fullmatch(r"−?[\d,]*\.?\d+( of \d+)?", benchmark.facts.fact(question)), question
    assert set(re.findall(r"rare_labels_today.tables ([\w-]+)", page)) == set(
        benchmark.tables.TABLES
    )


def test_numbers_by_hand(benchmark):
    # Two labels with 1 and 3 positives to learn from; the scores rank the second one perfectly.
    Y_train = np.array([[1, 1], [0, 1], [0, 1], [0, 0]], dtype=bool)
    Y_test = np.array([[1, 1], [0, 0]], dtype=bool)
    scores = benchmark.methods.Scores(
        unseen=np.array([[0.1, 0.9], [0.4, 0.8], [0.3, 0.7], [0.2, 0.1]]),
        learned=np.ones((4, 2), dtype=bool),
        test=np.array([[0.2, 0.9], [0.6, 0.2]]),
        votes=np.array([[0, 1], [1, 0]], dtype=bool),
    )
    numbers = benchmark.evaluate.numbers_of(scores, Y_train, Y_test)
    assert numbers["macro_f1"]["0.5"] == 0.5
    assert numbers["n_positive"] == [1, 3]
    assert numbers["entries"]["0.5"] == [1, 2, 2]
    assert (numbers["macro_auc_roc"], numbers["macro_auc_pr"]) == (0.5, 0.75)
    bands = numbers["bands"]
    assert [band["n_labels"] for band in bands] == [1, 1, 0, 0, 0, 0]
    assert (bands[0]["f1"]["0.5"], bands[1]["f1"]["0.5"], bands[2]["f1"]["0.5"]) == (0, 1, None)


def test_methods_are_compared_on_the_folds_that_both_have(benchmark):
    def record(method, fold, f1):
        return {"dataset": "flags", "method": method, "fold": fold, "status": "done", "f1": f1}

    records = [record("a", 0, 0.5), record("a", 1, 0.9), record("b", 0, 0.2)]
    grouped = benchmark.leaderboard.by_dataset(records)
    mean = lambda found: np.mean([one["f1"] for one in found])  # noqa: E731
    difference = benchmark.comparisons.difference(grouped, "a", "b", mean)
    assert (difference.n_datasets, difference.mean) == (1, pytest.approx(0.3))


def test_holm_and_wilcoxon_by_hand(benchmark):
    made = benchmark.comparisons.Difference.of([0.1, 0.2, 0.3, 0.4, 0.5])
    # All five signs agree, which has the probability 2 / 32.
    assert made.p_value == pytest.approx(0.0625)
    assert (made.n_datasets, made.n_better, made.mean) == (5, 5, pytest.approx(0.3))
    assert made.low < 0.3 < made.high
    other = benchmark.comparisons.Difference(5, 1, 0.0, 0.0, 0.0, 0.04)
    first, second = benchmark.comparisons.corrected([made, other])
    assert (first.p_value, second.p_value) == (pytest.approx(0.08), pytest.approx(0.08))
