import csv
import io
import json

import numpy as np
import pytest

from rarelabels.datasets import load
from rarelabels.sampling import MLSOL


@pytest.mark.parametrize(("name", "n_added"), [("yeast", 725), ("flags", 58), ("medical", 293)])
def test_resample_then_describe(command, monkeypatch, shared_data, name, n_added):
    monkeypatch.setenv("RARELABELS_DATA", str(shared_data))
    code, out, err = command("resample", name, "more.arff", "--seed", 1)
    assert code == 0, err
    assert "before" in out
    before = load(shared_data / name / f"{name}.arff")
    found = json.loads(command("describe", "more.arff", "--json")[1])
    assert found["summary"]["n_samples"] == before.n_samples + n_added
    assert [row["label"] for row in found["labels"]] == list(before.label_names)


def test_the_samples_are_those_of_the_sampler(command, made, tmp_path):
    assert command("resample", made, "out.arff", "--ratio", 0.5, "--k", 3, "--seed", 7)[0] == 0
    sampler = MLSOL(sampling_ratio=0.5, n_neighbors=3, random_state=7)
    X, Y = sampler.fit_resample(*load(made))
    found = load(tmp_path / "out.arff")
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.Y, Y)


def test_neighbors_by_another_distance(command, made, tmp_path):
    code, out, err = command("resample", made, "out.arff", "--metric", "cosine", "--seed", 7)
    assert code == 0, err
    X, Y = load(made)
    expected, _ = MLSOL(metric="cosine", random_state=7).fit_resample(X, Y)
    np.testing.assert_array_equal(load(tmp_path / "out.arff").X, expected)
    assert not np.array_equal(expected, MLSOL(random_state=7).fit_resample(X, Y)[0])
    # The measures, too, are those by this distance.
    described = command("describe", made, "--metric", "cosine")[1]
    (row,) = (line for line in described.splitlines() if line.startswith("LImb"))
    assert row.split()[1] in next(line for line in out.splitlines() if line.startswith("LImb"))


@pytest.mark.parametrize("out", ["o.csv", "o.csv.gz", "o.parquet", "o.txt", "o.arff"])
def test_every_format_goes_out(command, made, tmp_path, out):
    code, _, err = command("resample", made, out, "--sampler", "mlul", "--ratio", 0.2)
    assert code == 0, err
    found = load(tmp_path / out)
    assert found.Y.shape == (96, 3)
    assert list(found.label_names) == ["label_0", "label_1", "label_2"]


def test_meka_is_asked_for(command, made, tmp_path):
    assert command("resample", made, "o.arff", "--format", "meka")[0] == 0
    assert not (tmp_path / "o.xml").exists()
    assert load(tmp_path / "o.arff").n_labels == 3


def test_standard_output_is_csv(script, made):
    done = script("resample", made, "-", "--sampler", "mlul")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert len(rows) == 1 + 108
    assert "before" in done.stderr


@pytest.mark.parametrize("sampler", ["remedial", "rhwrsmt", "mlenn", "MLTL", "lpros"])
def test_any_sampler_will_do(command, made, sampler):
    assert command("resample", made, "o.csv", "--sampler", sampler)[0] == 0


def test_nothing_is_overwritten(command, made, tmp_path):
    (tmp_path / "o.xml").write_text("mine")
    code, _, err = command("resample", made, "o.arff")
    assert code == 1
    assert "o.xml already exists" in err
    assert not (tmp_path / "o.arff").exists()
    assert command("resample", made, "o.arff", "--force")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["made.arff", "o.csv", "--sampler", "mlsolo"], 2, "did you mean 'mlsol'"),
        (["made.arff", "o.csv", "--sampler", "remedial", "--ratio", "0.2"], 2, "no option"),
        (["made.arff", "o.csv", "--ratio", "-1"], 2, "--ratio"),
        (["made.arff", "o.csv", "--ratio", "much"], 2, "--ratio"),
        (["made.arff", "o.csv", "--k", "500"], 2, "--k"),
        (["made.arff", "o.csv", "--metric", "cosin"], 2, "cosine"),
        (["made.arff", "o.csv", "--sampler", "mlros", "--metric", "cosine"], 2, "'--metric'"),
        (["made.arff", "o.docx"], 2, "has no known suffix"),
        (["made.arff", "o.csv", "--format", "cvs"], 2, "did you mean 'csv'"),
        (["made.arff", "no/o.csv"], 1, "the folder no does not exist"),
        (["absent.arff", "o.csv"], 2, "absent.arff does not exist"),
    ],
)
def test_mistakes_are_told(command, made, tmp_path, arguments, code, words):
    found, out, err = command("resample", *arguments)
    assert (found, out) == (code, "")
    assert words in err
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.arff", "made.xml"]
