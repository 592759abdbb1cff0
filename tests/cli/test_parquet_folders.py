"""Folders of Parquet files: describe, resample and predict with Dask, as with one file."""

import json

import numpy as np
import pytest

from rarelabels.datasets import load_parquet, make_multilabel

pd = pytest.importorskip("pandas")
pytest.importorskip("dask.dataframe")
pytest.importorskip("pyarrow")

N_FILES = 11


@pytest.fixture(scope="module")
def table():
    X, y = make_multilabel(440, 4, 3, sparse_output=False, random_state=0)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(4)])
    frame["n"] = rng.integers(9, size=440)
    frame["is_old"] = rng.random(440) < 0.5
    frame["color"] = pd.Categorical(rng.choice(["red", "green", "blue"], 440))
    frame["word"] = rng.choice(["a", "b"], 440)
    labels = pd.DataFrame(y.astype(int), columns=["y_a", "y_b", "y_c"])
    return pd.concat([frame, labels], axis=1)


@pytest.fixture
def parts(table, tmp_path):
    """The table as one file, and as a folder whose files sort differently as texts."""
    table.to_parquet(tmp_path / "all.parquet")
    write_parts(table, tmp_path / "parts")
    return tmp_path / "parts"


def write_parts(table, folder):
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(table)), N_FILES)):
        table.iloc[rows].to_parquet(folder / f"part.{number}.parquet")


def read(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.iterdir())])


def as_texts(frame):
    return frame.astype(str).to_numpy()


def test_measures_are_those_of_one_file(command, parts):
    described = {}
    for data in ("parts", "all.parquet"):
        code, out, err = command("describe", data, "--labels", "y_", "--json")
        assert (code, err) == (0, "")
        described[data] = json.loads(out)
    assert described["parts"]["labels"] == described["all.parquet"]["labels"]
    assert described["parts"]["summary"] == described["all.parquet"]["summary"]


@pytest.mark.parametrize("sampler", ["mlsol", "mlul", "mlros", "mlsmote", "remedial"])
def test_samples_are_those_of_one_file(command, parts, tmp_path, sampler):
    options = ["--labels", "y_", "--sampler", sampler, "--seed", 3]
    code, out, err = command("resample", "parts", "new", *options)
    assert (code, err) == (0, "written: new\n")
    assert command("resample", "all.parquet", "new.parquet", *options)[0] == 0
    many, one = read(tmp_path / "new"), pd.read_parquet(tmp_path / "new.parquet")
    assert [*many.columns] == [*one.columns]
    np.testing.assert_array_equal(as_texts(many), as_texts(one))
    counts = {line.split()[0]: line.split()[-1] for line in out.splitlines() if "y_" in line}
    assert counts == {name: str(one[name].sum()) for name in ("y_a", "y_b", "y_c")}
    # The files know their labels.
    first = min((tmp_path / "new").iterdir())
    assert load_parquet(first).label_names == ("y_a", "y_b", "y_c")


def test_unknown_labels_stay_unknown(command, table, tmp_path):
    hidden = table.assign(y_a=table["y_a"].where(table["n"] > 2))
    write_parts(hidden, tmp_path / "parts")
    hidden.to_parquet(tmp_path / "all.parquet")
    code, _, err = command("resample", "parts", "new", "--labels", "y_")
    assert code == 1
    assert "parts/part." in err
    assert "--unknown" in err
    options = ["--labels", "y_", "--unknown", "blank", "--sampler", "mlros"]
    assert command("resample", "parts", "new", *options)[0] == 0
    assert command("resample", "all.parquet", "new.parquet", *options)[0] == 0
    many, one = read(tmp_path / "new"), pd.read_parquet(tmp_path / "new.parquet")
    np.testing.assert_array_equal(many["y_a"].to_numpy(), one["y_a"].to_numpy())
    assert many["y_a"].isna().any()


def test_labels_and_columns_are_left_out(command, parts, tmp_path):
    options = ["--labels", "y_", "--drop", "color,word", "--drop-label", "y_b"]
    assert command("resample", "parts", "new", "--sampler", "mlros", *options)[0] == 0
    names = ["x0", "x1", "x2", "x3", "n", "is_old", "y_a", "y_c"]
    assert [*read(tmp_path / "new").columns] == names


def test_predictions_are_those_of_one_file(command, parts, table, tmp_path):
    pytest.importorskip("skops")
    options = ["--labels", "y_", "--samplers", "none", "--cv", "1x2", "--jobs", 1]
    code, _, err = command("compare", "all.parquet", *options, "--save", "model.skops")
    assert code == 0, err
    code, out, err = command("predict", "model.skops", "parts", "--out", "predicted")
    assert (code, out) == (0, "")
    # Each note once, not once for each file.
    assert err.count("the columns of labels are ignored") == 1
    assert command("predict", "model.skops", "all.parquet", "--out", "one.csv")[0] == 0
    assert len([*(tmp_path / "predicted").iterdir()]) == N_FILES
    many, one = read(tmp_path / "predicted"), pd.read_csv(tmp_path / "one.csv")
    assert [*many.columns] == [*one.columns]
    np.testing.assert_allclose(many.to_numpy(float), one.to_numpy(float), rtol=1e-5)


def test_integers_with_gaps_in_one_file_are_numbers_in_all(command, table, tmp_path):
    gaps = table.drop(columns=["color", "word"])
    gaps["n"] = gaps["n"].astype(float).where(gaps.index != 7)
    folder = tmp_path / "parts"
    folder.mkdir()
    gaps[:200].to_parquet(folder / "part.0.parquet")
    gaps[200:].astype({"n": int}).to_parquet(folder / "part.1.parquet")
    gaps.to_parquet(tmp_path / "all.parquet")
    for data, out in (("parts", "new"), ("all.parquet", "new.parquet")):
        assert command("resample", data, out, "--labels", "y_", "--seed", 1)[0] == 0
    many, one = read(tmp_path / "new"), pd.read_parquet(tmp_path / "new.parquet")
    np.testing.assert_array_equal(many.to_numpy(float), one.to_numpy(float))


