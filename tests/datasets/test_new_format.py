"""A format is one record: whoever adds it to the tuple has it everywhere."""

import subprocess
import sys

import numpy as np
import pytest

from rarelabels import _formats
from rarelabels._formats import FORMATS, Format, format_named
from rarelabels.datasets import MultiLabelDataset, load, make_local_imbalance, save

# What a file of its own would hold: NumPy's format, with the labels' number in front.
MODULE = """
import numpy as np
from rarelabels import _formats
from rarelabels.datasets import MultiLabelDataset

def load_dummy(path, labels=None):
    with open(path, "rb") as file:
        found = np.load(file)
    n_labels = int(found[0, 0])
    return MultiLabelDataset(found[1:, n_labels:], found[1:, :n_labels].astype(int), name="dummy")

def save_dummy(dataset, path):
    table = np.hstack([dataset.Y, dataset.X])
    with open(path, "wb") as file:
        np.save(file, np.vstack([np.full(table.shape[1], dataset.n_labels), table]))

DUMMY = _formats.Format("dummy", "a dummy", (".dummy",), load_dummy, save_dummy)
"""
ADD = "_formats.FORMATS = (*_formats.FORMATS, DUMMY)\n"


@pytest.fixture
def dummy(monkeypatch):
    names: dict = {}
    # The module above.
    exec(MODULE, names)  # noqa: S102
    monkeypatch.setattr(_formats, "FORMATS", (*FORMATS, names["DUMMY"]))


def test_load_and_save(dummy, tmp_path):
    dataset = make_local_imbalance(40, random_state=0)
    save(dataset, tmp_path / "a.dummy")
    save(dataset, tmp_path / "b.data", format="dummy")
    for found in (load(tmp_path / "a.dummy"), load(tmp_path / "b.data", format="Dummy")):
        assert isinstance(found, MultiLabelDataset)
        np.testing.assert_array_equal(found.Y, dataset.Y)
    with pytest.raises(ValueError, match=r"\.svm, \.dummy"):
        save(dataset, tmp_path / "a.docx")


def test_a_plan(dummy, tmp_path):
    from rarelabels.experiment import load_plan

    save(make_local_imbalance(40, random_state=0), tmp_path / "a.dummy")
    (tmp_path / "plan.toml").write_text(
        'name = "dummy"\ndatasets = ["a.dummy"]\nlearners = ["mlknn"]\nmethods = ["default"]\n'
    )
    plan = load_plan(tmp_path / "plan.toml")
    assert plan.datasets[0].load().n_samples == 40


def run(code, *arguments, cwd):
    """Run the command line in a process where the format was added."""
    start = f"import sys\nsys.argv[1:] = {list(map(str, arguments))!r}\n"
    end = "\nfrom rarelabels.cli import main\nmain()"
    command = [sys.executable, "-c", start + code + end]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def test_the_command_line(tmp_path):
    pytest.importorskip("typer")
    save(make_local_imbalance(80, random_state=0), tmp_path / "a.arff")
    shown = " ".join(run(MODULE + ADD, "resample", "--help", cwd=tmp_path).stdout.split())
    assert ".svm, .dummy;" in shown
    assert "xmc, dummy;" in shown
    done = run(MODULE + ADD, "resample", "a.arff", "a.dummy", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # What was written is read again, and the mistake is in what is to be written.
    arguments = ("a.dummy", "c.x", "--format", "dumy")
    refused = run(MODULE + ADD, "resample", *arguments, cwd=tmp_path)
    assert "did you mean 'dummy'" in refused.stderr


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_records(one: Format):
    assert format_named(one.name.upper()) is one
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in one.suffixes)
    assert callable(one.load)
    assert one.title


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_every_format_remembers_its_labels(one, tmp_path):
    dataset = make_local_imbalance(40, random_state=0)
    path = tmp_path / f"a{one.suffixes[0]}"
    one.save(dataset, path)
    assert sorted(one.files(path)) == sorted(tmp_path.iterdir())
    np.testing.assert_array_equal(load(path, format=one.name).Y.sum(axis=0), [12, 8, 4])


def test_the_documentation_names_them_all():
    for function in (load, save):
        assert all(f"``{one.name}``" in function.__doc__ for one in FORMATS)
    assert all(f"``{suffix}``" in load.__doc__ for one in FORMATS for suffix in one.suffixes)
