"""rarelabels predict: a model that compare --save wrote, on new samples."""

import csv
import io

import numpy as np
import pytest

from rarelabels.advisor import load_model, save_model
from rarelabels.advisor.columns import columns_learned_from
from rarelabels.datasets import load_csv
from rarelabels.learners import BinaryRelevance

COLORS = ("red", "green", "blue")


def write(path, rows, n_columns=None):
    header = ["size", "color", "y_round", "y_heavy"][:n_columns]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(row[: len(header)] for row in rows)
    path.write_text(text.getvalue())


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    sizes, colors = rng.normal(size=80), rng.integers(3, size=80)
    is_round, is_heavy = (sizes > 0.3).astype(int), (colors == 1).astype(int)
    return [
        [f"{size:.3f}", COLORS[color], a, b]
        for size, color, a, b in zip(sizes, colors, is_round, is_heavy, strict=True)
    ]


@pytest.fixture
def model(rows, tmp_path):
    pytest.importorskip("skops")
    write(tmp_path / "old.csv", rows)
    data = load_csv(tmp_path / "old.csv", labels="y_")
    fitted = BinaryRelevance(random_state=0).fit(data.X, data.Y)
    fitted.columns_ = columns_learned_from(data)
    save_model(fitted, tmp_path / "model.skops")
    return data, fitted


def table(text):
    return list(csv.reader(io.StringIO(text)))


def test_scores_and_decisions_of_new_samples(command, model, rows, tmp_path):
    data, fitted = model
    # Other columns first, and two of the three colors only: codes are those of the model.
    new = [row for row in rows if row[1] != "blue"]
    with (tmp_path / "new.csv").open("w") as file:
        file.write("color,size\n" + "".join(f"{row[1]},{row[0]}\n" for row in new))
    code, out, err = command("predict", "model.skops", "new.csv")
    assert (code, err) == (0, "")
    head, *found = table(out)
    assert head == ["y_round", "y_heavy", "y_round score", "y_heavy score"]
    kept = [place for place, row in enumerate(rows) if row[1] != "blue"]
    numbers = np.array(found, dtype=float)
    np.testing.assert_array_equal(numbers[:, :2], fitted.predict(data.X[kept]))
    np.testing.assert_allclose(numbers[:, 2:], fitted.predict_proba(data.X[kept]), atol=1e-5)


def test_what_compare_saves_predicts(command, rows, tmp_path):
    pytest.importorskip("skops")
    write(tmp_path / "old.csv", rows)
    arguments = ["--labels", "y_", "--samplers", "none", "--cv", "1x2", "--jobs", 1]
    code, _, err = command("compare", "old.csv", *arguments, "--save", "model.skops")
    assert code == 0, err
    write(tmp_path / "new.csv", rows[:5], 2)
    code, out, err = command("predict", "model.skops", "new.csv", "--out", "found.csv")
    assert (code, out) == (0, "")
    assert err == "written: found.csv\n"
    found = table((tmp_path / "found.csv").read_text())
    assert found[0][:2] == ["y_round", "y_heavy"]
    assert len(found) == 6
    data = load_csv(tmp_path / "old.csv", labels="y_")
    expected = load_model(tmp_path / "model.skops").predict(data.X[:5])
    np.testing.assert_array_equal(np.array(found[1:], dtype=float)[:, :2], expected)
    code, _, err = command("predict", "model.skops", "new.csv", "--out", "found.csv")
    assert code == 1
    assert "--force" in err


def test_columns_of_labels_are_ignored_and_unknown_values_are_noted(command, model, rows, tmp_path):
    write(tmp_path / "new.csv", [*rows[:3], ["0.5", "pink", 0, 0]])
    code, out, err = command("predict", "model.skops", "new.csv")
    assert code == 0
    assert len(table(out)) == 5
    assert "the columns of labels are ignored: 'y_round' and 'y_heavy'." in err
    assert "'color' has values that the model does not know: 'pink'." in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size,color,id\n1,red,7\n", "does not know the columns 'id'; leave them out with --drop"),
        ("size\n1\n", "columns that the model needs are missing: 'color'"),
        ("size,color\nlarge,red\n", "'size' holds numbers in the model's data, here categories"),
    ],
)
def test_other_columns_are_refused(command, model, tmp_path, text, words):
    (tmp_path / "new.csv").write_text(text)
    code, out, err = command("predict", "model.skops", "new.csv")
    assert (code, out) == (2, "")
    assert words in err


def test_columns_can_be_dropped(command, model, tmp_path):
    (tmp_path / "new.csv").write_text("size,color,id\n1,red,7\n")
    code, out, _ = command("predict", "model.skops", "new.csv", "--drop", "id")
    assert code == 0
    assert len(table(out)) == 2


def test_a_pickle_is_refused(command, model, tmp_path):
    (tmp_path / "new.csv").write_text("size,color\n1,red\n")
    (tmp_path / "model.joblib").write_bytes(b"")
    code, _, err = command("predict", "model.joblib", "new.csv")
    assert code == 2
    assert "A pickle runs code" in err