def test_large_files_are_read_in_parts(command, table, tmp_path, monkeypatch):
    monkeypatch.setattr("rarelabels._dask.parquet_files.PART_BYTES", 1)
    (tmp_path / "parts").mkdir()
    table.to_parquet(tmp_path / "parts" / "one.parquet", row_group_size=100)
    table.to_parquet(tmp_path / "all.parquet")
    for data, out in (("parts", "new"), ("all.parquet", "new.parquet")):
        assert command("resample", data, out, "--labels", "y_", "--sampler", "mlul")[0] == 0
    assert len([*(tmp_path / "new").iterdir()]) > 1
    np.testing.assert_array_equal(
        as_texts(read(tmp_path / "new")), as_texts(pd.read_parquet(tmp_path / "new.parquet"))
    )


def test_force_replaces_a_folder_of_parquet_files_alone(command, parts, tmp_path):
    options = ["--labels", "y_", "--sampler", "mlros"]
    assert command("resample", "parts", "new", *options)[0] == 0
    code, _, err = command("resample", "parts", "new", *options)
    assert (code, "--force" in err) == (1, True)
    (tmp_path / "new" / "old.parquet").write_text("")
    assert command("resample", "parts", "new", *options, "--force")[0] == 0
    assert not (tmp_path / "new" / "old.parquet").exists()
    (tmp_path / "new" / "notes.txt").write_text("mine")
    code, _, err = command("resample", "parts", "new", *options, "--force")
    assert (code, "notes.txt" in err) == (1, True)
    assert (tmp_path / "new" / "notes.txt").read_text() == "mine"


def test_a_failure_leaves_nothing_behind(command, parts, tmp_path):
    (parts / "part.5.parquet").write_bytes(b"PAR1 but nothing else")
    before = sorted(path.name for path in tmp_path.iterdir())
    code, _, err = command("resample", "parts", "new", "--labels", "y_")
    assert (code, "part.5.parquet" in err) == (1, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["describe", "parts"], 2, "pass --labels"),
        (["describe", "parts", "--labels", "q_"], 1, "no column name begins with 'q_'"),
        (["describe", "parts", "--labels", "y_", "--report", "page.html"], 2, "--report"),
        (["describe", "parts", "--labels", "y_", "--groups", "n"], 2, "--groups"),
        (["describe", "parts", "--labels", "y_", "--drop", "x9"], 2, "'x9'"),
        (["describe", ".", "--labels", "y_"], 2, "is a folder"),
        (["describe", "empty", "--labels", "y_"], 2, "without Parquet files"),
        (["describe", "all.parquet", "--labels", "y_", "--scheduler", "tcp://x:1"], 2, "folder of"),
        (["resample", "parts", "-", "--labels", "y_"], 2, "is a folder"),
        (["resample", "parts", "all.parquet", "--labels", "y_"], 1, "already exists"),
        (["resample", "parts", "no/new", "--labels", "y_"], 1, "does not exist"),
        (["resample", "parts", "new", "--labels", "y_", "--sampler", "mltl"], 2, "MLTL"),
        (["resample", "parts", "new", "--labels", "y_", "--format", "csv"], 2, "--format"),
        (["compare", "parts", "--labels", "y_"], 2, "describe, resample and predict"),
    ],
)
def test_errors(command, parts, tmp_path, arguments, code, words):
    (tmp_path / "empty").mkdir()
    (tmp_path / "all.parquet").rename(tmp_path / "moved") if "." in arguments else None
    ended, out, err = command(*arguments)
    assert (ended, out) == (code, "")
    assert words in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda part: part.drop(columns="x1"), "column 'x1' is missing"),
        (lambda part: part.assign(z=1), "column 'z' is not in that file"),
        (lambda part: part[part.columns[::-1]], "another order"),
        (lambda part: part.assign(x1="text"), "part"),
        (lambda part: part.assign(y_a=2), "neither 0 nor 1 in row 0"),
    ],
)
def test_files_that_do_not_match(command, parts, change, words):
    path = parts / "part.4.parquet"
    change(pd.read_parquet(path)).to_parquet(path)
    code, _, err = command("describe", "parts", "--labels", "y_")
    assert code == 1
    assert words in err


def test_columns_of_dates_are_refused_by_name(command, table, tmp_path):
    write_parts(table.assign(day=pd.Timestamp("2024-01-31")), tmp_path / "parts")
    code, _, err = command("describe", "parts", "--labels", "y_")
    assert (code, "'day'" in err, "--drop" in err) == (1, True, True)
    assert command("describe", "parts", "--labels", "y_", "--drop", "day")[0] == 0


def test_texts_that_are_not_categories_are_refused_by_name(command, table, tmp_path):
    write_parts(table.assign(note=[f"note {i}" for i in range(len(table))]), tmp_path / "parts")
    code, _, err = command("describe", "parts", "--labels", "y_")
    assert (code, "'note'" in err) == (1, True)


def test_workers_of_a_scheduler(command, parts, tmp_path):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(processes=False, **options) as cluster:
        address = cluster.scheduler_address
        arguments = ["--labels", "y_", "--sampler", "mlros", "--scheduler", address]
        assert command("resample", "parts", "new", *arguments)[0] == 0
    assert command("resample", "all.parquet", "new.parquet", *arguments[:-2])[0] == 0
    np.testing.assert_array_equal(
        as_texts(read(tmp_path / "new")), as_texts(pd.read_parquet(tmp_path / "new.parquet"))
    )
